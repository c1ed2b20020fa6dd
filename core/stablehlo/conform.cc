// Holds attributes against the rows of the table.
#include "core/stablehlo/op_table.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::hlo::stablehlo {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using Is = Attribute::Kind;

namespace {

bool AreAll(const Attribute& list, Is kind) {
  return list.kind == Is::kList &&
         llvm::all_of(list.list, [=](const Attribute& item) { return item.kind == kind; });
}

// One of the words behind the first, which is the name that the dialect gives the kind.
bool IsWordOf(const Attribute& attribute, StringRef words, bool pretty) {
  auto [kind, rest] = words.split(' ');
  llvm::SmallVector<StringRef> known;
  rest.split(known, ' ');
  return attribute.kind == Is::kWord && llvm::is_contained(known, attribute.text) &&
         (attribute.name == kind || (pretty && attribute.name.empty()));
}

// Fields that the struct does not have are errors; those that are missing are empty lists, zeros.
Error ConformStruct(Attribute& attribute, StringRef fields, bool pretty) {
  auto [name, rest] = fields.split(' ');
  if (attribute.kind != Is::kStruct ||
      (attribute.name != name && !(pretty && attribute.name.empty())))
    return MakeError("expected #" + name + "<..>");
  llvm::SmallVector<StringRef> known;
  rest.split(known, ' ');
  for (const auto& [field, value] : attribute.fields) {
    const auto* row = llvm::find_if(
        known, [&, &field = field](StringRef k) { return k.rtrim("#!?.*") == field; });
    if (row == known.end()) return MakeError("#" + name + " has no field '" + field + "'");
    const bool fits =
        row->ends_with("#") ? value.kind == Is::kInteger
        : row->ends_with("!")
            ? value.kind == Is::kWord && (value.text == "tf32" || !ElementInHlo(value.text).empty())
        : row->ends_with("?") ? value.kind == Is::kBool
        : row->ends_with(".") ? value.kind == Is::kFloat
        : row->ends_with("*") ? true
                              : AreAll(value, Is::kInteger);
    if (!fits) return MakeError("the field '" + field + "' of #" + name + " has another kind");
  }
  for (StringRef row : known) {
    if (StringRef("!.*").contains(row.back())) continue;
    Attribute missing;
    missing.kind = row.ends_with("#") ? Is::kInteger : row.ends_with("?") ? Is::kBool : Is::kList;
    attribute.fields.try_emplace(row.rtrim("#?").str(), missing);
  }
  return Error::success();
}

bool IsLayout(const Attribute& attribute) {
  return attribute.kind == Is::kDense && attribute.type.element == "index" &&
         attribute.type.rank() == 1;
}

// `[true, false]`; MLIR also takes 1 and 0 for them.
bool MakeBools(Attribute& attribute, bool pretty) {
  if (attribute.kind != Is::kList ||
      !(attribute.name == "i1" || (pretty && attribute.name.empty())))
    return false;
  return llvm::all_of(attribute.list, [](const Attribute& item) {
    return item.kind == Is::kBool ||
           (item.kind == Is::kInteger && (item.integer == 0 || item.integer == 1));
  });
}

// The name of the kind for an error, or "" where the attribute is of this kind.
StringRef WhatIsExpected(Attribute& attribute, const AttributeRow& row, bool pretty) {
  switch (row.kind) {
    case AttributeKind::kInteger:
      return attribute.kind == Is::kInteger && (attribute.name.empty() || attribute.name == "i64")
                 ? ""
                 : "an integer of type i64";
    case AttributeKind::kInteger32:
      return attribute.kind == Is::kInteger &&
                     (attribute.name == "i32" || (pretty && attribute.name.empty()))
                 ? ""
                 : "an integer of type i32";
    case AttributeKind::kIntegers:
      return AreAll(attribute, Is::kInteger) &&
                     (pretty ? attribute.name.empty() || attribute.name == "i64"
                             : attribute.name == "i64")
                 ? ""
                 : "integers, array<i64: ..>";
    case AttributeKind::kPairs:
      return attribute.kind == Is::kDense && attribute.type.element == "s64" &&
                     attribute.type.rank() == 2 && attribute.type.sizes[1] == 2
                 ? ""
                 : "pairs, dense<[[0, 0]]> : tensor<1x2xi64>";
    case AttributeKind::kTable:
      return attribute.kind == Is::kDense && attribute.type.element == "s64" &&
                     attribute.type.rank() == 2
                 ? ""
                 : "a table of integers, dense<[[0, 1]]> : tensor<1x2xi64>";
    case AttributeKind::kFloat:
      return attribute.kind == Is::kFloat ? "" : "a number such as 1.0e-05 : f32";
    case AttributeKind::kFlag:
      if (attribute.kind != Is::kUnit) return "a name alone";
      attribute.integer = 1;
      return "";
    case AttributeKind::kBool:
      return attribute.kind == Is::kBool ? "" : "true or false";
    case AttributeKind::kBools:
      return MakeBools(attribute, pretty) ? "" : "bools, array<i1: ..>";
    case AttributeKind::kString:
      return attribute.kind == Is::kString || (pretty && attribute.kind == Is::kSymbol)
                 ? ""
                 : "a string";
    case AttributeKind::kSymbol:
      return attribute.kind == Is::kSymbol ? "" : "a symbol, such as @f";
    case AttributeKind::kSymbols:
      return AreAll(attribute, Is::kSymbol) ? "" : "symbols, such as [@f]";
    case AttributeKind::kWord:
      return IsWordOf(attribute, row.words, pretty) ? "" : row.words;
    case AttributeKind::kWords:
      return attribute.kind == Is::kList && llvm::all_of(attribute.list,
                                                         [&](const Attribute& item) {
                                                           return IsWordOf(item, row.words, pretty);
                                                         })
                 ? ""
                 : row.words;
    case AttributeKind::kDimLabels:
      return attribute.kind == Is::kOpaque ? "" : "#stablehlo.conv<..>";
    case AttributeKind::kLayouts:
      return attribute.kind == Is::kList && llvm::all_of(attribute.list, IsLayout)
                 ? ""
                 : "layouts, [dense<[1, 0]> : tensor<2xindex>]";
    case AttributeKind::kConstant:
      return attribute.kind == Is::kDense ? "" : "dense<..>";
    case AttributeKind::kStruct:
    case AttributeKind::kStructs:
    case AttributeKind::kAny:
      return "";
  }
  return "";
}

}  // namespace

Expected<Attribute> Conform(Attribute attribute, const AttributeRow& row, bool pretty) {
  const StringRef expected = WhatIsExpected(attribute, row, pretty);
  if (!expected.empty())
    return MakeError("expected '" + row.name + "' to be " +
                     (row.kind == AttributeKind::kWord || row.kind == AttributeKind::kWords
                          ? "one of the words of " + expected
                          : expected));
  Error error = Error::success();
  if (row.kind == AttributeKind::kStruct) {
    error = ConformStruct(attribute, row.words, pretty);
  } else if (row.kind == AttributeKind::kStructs) {
    if (attribute.kind != Is::kList) error = MakeError("expected a list");
    for (Attribute& item : attribute.list) {
      if (!error) error = ConformStruct(item, row.words, pretty);
    }
  }
  if (error) return MakeError("'" + row.name + "': " + llvm::toString(std::move(error)));
  return attribute;
}

}  // namespace affirm::hlo::stablehlo
