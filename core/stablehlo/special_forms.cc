// Syntax that one operation alone has.
#include "core/stablehlo/reader.h"
#include "core/stablehlo/tokens.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo::stablehlo {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

Attribute MakeInteger(int64_t value) {
  Attribute attribute;
  attribute.kind = Attribute::Kind::kInteger;
  attribute.integer = value;
  return attribute;
}

Attribute MakeList(std::vector<Attribute> items, size_t at) {
  Attribute attribute;
  attribute.kind = Attribute::Kind::kList;
  attribute.at = at;
  attribute.list = std::move(items);
  return attribute;
}

}  // namespace

Error Reader::ReadSpecial(StringRef what, Operation& operation) {
  if (what == "ranges") return ReadRanges(operation);
  if (what == "dot") return ReadDot(operation);
  if (what == "conv") return ReadDimLabels(operation);
  if (what == "window") return ReadWindow(operation);
  if (what == "format") return ReadFormat(operation);
  if (what == "sharding") return ReadSharding(operation);
  if (what == "constant") return ReadConstant(operation);
  if (what == "reduce") return ReadReduce(operation);
  return ReadWhile(operation);
}

// `[0:2, 0:16:2]`: a start, a limit and a stride that may be missing.
Error Reader::ReadRanges(Operation& operation) {
  const size_t at = scanner_.pos();
  std::vector<Attribute> starts, limits, strides;
  if (Error error = scanner_.Expect('[', "before the ranges")) return error;
  while (!scanner_.Consume(']')) {
    if (!starts.empty()) {
      if (Error error = scanner_.Expect(',', "between the ranges")) return error;
    }
    auto start = scanner_.Integer("the start of a range");
    if (!start) return start.takeError();
    if (Error error = scanner_.Expect(':', "after the start of a range")) return error;
    auto limit = scanner_.Integer("the limit of a range");
    if (!limit) return limit.takeError();
    int64_t stride = 1;
    if (scanner_.Consume(':')) {
      auto read = scanner_.Integer("the stride of a range");
      if (!read) return read.takeError();
      stride = *read;
    }
    starts.push_back(MakeInteger(*start));
    limits.push_back(MakeInteger(*limit));
    strides.push_back(MakeInteger(stride));
  }
  if (Error error = SetAttribute(operation, "start_indices", MakeList(starts, at), true))
    return error;
  if (Error error = SetAttribute(operation, "limit_indices", MakeList(limits, at), true))
    return error;
  return SetAttribute(operation, "strides", MakeList(strides, at), true);
}

Expected<std::vector<Attribute>> Reader::ReadList() {
  scanner_.SkipSpace();
  const size_t at = scanner_.pos();
  auto value = ReadAttribute(/*pretty=*/true);
  if (!value) return value.takeError();
  if (value->kind != Attribute::Kind::kList)
    return scanner_.Fail(at, "expected a list in brackets");
  return std::move(value->list);
}

// `, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [..], algorithm = <..>`
Error Reader::ReadDot(Operation& operation) {
  scanner_.SkipSpace();
  Attribute numbers;
  numbers.kind = Attribute::Kind::kStruct;
  numbers.at = scanner_.pos();
  while (scanner_.Consume(',')) {
    scanner_.SkipSpace();
    const size_t at = scanner_.pos();
    const std::string name = TakeWord(scanner_).str();
    if (name.empty())
      return Unexpected(scanner_, "expected the name of an attribute of " + operation.name);
    if (Error error = scanner_.Expect('=', "after '" + name + "'")) return error;
    if (name == "precision" || name == "algorithm") {
      auto value = ReadAttribute(/*pretty=*/true);
      if (!value) return value.takeError();
      if (Error error =
              SetAttribute(operation, name == "precision" ? "precision_config" : "algorithm",
                           std::move(*value), true))
        return error;
      continue;
    }
    if (name != "batching_dims" && name != "contracting_dims")
      return scanner_.Fail(at, operation.name + " has no attribute '" + name + "'");
    const std::string kind = name == "batching_dims" ? "batching" : "contracting";
    for (const char* side : {"lhs", "rhs"}) {
      if (StringRef(side) == "rhs") {
        if (Error error = ExpectWord("x")) return error;
      }
      auto list = ReadList();
      if (!list) return list.takeError();
      if (!numbers.fields
               .try_emplace(side + ("_" + kind) + "_dimensions", MakeList(std::move(*list), at))
               .second)
        return scanner_.Fail(at, "'" + name + "' is given twice");
    }
  }
  return SetAttribute(operation, "dot_dimension_numbers", std::move(numbers), true);
}

// `[b, 0, f]x[0, i, o]->[b, 0, f]`
Error Reader::ReadDimLabels(Operation& operation) {
  scanner_.SkipSpace();
  Attribute labels;
  labels.kind = Attribute::Kind::kOpaque;
  labels.at = scanner_.pos();
  for (StringRef before : {"", "x", "->"}) {
    if (before == "x") {
      if (Error error = ExpectWord("x")) return error;
    } else if (!before.empty() && !scanner_.ConsumeText(before)) {
      return Unexpected(scanner_, "expected '->'");
    }
    if (Error error = scanner_.Expect('[', "before the labels of dimensions")) return error;
    auto inside = ReadBracketed(scanner_, ']');
    if (!inside) return inside.takeError();
    labels.text += before.str() + "[" + *inside + "]";
  }
  return SetAttribute(operation, "dimension_numbers", std::move(labels), true);
}

// `{stride = [2, 1], pad = [[0, 1], [1, 1]], lhs_dilate = [1, 1], reverse = [false, true]}`
Error Reader::ReadWindow(Operation& operation) {
  if (Error error = scanner_.Expect('{', "before the window")) return error;
  auto parts = ReadDictionary();
  if (!parts) return parts.takeError();
  for (auto& [name, value] : *parts) {
    StringRef property = name == "stride"       ? "window_strides"
                         : name == "pad"        ? "padding"
                         : name == "lhs_dilate" ? "lhs_dilation"
                         : name == "rhs_dilate" ? "rhs_dilation"
                         : name == "reverse"    ? "window_reversal"
                                                : "";
    if (property.empty()) return scanner_.Fail(value.at, "the window has no '" + name + "'");
    if (property == "padding") {
      // As the property has it: dense<[[0, 1]]> : tensor<1x2xi64>.
      Attribute pairs;
      pairs.kind = Attribute::Kind::kDense;
      pairs.at = value.at;
      pairs.type = {"s64", {static_cast<int64_t>(value.list.size()), 2}};
      for (const Attribute& pair : value.list) {
        if (pair.list.size() != 2 || llvm::any_of(pair.list, [](const Attribute& item) {
              return item.kind != Attribute::Kind::kInteger;
            }))
          return scanner_.Fail(value.at, "expected pairs of integers, such as [[0, 1]]");
        pairs.text += (pairs.text.empty() ? "[" : ", [") + std::to_string(pair.list[0].integer) +
                      ", " + std::to_string(pair.list[1].integer) + "]";
      }
      pairs.text = "[" + pairs.text + "]";
      value = std::move(pairs);
    }
    if (Error error = SetAttribute(operation, property, std::move(value), true)) return error;
  }
  return Error::success();
}

// `e5m3`
Error Reader::ReadFormat(Operation& operation) {
  scanner_.SkipSpace();
  const size_t at = scanner_.pos();
  StringRef format = TakeWord(scanner_);
  int64_t exponent = 0, mantissa = 0;
  if (!format.consume_front("e") || format.consumeInteger(10, exponent) ||
      !format.consume_front("m") || format.getAsInteger(10, mantissa))
    return scanner_.Fail(at, "expected the numbers of bits, such as e5m3");
  if (Error error = SetAttribute(operation, "exponent_bits", MakeInteger(exponent), true))
    return error;
  return SetAttribute(operation, "mantissa_bits", MakeInteger(mantissa), true);
}

// `<@mesh, [{"x"}, {}]>`: on which devices parts lie.
Error Reader::ReadSharding(Operation& operation) {
  if (Error error = scanner_.Expect('<', "before a sharding")) return error;
  Attribute sharding;
  sharding.kind = Attribute::Kind::kOpaque;
  auto inside = ReadBracketed(scanner_, '>');
  if (!inside) return inside.takeError();
  sharding.text = std::move(*inside);
  return SetAttribute(operation, "sharding", std::move(sharding), true);
}

Error Reader::ReadConstant(Operation& operation) {
  if (Error error = ReadNotes(operation)) return error;
  auto value = ReadAttribute();
  if (!value) return value.takeError();
  operation.result_types = {value->type};
  return SetAttribute(operation, "value", std::move(*value), true);
}

// `(%a init: %b), (%c init: %d) applies stablehlo.add across dimensions = [0] : types`, or with a
// reducer behind the types.
Error Reader::ReadReduce(Operation& operation) {
  std::vector<std::string> starts;
  do {
    if (Error error = scanner_.Expect('(', "before an operand")) return error;
    auto operand = ReadValueName(scanner_);
    if (!operand) return operand.takeError();
    if (Error error = ExpectWord("init")) return error;
    if (Error error = scanner_.Expect(':', "after 'init'")) return error;
    auto start = ReadValueName(scanner_);
    if (!start) return start.takeError();
    operation.operands.push_back(*operand);
    starts.push_back(*start);
    if (Error error = scanner_.Expect(')', "after an operand")) return error;
  } while (scanner_.Consume(','));
  operation.operands.insert(operation.operands.end(), starts.begin(), starts.end());
  const StringRef applied = ConsumeWord("applies") ? TakeWord(scanner_) : StringRef();
  for (StringRef word : {"across", "dimensions"}) {
    if (Error error = ExpectWord(word)) return error;
  }
  if (Error error = scanner_.Expect('=', "after 'dimensions'")) return error;
  auto dimensions = ReadAttribute(/*pretty=*/true);
  if (!dimensions) return dimensions.takeError();
  if (Error error = SetAttribute(operation, "dimensions", std::move(*dimensions), true))
    return error;
  if (Error error = ReadNotes(operation)) return error;
  if (Error error = scanner_.Expect(':', "before the types")) return error;
  if (Error error = ReadFunctionType(operation)) return error;
  return applied.empty() ? ReadReducer(operation) : ReadApplied(operation, applied);
}

// The region of a reduction by one operation: `applies stablehlo.add`.
Error Reader::ReadApplied(Operation& operation, StringRef applied) {
  static constexpr StringRef kCommutative[] = {
      "stablehlo.add",      "stablehlo.and", "stablehlo.maximum", "stablehlo.minimum",
      "stablehlo.multiply", "stablehlo.or",  "stablehlo.xor"};
  if (!llvm::is_contained(kCommutative, applied))
    return scanner_.FailAt(operation.location,
                           "expected a commutative operation behind "
                           "'applies', such as stablehlo.add, found '" +
                               applied + "'");
  if (operation.operands.size() != 2 || operation.operand_types.size() != 2)
    return scanner_.FailAt(operation.location, "expected one operand and its start with 'applies'");
  const Type scalar{operation.operand_types.front().element, {}};
  Region& region = operation.regions.emplace_back();
  region.arguments = {{"%a", scalar, {}}, {"%b", scalar, {}}};
  Operation combine, end;
  combine.location = end.location = operation.location;
  combine.name = applied.str();
  combine.row = FindOpRow(applied);
  combine.results = {"%c"};
  combine.operands = {"%a", "%b"};
  combine.operand_types = {scalar, scalar};
  combine.result_types = {scalar};
  end.name = "stablehlo.return";
  end.row = FindOpRow(end.name);
  end.operands = {"%c"};
  end.operand_types = {scalar};
  region.operations = {std::move(combine), std::move(end)};
  return Error::success();
}

// `reducer(%a: T, %b: T) (%c: T, %d: T) { .. }`: pairs of what there is so far and of what is new;
// a block has all of the first before.
Error Reader::ReadReducer(Operation& operation) {
  if (Error error = ExpectWord("reducer")) return error;
  Region region;
  std::vector<Argument> added;
  while (scanner_.Consume('(')) {
    std::vector<Argument> pair;
    if (Error error = ReadArguments(pair)) return error;
    if (pair.size() != 2) return scanner_.FailHere("expected two arguments before this");
    region.arguments.push_back(pair[0]);
    added.push_back(pair[1]);
  }
  region.arguments.insert(region.arguments.end(), added.begin(), added.end());
  if (Error error = scanner_.Expect('{', "before the reducer")) return error;
  operation.regions.push_back(std::move(region));
  return ReadRegion(operation.regions.back());
}

// `(%iterArg = %0, ..) : types cond { .. } do { .. }`
Error Reader::ReadWhile(Operation& operation) {
  if (Error error = scanner_.Expect('(', "before the values of a loop")) return error;
  std::vector<Argument> arguments;
  while (!scanner_.Consume(')')) {
    if (!arguments.empty()) {
      if (Error error = scanner_.Expect(',', "between the values of a loop")) return error;
    }
    auto name = ReadValueName(scanner_);
    if (!name) return name.takeError();
    if (Error error = scanner_.Expect('=', "after " + *name)) return error;
    auto operand = ReadValueName(scanner_);
    if (!operand) return operand.takeError();
    arguments.push_back({*name, {}, {}});
    operation.operands.push_back(*operand);
  }
  if (!arguments.empty()) {
    if (Error error = scanner_.Expect(':', "before the types of a loop")) return error;
    if (Error error = ReadTypeList(operation.operand_types)) return error;
  }
  operation.result_types = operation.operand_types;
  if (operation.result_types.size() != arguments.size())
    return scanner_.FailHere("expected a type for each value of the loop before this");
  for (size_t k = 0; k < arguments.size(); ++k) arguments[k].type = operation.result_types[k];
  if (ConsumeWord("attributes")) {
    if (Error error = ReadNotes(operation)) return error;
  }
  for (StringRef word : {"cond", "do"}) {
    if (Error error = ExpectWord(word)) return error;
    if (Error error = scanner_.Expect('{', "after '" + word + "'")) return error;
    operation.regions.push_back({arguments, {}});
    if (Error error = ReadRegion(operation.regions.back())) return error;
  }
  return Error::success();
}

}  // namespace affirm::hlo::stablehlo
