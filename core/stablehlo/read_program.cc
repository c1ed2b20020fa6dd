// Reads the text of a StableHLO module.
#include "core/stablehlo/program.h"
#include "core/stablehlo/read_types.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace affirm::hlo::stablehlo {

namespace {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

constexpr int kMostRegions = 100;  // inside of each other

class Reader {
 public:
  explicit Reader(Scanner& scanner) : scanner_(scanner) {}

  Expected<Program> Read() {
    Program program;
    SkipAliases();
    if (!scanner_.ConsumeWord("module")) return Unexpected("expected 'module'");
    if (scanner_.Consume('@')) program.name = scanner_.Name().str();
    if (scanner_.ConsumeWord("attributes")) {
      if (Error error = Dictionary("{", program.attributes)) return error;
    }
    if (Error error = scanner_.Expect('{', "before the functions")) return error;
    while (!scanner_.Consume('}')) {
      if (SkipMesh()) continue;
      if (!scanner_.ConsumeText("func.func")) return Unexpected("expected 'func.func' or '}'");
      auto function = ReadFunction();
      if (!function) return function.takeError();
      program.functions.push_back(std::move(*function));
    }
    SkipLocation();
    SkipAliases();
    return program;
  }

 private:
  Error Unexpected(const llvm::Twine& expected) {
    return scanner_.FailHere(expected + ", found " + scanner_.Found());
  }

  // `#loc1 = loc("a.py":1:2)`, and other names that printers give attributes.
  void SkipAliases() {
    while (scanner_.Peek() == '#') {
      const size_t end = scanner_.Rest().find('\n');
      scanner_.set_pos(end == StringRef::npos ? scanner_.pos() + scanner_.Rest().size()
                                              : scanner_.pos() + end);
    }
  }

  void SkipLocation() {
    const size_t before = scanner_.pos();
    if (!scanner_.ConsumeWord("loc")) return;
    if (scanner_.Peek() != '(' || Balanced().empty()) scanner_.set_pos(before);
  }

  // `sdy.mesh @mesh = <["x"=2]> {..}`: names of devices, which alone say nothing.
  bool SkipMesh() {
    if (!scanner_.ConsumeText("sdy.mesh")) return false;
    Until("<");
    Balanced();
    if (scanner_.Peek() == '{') Balanced();
    SkipLocation();
    return true;
  }

  // Text up to one of some characters that is in no bracket and no string; blanks around it go.
  StringRef Until(StringRef ends) {
    scanner_.SkipSpace();
    const StringRef rest = scanner_.Rest();
    int depth = 0;
    size_t at = 0;
    for (; at < rest.size(); ++at) {
      const char c = rest[at];
      if (depth == 0 && ends.contains(c)) break;
      if (c == '"') {
        at = rest.find('"', at + 1);
        if (at == StringRef::npos) at = rest.size() - 1;
      } else if (StringRef("([{<").contains(c)) {
        ++depth;
      } else if (StringRef(")]}>").contains(c) && !(c == '>' && at > 0 && rest[at - 1] == '-')) {
        if (--depth < 0) break;
      }
    }
    scanner_.set_pos(scanner_.pos() + at);
    return rest.take_front(at).trim();
  }

  // The text from the next bracket to its end, with both brackets; nothing without an end.
  StringRef Balanced() {
    scanner_.SkipSpace();
    const size_t begin = scanner_.pos();
    scanner_.set_pos(begin + 1);
    Until("");
    if (scanner_.Rest().empty()) return {};
    scanner_.set_pos(scanner_.pos() + 1);
    return scanner_.Since(begin);
  }

  // `{a = 1 : i64, b}`, or with `<{` and `}>`.
  Error Dictionary(StringRef open, std::map<std::string, std::string>& into) {
    if (!scanner_.ConsumeText(open)) return Unexpected("expected '" + open + "'");
    while (!scanner_.Consume('}')) {
      std::string name;
      if (scanner_.Peek() == '"') {
        auto quoted = scanner_.String();
        if (!quoted) return quoted.takeError();
        name = *quoted;
      } else {
        name = scanner_.Identifier().str();
      }
      if (name.empty()) return Unexpected("expected the name of an attribute or '}'");
      into[name] = scanner_.Consume('=') ? Until(",}").str() : std::string();
      scanner_.Consume(',');
    }
    return open == "<{" ? scanner_.Expect('>', "after '}'") : Error::success();
  }

  // "%0", "%0#1".
  Expected<std::string> Value() {
    if (scanner_.Peek() != '%') return Unexpected("expected a value, such as %0");
    std::string name = "%" + scanner_.Name().str();
    if (scanner_.Rest().consume_front("#")) {
      const StringRef digits = scanner_.Rest().drop_front().take_while(llvm::isDigit);
      name += "#" + digits.str();
      scanner_.set_pos(scanner_.pos() + 1 + digits.size());
    }
    return name;
  }

  // `%a: tensor<f32> {..}, ..)`, without its '('.
  Error Arguments(std::vector<Argument>& into) {
    while (!scanner_.Consume(')')) {
      auto name = Value();
      if (!name) return name.takeError();
      if (Error error = scanner_.Expect(':', "before the type of " + *name)) return error;
      auto type = ReadType(scanner_);
      if (!type) return type.takeError();
      into.push_back({*name, std::move(*type), {}});
      if (scanner_.Peek() == '{') {
        if (Error error = Dictionary("{", into.back().attributes)) return error;
      }
      SkipLocation();
      scanner_.Consume(',');
    }
    return Error::success();
  }

  Expected<Function> ReadFunction() {
    scanner_.SkipSpace();
    Function function;
    function.location = scanner_.LocationOf(scanner_.pos());
    for (StringRef word : {"public", "private"}) scanner_.ConsumeWord(word);
    if (Error error = scanner_.Expect('@', "before the name of a function")) return error;
    function.name = scanner_.Name().str();
    if (Error error = scanner_.Expect('(', "before the arguments")) return error;
    if (Error error = Arguments(function.body.arguments)) return error;
    if (scanner_.ConsumeText("->")) Until("{a");  // the types of results, which `return` has too
    if (scanner_.ConsumeWord("attributes")) Balanced();
    if (Error error = scanner_.Expect('{', "before the body of @" + function.name)) return error;
    if (Error error = Operations(function.body)) return error;
    SkipLocation();
    return function;
  }

  // Up to and with the '}'.
  Error Operations(Region& region) {
    if (++depth_ > kMostRegions) return scanner_.FailHere("regions are nested too deeply");
    if (scanner_.Consume('^')) {
      scanner_.Identifier();
      if (scanner_.Consume('(')) {
        if (Error error = Arguments(region.arguments)) return error;
      }
      if (Error error = scanner_.Expect(':', "after the arguments of a block")) return error;
    }
    while (!scanner_.Consume('}')) {
      if (scanner_.Peek() == '^') return scanner_.FailHere("expected a region of one block");
      auto operation = ReadOperation();
      if (!operation) return operation.takeError();
      region.operations.push_back(std::move(*operation));
    }
    --depth_;
    return Error::success();
  }

  // `%0:2 = `, `%a, %b = `, or nothing.
  Error Results(Operation& operation) {
    if (scanner_.Peek() != '%') return Error::success();
    do {
      auto name = Value();
      if (!name) return name.takeError();
      if (!scanner_.Consume(':')) {
        operation.results.push_back(*name);
        continue;
      }
      auto count = scanner_.Integer("a number of results");
      if (!count) return count.takeError();
      if (*count < 1 || *count > 100000) return scanner_.FailHere("no such number of results");
      for (int64_t k = 0; k < *count; ++k)
        operation.results.push_back(*name + "#" + std::to_string(k));
    } while (scanner_.Consume(','));
    return scanner_.Expect('=', "after the results");
  }

  Expected<Operation> ReadOperation() {
    Operation operation;
    if (Error error = Results(operation)) return error;
    scanner_.SkipSpace();
    operation.location = scanner_.LocationOf(scanner_.pos());
    const bool generic = scanner_.Peek() == '"';
    if (generic) {
      auto name = scanner_.String();
      if (!name) return name.takeError();
      operation.name = *name;
    } else {
      operation.name = scanner_.Identifier().str();
    }
    if (operation.name.empty()) return Unexpected("expected an operation or '}'");
    const StringRef name = operation.name;
    Error error = Error::success();
    if (!generic && name == "stablehlo.constant") {
      error = Constant(operation);
    } else if (!generic && name == "stablehlo.reduce") {
      error = Reduce(operation);
    } else if (!generic && name == "stablehlo.while") {
      error = While(operation);
    } else {
      error = Parts(operation);
    }
    if (error) return error;
    SkipLocation();
    return operation;
  }

  Error Constant(Operation& operation) {
    if (scanner_.Peek() == '{') Balanced();
    operation.attributes["value"] = Until(":").str();
    return Types(operation);
  }

  // `(%a init: %b), (%c init: %d) applies stablehlo.add across dimensions = [0] : types`, or with a
  // reducer behind the types.
  Error Reduce(Operation& operation) {
    std::vector<std::string> starts;
    do {
      if (Error error = scanner_.Expect('(', "before an operand")) return error;
      auto operand = Value();
      if (!operand) return operand.takeError();
      if (!scanner_.ConsumeWord("init")) return Unexpected("expected 'init'");
      if (Error error = scanner_.Expect(':', "after 'init'")) return error;
      auto start = Value();
      if (!start) return start.takeError();
      operation.operands.push_back(*operand);
      starts.push_back(*start);
      if (Error error = scanner_.Expect(')', "after an operand")) return error;
    } while (scanner_.Consume(','));
    operation.operands.insert(operation.operands.end(), starts.begin(), starts.end());
    if (scanner_.ConsumeWord("applies"))
      operation.attributes["applies"] = scanner_.Identifier().str();
    if (!scanner_.ConsumeWord("across")) return Unexpected("expected 'across dimensions = '");
    if (Error error = Parts(operation)) return error;
    if (operation.attributes.contains("applies")) return Error::success();
    if (!scanner_.ConsumeWord("reducer")) return Unexpected("expected 'reducer'");
    // Pairs of what there is so far and of what is new; a block has all of the first before.
    Region region;
    std::vector<Argument> added;
    while (scanner_.Consume('(')) {
      std::vector<Argument> pair;
      if (Error error = Arguments(pair)) return error;
      if (pair.size() != 2) return scanner_.FailHere("expected two arguments before this");
      region.arguments.push_back(pair[0]);
      added.push_back(pair[1]);
    }
    region.arguments.insert(region.arguments.end(), added.begin(), added.end());
    if (Error error = scanner_.Expect('{', "before the reducer")) return error;
    operation.regions.push_back(std::move(region));
    return Operations(operation.regions.back());
  }

  // `(%iterArg = %0, ..) : types cond { .. } do { .. }`
  Error While(Operation& operation) {
    if (Error error = scanner_.Expect('(', "before the values of a loop")) return error;
    std::vector<Argument> arguments;
    while (!scanner_.Consume(')')) {
      auto name = Value();
      if (!name) return name.takeError();
      if (Error error = scanner_.Expect('=', "after " + *name)) return error;
      auto operand = Value();
      if (!operand) return operand.takeError();
      arguments.push_back({*name, {}, {}});
      operation.operands.push_back(*operand);
      scanner_.Consume(',');
    }
    if (scanner_.Consume(':')) {
      if (Error error = Types(operation, /*after_colon=*/true)) return error;
    }
    if (operation.result_types.size() != arguments.size())
      return scanner_.FailHere("expected a type for each value of the loop before this");
    for (size_t k = 0; k < arguments.size(); ++k) arguments[k].type = operation.result_types[k];
    if (scanner_.ConsumeWord("attributes")) Balanced();
    for (StringRef word : {"cond", "do"}) {
      if (!scanner_.ConsumeWord(word)) return Unexpected("expected '" + word + "'");
      if (Error error = scanner_.Expect('{', "after '" + word + "'")) return error;
      operation.regions.push_back({arguments, {}});
      if (Error error = Operations(operation.regions.back())) return error;
    }
    return Error::success();
  }

  // `, name = value`, or a word that stands alone.
  Error Word(Operation& operation) {
    const std::string name = scanner_.Identifier().str();
    if (name.empty()) return Unexpected("expected an operand, an attribute or ':'");
    if (!scanner_.Consume('=')) {
      operation.words.push_back(name);
    } else if (scanner_.Peek() == '{') {
      operation.attributes[name] = Balanced().str();
    } else {
      operation.attributes[name] = Until(",:{").str();
    }
    return Error::success();
  }

  Error Regions(Operation& operation) {
    do {
      if (Error error = scanner_.Expect('{', "before a region")) return error;
      operation.regions.emplace_back();
      if (Error error = Operations(operation.regions.back())) return error;
    } while (scanner_.Consume(','));
    return scanner_.Expect(')', "after the regions");
  }

  // Operands, attributes and regions in any order, up to the types.
  Error Parts(Operation& operation) {
    while (true) {
      const char next = scanner_.Peek();
      if (next == '\0' || next == '}') return Error::success();  // `return` of nothing
      if (next == ':') return Types(operation);
      if (next == '%') {
        auto operand = Value();
        if (!operand) return operand.takeError();
        operation.operands.push_back(*operand);
      } else if (scanner_.Consume('(')) {
        if (scanner_.Peek() != '{') continue;
        if (Error error = Regions(operation)) return error;
      } else if (scanner_.Consume('@')) {
        operation.symbol = scanner_.Name().str();
      } else if (next == '[') {
        operation.attributes["ranges"] = Balanced().str();
      } else if (next == '<' && !scanner_.LooksAt("<{")) {
        operation.attributes["sharding"] = Balanced().str();
      } else if (next == '<' || next == '{') {
        if (Error error = Dictionary(next == '<' ? "<{" : "{", operation.attributes)) return error;
      } else if (!scanner_.Consume(',') && !scanner_.Consume(')')) {
        if (Error error = Word(operation)) return error;
      }
    }
  }

  Error TypeList(std::vector<Type>& types) {
    const bool closed = scanner_.Consume('(');
    if (closed && scanner_.Consume(')')) return Error::success();
    do {
      auto type = ReadType(scanner_);
      if (!type) return type.takeError();
      types.push_back(std::move(*type));
    } while (scanner_.Consume(','));
    return closed ? scanner_.Expect(')', "after the types") : Error::success();
  }

  // `: T`, `: T, T`, `: (T, T) -> T`, `: T -> (T, T)`. Without an arrow the types are those of the
  // results, or the last one is.
  Error Types(Operation& operation, bool after_colon = false) {
    if (!after_colon) {
      if (Error error = scanner_.Expect(':', "before the types")) return error;
    }
    if (Error error = TypeList(operation.operand_types)) return error;
    if (scanner_.ConsumeText("->")) return TypeList(operation.result_types);
    if (operation.results.empty()) return Error::success();
    operation.result_types = operation.operand_types;
    if (operation.results.size() == 1 && operation.result_types.size() > 1)
      operation.result_types = {operation.operand_types.back()};
    operation.operand_types.clear();
    return Error::success();
  }

  Scanner& scanner_;
  int depth_ = 0;
};

}  // namespace

Expected<Program> ReadProgram(Scanner& scanner) { return Reader(scanner).Read(); }

}  // namespace affirm::hlo::stablehlo
