// Reads operations by the rows of the table.
#include "core/stablehlo/reader.h"
#include "core/stablehlo/tokens.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::hlo::stablehlo {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

std::string UnknownOperation(StringRef name) {
  if (name.starts_with("chlo."))
    return name.str() +
           " has no HLO of its own: XLA computes it by others. "
           "`jax.jit(f).lower(..).compiler_ir(\"hlo\")"
           ".as_hlo_text()` prints the module with these";
  return "unknown operation '" + name.str() + "', expected one of StableHLO's that HLO has";
}

// "f(loat)" of a type as OpRow::elements has it.
char ElementClass(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return 'p';
  if (IsSignedInt(type)) return 's';
  if (IsUnsignedInt(type)) return 'u';
  return IsFloat(type) ? 'f' : 'c';
}

std::string Counted(size_t count, StringRef what) {
  return std::to_string(count) + " " + what.str() + (count == 1 ? "" : "s");
}

}  // namespace

// `%0:2 = `, `%a, %b = `, or nothing.
Error Reader::ReadResultNames(Operation& operation) {
  if (scanner_.Peek() != '%') return Error::success();
  do {
    auto name = ReadValueName(scanner_);
    if (!name) return name.takeError();
    operation.results.push_back(*name);
    if (!scanner_.Consume(':')) continue;
    auto count = scanner_.Integer("a number of results");
    if (!count) return count.takeError();
    if (*count < 1 || *count > 100000) return scanner_.FailHere("no such number of results");
    for (int64_t k = 1; k < *count; ++k)
      operation.results.push_back(*name + "#" + std::to_string(k));
  } while (scanner_.Consume(','));
  return scanner_.Expect('=', "after the results");
}

Expected<Operation> Reader::ReadOperation() {
  Operation operation;
  if (Error error = ReadResultNames(operation)) return error;
  scanner_.SkipSpace();
  operation.location = scanner_.LocationOf(scanner_.pos());
  const bool generic = scanner_.Peek() == '"';
  if (generic) {
    auto name = ReadString(scanner_);
    if (!name) return name.takeError();
    operation.name = *name;
  } else {
    operation.name = TakeWord(scanner_).str();
    if (operation.name == "call" || operation.name == "return")
      operation.name = "func." + operation.name;
  }
  if (operation.name.empty()) return Unexpected(scanner_, "expected an operation or '}'");
  operation.row = FindOpRow(operation.name);
  if (operation.row == nullptr)
    return scanner_.FailAt(operation.location, UnknownOperation(operation.name));
  if (Error error = generic ? ReadGeneric(operation) : ReadPretty(operation)) return error;
  if (Error error = CheckCounts(operation)) return error;
  if (Error error = CheckOperandTypes(operation)) return error;
  if (Error error = CheckRow(operation)) return error;
  if (Error error = CheckOperation(operation))
    return scanner_.FailAt(operation.location, llvm::toString(std::move(error)));
  for (size_t k = 0; k < operation.results.size(); ++k) {
    if (Error error = Bind(operation.results[k], operation.result_types[k], operation.location))
      return error;
  }
  if (Error error = SkipLocation(scanner_)) return error;
  return operation;
}

// `(%a, %b) <{..}> ({ .. }, { .. }) {..} : (T, T) -> T` after the name.
Error Reader::ReadGeneric(Operation& operation) {
  if (Error error = scanner_.Expect('(', "before the operands")) return error;
  if (Error error = ReadOperands(operation, false)) return error;
  if (Error error = scanner_.Expect(')', "after the operands")) return error;
  if (scanner_.ConsumeText("<{")) {
    auto properties = ReadDictionary();
    if (!properties) return properties.takeError();
    if (Error error = scanner_.Expect('>', "after the properties")) return error;
    for (auto& [name, value] : *properties) {
      if (Error error = SetAttribute(operation, name, std::move(value), false)) return error;
    }
  }
  if (scanner_.Consume('(')) {
    do {
      if (Error error = scanner_.Expect('{', "before a region")) return error;
      operation.regions.emplace_back();
      if (Error error = ReadRegion(operation.regions.back())) return error;
    } while (scanner_.Consume(','));
    if (Error error = scanner_.Expect(')', "after the regions")) return error;
  }
  if (Error error = ReadNotes(operation)) return error;
  if (Error error = scanner_.Expect(':', "before the types")) return error;
  return ReadFunctionType(operation);
}

Error Reader::ReadPretty(Operation& operation) {
  if (operation.row->form.empty())
    return scanner_.FailAt(operation.location, operation.name +
                                                   " is read in the generic form alone, \"" +
                                                   operation.name + "\"(..) <{..}> : (..) -> ..");
  llvm::SmallVector<StringRef> form;
  operation.row->form.split(form, ' ');
  if (Error error = ReadForm(operation, form)) return error;
  // Forms that start with "!" state their own types.
  if (operation.row->form.starts_with("!")) return Error::success();
  if (Error error = ReadNotes(operation)) return error;
  return ReadTypes(operation);
}

Error Reader::ReadForm(Operation& operation, llvm::ArrayRef<StringRef> form) {
  for (size_t at = 0; at < form.size(); ++at) {
    StringRef token = form[at];
    if (token == "[") {
      // The optional part begins with ',' and ends the form.
      if (!scanner_.LooksAt(",")) return Error::success();
    } else if (token == "]") {
      continue;
    } else if (token == "%") {
      auto operand = ReadValueName(scanner_);
      if (!operand) return operand.takeError();
      operation.operands.push_back(std::move(*operand));
    } else if (token == "%*" || token == "%+,") {
      if (Error error = ReadOperands(operation, token == "%+,")) return error;
    } else if (token.consume_front("$")) {
      auto value = ReadAttribute(/*pretty=*/true);
      if (!value) return value.takeError();
      if (Error error = SetAttribute(operation, token, std::move(*value), true)) return error;
    } else if (token.consume_front("!")) {
      if (Error error = ReadSpecial(token, operation)) return error;
    } else if (llvm::isAlpha(token[0])) {
      if (Error error = ExpectWord(token)) return error;
    } else if (Error error = scanner_.Expect(token[0], "in " + operation.name)) {
      return error;
    }
  }
  return Error::success();
}

// `%a, %b`, or with a comma after the last one too.
Error Reader::ReadOperands(Operation& operation, bool with_last_comma) {
  while (scanner_.Peek() == '%') {
    auto operand = ReadValueName(scanner_);
    if (!operand) return operand.takeError();
    operation.operands.push_back(std::move(*operand));
    if (with_last_comma) {
      if (Error error = scanner_.Expect(',', "after an operand")) return error;
    } else if (!scanner_.Consume(',')) {
      return Error::success();
    } else if (scanner_.Peek() != '%') {
      return Unexpected(scanner_, "expected an operand after ','");
    }
  }
  return Error::success();
}

// `{..}`: attributes of the row that stand nowhere else, and notes.
Error Reader::ReadNotes(Operation& operation) {
  if (!scanner_.Consume('{')) return Error::success();
  auto notes = ReadDictionary();
  if (!notes) return notes.takeError();
  for (auto& [name, value] : *notes) {
    const bool in_row = llvm::any_of(
        operation.row->attributes, [&, &name = name](const auto& row) { return row.name == name; });
    if (in_row) {
      if (Error error = SetAttribute(operation, name, std::move(value), false)) return error;
      continue;
    }
    const bool config = name == "mhlo.backend_config" && operation.name == "stablehlo.custom_call";
    if (!config && !IsDiscardable(name))
      return scanner_.Fail(value.at, operation.name + " has no attribute '" + name + "'");
    operation.notes.emplace(name, std::move(value));
  }
  return Error::success();
}

Error Reader::SetAttribute(Operation& operation, StringRef name, Attribute value, bool pretty) {
  const size_t at = value.at;
  for (const AttributeRow& row : operation.row->attributes) {
    if (row.name != name) continue;
    auto conforming = Conform(std::move(value), row, pretty);
    if (!conforming)
      return scanner_.Fail(at, operation.name + ": " + llvm::toString(conforming.takeError()));
    if (!operation.attributes.emplace(name.str(), std::move(*conforming)).second)
      return scanner_.Fail(at,
                           "the attribute '" + name + "' of " + operation.name + " is given twice");
    return Error::success();
  }
  return scanner_.Fail(at, operation.name + " has no attribute '" + name + "'");
}

// `T, T` up to another character.
Error Reader::ReadTypeList(std::vector<Type>& types) {
  do {
    auto type = ReadValueType();
    if (!type) return type.takeError();
    types.push_back(std::move(*type));
  } while (scanner_.Consume(','));
  return Error::success();
}

// `(T, T) -> T`, `(T) -> (T, T)`.
Error Reader::ReadFunctionType(Operation& operation) {
  if (Error error = scanner_.Expect('(', "before the types of the operands")) return error;
  if (!scanner_.Consume(')')) {
    if (Error error = ReadTypeList(operation.operand_types)) return error;
    if (Error error = scanner_.Expect(')', "after the types of the operands")) return error;
  }
  if (!scanner_.ConsumeText("->")) return Unexpected(scanner_, "expected '->' before the results");
  return ReadResultTypes(operation.result_types);
}

Error Reader::ReadTypes(Operation& operation) {
  const size_t operands = operation.operands.size();
  if (operation.row->types == TypesForm::kOperands && operands == 0) return Error::success();
  if (Error error = scanner_.Expect(':', "before the types of " + operation.name)) return error;
  std::vector<Type>& results = operation.result_types;
  if (operation.row->types == TypesForm::kOperands) return ReadTypeList(operation.operand_types);
  if (scanner_.Peek() == '(' || operation.row->types == TypesForm::kFunction)
    return ReadFunctionType(operation);
  std::vector<Type> types;
  if (Error error = ReadTypeList(types)) return error;
  auto one = [&](size_t count) {
    return types.size() == count ? Error::success()
                                 : scanner_.FailHere("expected " + Counted(count, "type") + " of " +
                                                     operation.name + " before this");
  };
  switch (operation.row->types) {
    case TypesForm::kSelect:
      if (Error error = one(2)) return error;
      operation.operand_types = {types[0], types[1], types[1]};
      results = {types[1]};
      return Error::success();
    case TypesForm::kComplex: {
      if (Error error = one(1)) return error;
      Type part = types[0];
      part.element = Name(PartType(part.Primitive())).str();
      operation.operand_types = {part, part};
      results = types;
      return Error::success();
    }
    case TypesForm::kPairwise:
      operation.operand_types = types;
      results = types;
      return Error::success();
    case TypesForm::kArrow:
      operation.operand_types = types;
      if (!scanner_.ConsumeText("->")) return Unexpected(scanner_, "expected '->'");
      return ReadResultTypes(results);
    default:
      if (Error error = one(1)) return error;
      operation.operand_types.assign(operands, types[0]);
      results = types;
      return Error::success();
  }
}

Error Reader::CheckCounts(const Operation& operation) {
  struct Count {
    StringRef what;
    size_t found;
    int expected;
  };
  const OpRow& row = *operation.row;
  for (const Count& count : {Count{"operand", operation.operands.size(), row.operands},
                             Count{"result", operation.result_types.size(), row.results},
                             Count{"region", operation.regions.size(), row.regions}}) {
    if (count.expected >= 0 && count.found != static_cast<size_t>(count.expected))
      return scanner_.FailAt(operation.location, "expected " + Counted(count.expected, count.what) +
                                                     " of " + operation.name + ", found " +
                                                     std::to_string(count.found));
  }
  const size_t names = operation.results.size(), types = operation.result_types.size();
  if (names != types)
    return scanner_.FailAt(operation.location,
                           "expected a type for each of the " + Counted(names, "result") + " of " +
                               operation.name + ", found " + Counted(types, "type"));
  return Error::success();
}

Error Reader::CheckOperandTypes(const Operation& operation) {
  if (operation.operand_types.size() != operation.operands.size())
    return scanner_.FailAt(operation.location, "expected a type for each of the " +
                                                   Counted(operation.operands.size(), "operand") +
                                                   " of " + operation.name + ", found " +
                                                   Counted(operation.operand_types.size(), "type"));
  for (size_t k = 0; k < operation.operands.size(); ++k) {
    const Type* type = FindType(operation.operands[k]);
    if (type == nullptr)
      return scanner_.FailAt(operation.location, "no value " + operation.operands[k] + " here");
    if (*type != operation.operand_types[k])
      return scanner_.FailAt(operation.location,
                             operation.name + " states " + operation.operand_types[k].Source() +
                                 " for " + operation.operands[k] + ", which is " + type->Source());
  }
  return Error::success();
}

// The attributes that are required, the lengths of lists, and the kind of elements.
Error Reader::CheckRow(const Operation& operation) {
  for (const AttributeRow& row : operation.row->attributes) {
    const Attribute* found = operation.Find(row.name);
    if (found == nullptr) {
      if (!row.required) continue;
      return scanner_.FailAt(operation.location,
                             operation.name + " requires the attribute '" + row.name + "'");
    }
    if (row.length == Length::kAny || operation.operand_types.empty()) continue;
    const size_t rank = operation.operand_types.front().sizes.size();
    const size_t length = found->kind == Attribute::Kind::kDense
                              ? static_cast<size_t>(found->type.sizes.front())
                              : found->list.size();
    if (length != rank)
      return scanner_.FailAt(operation.location,
                             "expected '" + row.name + "' of " + operation.name + " to have " +
                                 Counted(rank, "item") + ", one for each dimension of " +
                                 operation.operands.front() + ", found " + std::to_string(length));
  }
  const StringRef elements = operation.row->elements;
  if (elements.empty() || operation.operand_types.empty()) return Error::success();
  const Type& type = operation.operand_types.front();
  const char found = ElementClass(type.Primitive());
  if (elements.contains(found)) return Error::success();
  if (found == 'c' && elements.contains('x'))
    return scanner_.FailAt(operation.location, operation.name +
                                                   " of complex numbers has no HLO of its own: XLA "
                                                   "computes it by others");
  return scanner_.FailAt(operation.location,
                         operation.name + " is not for elements of " + type.Source());
}

}  // namespace affirm::hlo::stablehlo
