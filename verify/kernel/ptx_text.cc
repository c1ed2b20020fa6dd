#include "verify/kernel/ptx_text.h"

#include "core/symbolic/error.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::kernel {
namespace {

class Parser {
 public:
  explicit Parser(llvm::StringRef text) : rest_(text) {}

  llvm::Expected<std::vector<PtxStatement>> Statements() {
    std::vector<PtxStatement> statements;
    for (Skip(); !rest_.empty(); Skip()) {
      if (Consume(";")) continue;
      llvm::StringRef begin = rest_;
      auto statement = Statement();
      if (!statement) return statement.takeError();
      statement->text = begin.drop_back(rest_.size()).rtrim("; \t\n").str();
      statements.push_back(std::move(*statement));
    }
    return statements;
  }

 private:
  void Skip() {
    while (true) {
      rest_ = rest_.ltrim();
      if (rest_.starts_with("//")) {
        rest_ = rest_.drop_until([](char c) { return c == '\n'; });
      } else {
        return;
      }
    }
  }
  bool Consume(llvm::StringRef what) {
    Skip();
    return rest_.consume_front(what);
  }
  llvm::Error Fail(const llvm::Twine& expected) {
    return MakeError("inline PTX is not read at '" + rest_.take_front(60) + "', expected " +
                     expected);
  }

  llvm::Expected<PtxStatement> Statement() {
    PtxStatement statement;
    if (Consume("@")) {
      statement.negated = Consume("!");
      auto predicate = Argument();
      if (!predicate) return predicate.takeError();
      statement.predicate = *predicate;
    }
    Skip();
    // The opcode: names and dots, and colons as in L1::evict_last.
    llvm::StringRef opcode = rest_.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '.' || c == '_' || c == ':'; });
    if (opcode.empty() || !llvm::isAlpha(opcode.front()) || opcode.ends_with(":")) {
      return Fail("an instruction");
    }
    rest_ = rest_.drop_front(opcode.size());
    llvm::SmallVector<llvm::StringRef> parts;
    opcode.split(parts, '.');
    for (llvm::StringRef part : parts) statement.opcode.push_back(part.str());
    while (!Consume(";")) {
      if (!statement.operands.empty() && !Consume(",")) return Fail("',' or ';'");
      auto operand = Operand();
      if (!operand) return operand.takeError();
      statement.operands.push_back(std::move(*operand));
      Skip();
      if (rest_.empty()) break;
    }
    return statement;
  }

  llvm::Expected<int> Argument() {
    Skip();
    int number = 0;
    const bool braced = rest_.consume_front("${");
    if (!braced && !rest_.consume_front("$")) return Fail("an operand $k");
    if (rest_.consumeInteger(10, number) || (braced && !rest_.consume_front("}"))) {
      return Fail("the number of an operand");
    }
    return number;
  }

  llvm::Expected<int64_t> Integer() {
    Skip();
    const bool negative = rest_.consume_front("-");
    uint64_t value = 0;
    llvm::StringRef digits = rest_;
    if (digits.consumeInteger(0, value)) return Fail("a number");
    digits.consume_front("U");
    rest_ = digits;
    return static_cast<int64_t>(negative ? 0 - value : value);
  }

  llvm::Expected<PtxOperand> Operand() {
    PtxOperand operand;
    if (Consume("{")) {
      operand.kind = PtxOperand::kVector;
      while (true) {
        Skip();
        if (rest_.starts_with("{")) return Fail("an element, as vectors have none inside");
        auto element = Operand();
        if (!element) return element.takeError();
        operand.elements.push_back(std::move(*element));
        if (Consume("}")) return operand;
        if (!Consume(",")) return Fail("',' or '}'");
      }
    }
    if (Consume("[")) {
      operand.kind = PtxOperand::kAddress;
      auto base = Argument();
      if (!base) return base.takeError();
      operand.argument = *base;
      if (Consume("+")) {
        auto offset = Integer();
        if (!offset) return offset.takeError();
        operand.immediate = *offset;
      }
      if (!Consume("]")) return Fail("']'");
      return operand;
    }
    Skip();
    if (rest_.starts_with("$")) {
      operand.kind = PtxOperand::kArgument;
      auto argument = Argument();
      if (!argument) return argument.takeError();
      operand.argument = *argument;
      return operand;
    }
    auto value = Integer();
    if (!value) return value.takeError();
    operand.immediate = *value;
    return operand;
  }

  llvm::StringRef rest_;
};

}  // namespace

llvm::Expected<std::vector<PtxStatement>> ParsePtx(llvm::StringRef text) {
  return Parser(text).Statements();
}

}  // namespace affirm::kernel
