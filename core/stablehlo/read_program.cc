// Reads modules, functions and regions.
#include "core/stablehlo/reader.h"
#include "core/stablehlo/tokens.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo::stablehlo {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

constexpr int kMostRegions = 100;  // inside of each other

}  // namespace

const Attribute* Operation::Find(StringRef attribute) const {
  auto found = attributes.find(attribute.str());
  return found == attributes.end() ? nullptr : &found->second;
}

bool Operation::IsTrue(StringRef attribute) const {
  const Attribute* found = Find(attribute);
  return found != nullptr && found->integer != 0;
}

std::string Operation::Word(StringRef attribute) const {
  const Attribute* found = Find(attribute);
  return found == nullptr ? "" : found->text;
}

std::vector<int64_t> Operation::Integers(StringRef attribute) const {
  const Attribute* found = Find(attribute);
  if (found == nullptr) return {};
  if (found->kind == Attribute::Kind::kInteger) return {found->integer};
  auto integers = IntegersOf(*found);
  if (integers) return *integers;
  llvm::consumeError(integers.takeError());
  return {};
}

Expected<Program> Reader::ReadModule() {
  Program program;
  if (Error error = ReadAliases()) return error;
  if (scanner_.Peek() == '"')
    return scanner_.FailHere(
        "a module in the generic form, \"builtin.module\", is not read; its "
        "operations are");
  const size_t before = scanner_.pos();
  const StringRef word = TakeWord(scanner_);
  Error error = Error::success();
  if (word == "module" || word == "builtin.module") {
    error = ReadModuleBody(program);
  } else {
    scanner_.set_pos(before);
    if (word != "func.func") return Unexpected(scanner_, "expected 'module'");
    while (!error && !scanner_.AtEnd() && scanner_.Peek() != '#') error = ReadTopLevel(program);
  }
  if (error) return error;
  if (Error failed = ReadAliases()) return failed;
  return program;
}

Error Reader::ReadModuleBody(Program& program) {
  if (scanner_.Consume('@')) {
    auto name = ReadSymbol(scanner_);
    if (!name) return name.takeError();
    program.name = *name;
  }
  if (ConsumeWord("attributes")) {
    if (Error error = scanner_.Expect('{', "after 'attributes'")) return error;
    auto attributes = ReadDictionary();
    if (!attributes) return attributes.takeError();
    program.attributes = std::move(*attributes);
    if (Error error = CheckDiscardable(program.attributes, "a module")) return error;
  }
  if (Error error = scanner_.Expect('{', "before the functions")) return error;
  while (!scanner_.Consume('}')) {
    if (Error error = ReadTopLevel(program)) return error;
  }
  return SkipLocation(scanner_);
}

Error Reader::ReadTopLevel(Program& program) {
  if (ConsumeWord("sdy.mesh")) return SkipMesh();
  if (!ConsumeWord("func.func")) return Unexpected(scanner_, "expected 'func.func' or '}'");
  auto function = ReadFunction();
  if (!function) return function.takeError();
  for (const Function& other : program.functions) {
    if (other.name == function->name)
      return scanner_.FailAt(function->location, "the function @" + function->name +
                                                     " is there twice; first in line " +
                                                     llvm::Twine(other.location.line));
  }
  program.functions.push_back(std::move(*function));
  return Error::success();
}

// `sdy.mesh @mesh = <["x"=2]> {..}`: names of devices, which alone say nothing.
Error Reader::SkipMesh() {
  if (Error error = scanner_.Expect('@', "before the name of a mesh")) return error;
  auto name = ReadSymbol(scanner_);
  if (!name) return name.takeError();
  if (Error error = scanner_.Expect('=', "after the name of a mesh")) return error;
  if (Error error = scanner_.Expect('<', "before the axes of a mesh")) return error;
  auto axes = ReadBracketed(scanner_, '>');
  if (!axes) return axes.takeError();
  if (scanner_.Consume('{')) {
    auto attributes = ReadDictionary();
    if (!attributes) return attributes.takeError();
  }
  return SkipLocation(scanner_);
}

// `others`: those with a meaning that the writer knows.
Error Reader::CheckDiscardable(const Attributes& attributes, StringRef of,
                               llvm::ArrayRef<StringRef> others) {
  for (const auto& [name, value] : attributes) {
    if (!IsDiscardable(name) && !llvm::is_contained(others, name))
      return scanner_.Fail(value.at, "the attribute '" + name + "' of " + of + " is not read");
  }
  return Error::success();
}

Error Reader::ReadArguments(std::vector<Argument>& into) {
  if (scanner_.Consume(')')) return Error::success();
  do {
    auto name = ReadValueName(scanner_);
    if (!name) return name.takeError();
    if (Error error = scanner_.Expect(':', "before the type of " + *name)) return error;
    auto type = ReadValueType();
    if (!type) return type.takeError();
    into.push_back({*name, std::move(*type), {}});
    if (scanner_.Consume('{')) {
      auto attributes = ReadDictionary();
      if (!attributes) return attributes.takeError();
      into.back().attributes = std::move(*attributes);
      if (Error error = CheckDiscardable(into.back().attributes, "an argument",
                                         {"mhlo.parameter_replication"}))
        return error;
    }
    if (Error error = SkipLocation(scanner_)) return error;
  } while (scanner_.Consume(','));
  return scanner_.Expect(')', "after the arguments");
}

// `T`, or `(T {..}, T)`.
Error Reader::ReadResultTypes(std::vector<Type>& types) {
  const bool closed = scanner_.Consume('(');
  if (closed && scanner_.Consume(')')) return Error::success();
  do {
    auto type = ReadValueType();
    if (!type) return type.takeError();
    types.push_back(std::move(*type));
    if (!closed) return Error::success();
    if (!scanner_.Consume('{')) continue;
    auto attributes = ReadDictionary();
    if (!attributes) return attributes.takeError();
    if (Error error = CheckDiscardable(*attributes, "a result")) return error;
  } while (scanner_.Consume(','));
  return scanner_.Expect(')', "after the types of the results");
}

Expected<Function> Reader::ReadFunction() {
  scanner_.SkipSpace();
  Function function;
  function.location = scanner_.LocationOf(scanner_.pos());
  if (!ConsumeWord("public")) ConsumeWord("private");
  if (Error error = scanner_.Expect('@', "before the name of a function")) return error;
  auto name = ReadSymbol(scanner_);
  if (!name) return name.takeError();
  function.name = *name;
  if (Error error = scanner_.Expect('(', "before the arguments")) return error;
  if (Error error = ReadArguments(function.body.arguments)) return error;
  if (scanner_.ConsumeText("->")) {
    if (Error error = ReadResultTypes(function.result_types)) return error;
  }
  if (ConsumeWord("attributes")) {
    if (Error error = scanner_.Expect('{', "after 'attributes'")) return error;
    auto attributes = ReadDictionary();
    if (!attributes) return attributes.takeError();
    if (Error error = CheckDiscardable(*attributes, "a function", {"no_inline"})) return error;
  }
  if (Error error = scanner_.Expect('{', "before the body of @" + function.name)) return error;
  scopes_.clear();
  if (Error error = ReadRegion(function.body, "func.return")) return error;
  const Operation& last = function.body.operations.back();
  if (last.operand_types != function.result_types) {
    std::string returned, stated;
    for (const Type& type : last.operand_types) returned += " " + type.Source();
    for (const Type& type : function.result_types) stated += " " + type.Source();
    return scanner_.FailAt(last.location, "expected @" + function.name +
                                              " to return what it states, (" +
                                              StringRef(stated).ltrim() + "), found (" +
                                              StringRef(returned).ltrim() + ")");
  }
  if (Error error = SkipLocation(scanner_)) return error;
  return function;
}

Error Reader::ReadRegion(Region& region, StringRef returns) {
  if (++depth_ > kMostRegions) return scanner_.FailHere("regions are nested too deeply");
  if (scanner_.Consume('^')) {
    TakeWord(scanner_);
    if (!region.arguments.empty()) return scanner_.FailHere("expected no block with arguments");
    if (scanner_.Consume('(')) {
      if (Error error = ReadArguments(region.arguments)) return error;
    }
    if (Error error = scanner_.Expect(':', "after the arguments of a block")) return error;
  }
  scopes_.emplace_back();
  scanner_.SkipSpace();
  const SourceLocation begin = scanner_.LocationOf(scanner_.pos());
  for (const Argument& argument : region.arguments) {
    if (Error error = Bind(argument.name, argument.type, begin)) return error;
  }
  bool ends = false;
  while (!scanner_.Consume('}')) {
    if (scanner_.Peek() == '^') return scanner_.FailHere("expected a region of one block");
    if (ends) return Unexpected(scanner_, "expected '}' after '" + returns + "'");
    auto operation = ReadOperation();
    if (!operation) return operation.takeError();
    ends = operation->row->types == TypesForm::kOperands;
    // JAX ends a function that a library calls in stablehlo.return.
    if (ends && operation->name != returns && operation->name != "stablehlo.return")
      return scanner_.FailAt(operation->location,
                             "expected '" + returns + "' here, found '" + operation->name + "'");
    region.operations.push_back(std::move(*operation));
  }
  if (!ends) return scanner_.FailAt(begin, "expected a region that ends in '" + returns + "'");
  scopes_.pop_back();
  --depth_;
  return Error::success();
}

Expected<Type> Reader::ReadValueType() {
  scanner_.SkipSpace();
  const size_t at = scanner_.pos();
  auto type = ReadType();
  if (type && type->element == "index") return scanner_.Fail(at, "HLO has no element type 'index'");
  return type;
}

bool Reader::ConsumeWord(StringRef word) {
  const size_t before = scanner_.pos();
  if (TakeWord(scanner_) == word) return true;
  scanner_.set_pos(before);
  return false;
}

Error Reader::ExpectWord(StringRef word) {
  if (ConsumeWord(word)) return Error::success();
  return Unexpected(scanner_, "expected '" + word + "'");
}

Error Reader::Bind(const std::string& name, const Type& type, const SourceLocation& at) {
  if (FindType(name) != nullptr)
    return scanner_.FailAt(at, "the value " + name + " is defined twice");
  scopes_.back().emplace(name, type);
  return Error::success();
}

const Type* Reader::FindType(const std::string& name) const {
  for (const auto& scope : llvm::reverse(scopes_)) {
    auto found = scope.find(name);
    if (found != scope.end()) return &found->second;
  }
  return nullptr;
}

Expected<Program> ReadProgram(Scanner& scanner) { return Reader(scanner).ReadModule(); }

}  // namespace affirm::hlo::stablehlo
