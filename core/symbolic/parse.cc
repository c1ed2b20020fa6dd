// Reading of expressions by recursive descent.
#include <algorithm>

#include "core/symbolic/lexer.h"
#include "core/symbolic/text.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm {
namespace {

constexpr int kMaxNesting = 1000;

// Each function reads what its name says and stands at the token behind it then; null after a
// problem.
class ExprParser {
 public:
  ExprParser(Lexer& lexer, Context& context, VariableLookup lookup,
             std::vector<ReadDivisor>* divisors, ReadProblem& problem)
      : lexer_(lexer), context_(context), lookup_(lookup), divisors_(divisors), problem_(problem) {}

  SymbolicExpr Sum() {
    if (++depth_ > kMaxNesting) return TooDeep();
    SymbolicExpr first = Product();
    if (first && !lexer_.Is('+') && !lexer_.Is('-')) {
      --depth_;
      return first;
    }
    llvm::SmallVector<SymbolicExpr, 8> terms;
    int highest = 0;
    for (SymbolicExpr term = first; term; term = Term()) {
      highest = std::max(highest, height_);
      terms.push_back(term);
      if (lexer_.Is('+') || lexer_.Is('-')) continue;
      --depth_;
      height_ = highest + 1;
      return context_.Add(terms);
    }
    return {};
  }

 private:
  SymbolicExpr Fail(size_t at, std::string message) {
    problem_ = {at, std::move(message)};
    return {};
  }
  SymbolicExpr TooDeep() { return Fail(lexer_.at(), "the expression is nested too deeply"); }

  // A product behind its plus or minus.
  SymbolicExpr Term() {
    const bool minus = lexer_.Is('-');
    lexer_.Next();
    SymbolicExpr term = Product();
    return term && minus ? -term : term;
  }

  // Factors between other operators are multiplied at once, so that a product reads back as it was.
  SymbolicExpr Product() {
    SymbolicExpr lhs = Unary();
    while (lhs) {
      const int height = height_;
      if (height >= kMaxNesting) return TooDeep();
      if (lexer_.Is('*')) {
        lhs = Factors(lhs);
        continue;
      }
      const std::optional<ExprKind> op = QuotientOperator();
      if (!op) break;
      lexer_.Next();
      lhs = Quotient(*op, lhs);
      height_ = std::max(height, height_) + 1;
    }
    return lhs;
  }

  SymbolicExpr Factors(SymbolicExpr first) {
    llvm::SmallVector<SymbolicExpr, 4> factors{first};
    int highest = height_;
    while (lexer_.Take('*')) {
      SymbolicExpr factor = Unary();
      if (!factor) return {};
      highest = std::max(highest, height_);
      factors.push_back(factor);
    }
    height_ = highest + 1;
    return context_.Mul(factors);
  }

  std::optional<ExprKind> QuotientOperator() const {
    if (lexer_.Is('/')) return ExprKind::kFloorDiv;
    if (lexer_.Is('%')) return ExprKind::kMod;
    if (!lexer_.Is(Lexer::kWord)) return std::nullopt;
    const llvm::StringRef word = lexer_.token();
    switch (word.size()) {
      case 3:
        if (word == "mod") return ExprKind::kMod;
        break;
      case 7:
        if (word == "ceildiv" || word == "ceilDiv") return ExprKind::kCeilDiv;
        break;
      case 8:
        if (word == "floordiv" || word == "floorDiv") return ExprKind::kFloorDiv;
        break;
      default:
        break;
    }
    return std::nullopt;
  }

  SymbolicExpr Quotient(ExprKind op, SymbolicExpr lhs) {
    const size_t at = lexer_.at();
    SymbolicExpr rhs = Unary();
    if (!rhs) return {};
    if (rhs.IsConstant(0)) return Fail(at, "division by zero; the divisor must be nonzero");
    if (op == ExprKind::kMod && rhs.IsConstant() && rhs.value() < 0)
      return Fail(at, "the modulus is negative; it must be positive");
    if (divisors_ && !rhs.IsConstant()) divisors_->push_back({rhs, op == ExprKind::kMod});
    return op == ExprKind::kFloorDiv  ? context_.FloorDiv(lhs, rhs)
           : op == ExprKind::kCeilDiv ? context_.CeilDiv(lhs, rhs)
                                      : context_.Mod(lhs, rhs);
  }

  SymbolicExpr Unary() {
    bool minus = false;
    // A signed literal is read whole, so that the least int64 is in reach.
    while (lexer_.Is('-') && !lexer_.IsSign()) {
      lexer_.Next();
      minus = !minus;
    }
    SymbolicExpr e = Primary();
    return e && minus ? -e : e;
  }

  SymbolicExpr Primary() {
    if (lexer_.Is(Lexer::kWord)) return VariableOrFunction();
    if (lexer_.Is(Lexer::kNumber) || lexer_.Is('-')) return Number();
    if (lexer_.Is(Lexer::kArrow)) return Fail(lexer_.at(), "expected an integer");
    if (!lexer_.Is('(')) return Fail(lexer_.at(), "expected an expression");
    lexer_.Next();
    SymbolicExpr e = Sum();
    if (!e || lexer_.Take(')')) return e;
    return Fail(lexer_.at(), "expected ')' to close the parenthesis");
  }

  SymbolicExpr VariableOrFunction() {
    const size_t at = lexer_.at();
    const llvm::StringRef name = lexer_.token();
    lexer_.Next();
    if (lexer_.Is('(') && (name == "min" || name == "max")) return MinMax(name);
    height_ = 1;
    if (SymbolicExpr e = lookup_(name)) return e;
    return Fail(at, "unknown variable '" + name.str() + "'");
  }

  // A number, and the variable that follows it at once, as in 100d0.
  SymbolicExpr Number() {
    const std::optional<int64_t> value = lexer_.TakeInteger();
    if (!value) return Fail(lexer_.at(), "the integer leaves 64 bits");
    height_ = 1;
    const bool letter = lexer_.Is(Lexer::kWord) && lexer_.IsAdjacent() &&
                        lexer_.token().front() != '_' && lexer_.token().front() != '.';
    SymbolicExpr variable = letter ? lookup_(lexer_.token()) : SymbolicExpr();
    if (!variable) return context_.Constant(*value);
    lexer_.Next();
    height_ = 2;
    return variable * *value;
  }

  SymbolicExpr MinMax(llvm::StringRef name) {
    llvm::SmallVector<SymbolicExpr, 4> ops;
    int highest = 0;
    do {
      lexer_.Next();
      SymbolicExpr e = Sum();
      if (!e) return {};
      highest = std::max(highest, height_);
      ops.push_back(e);
    } while (lexer_.Is(','));
    height_ = highest + 1;
    if (!lexer_.Take(')'))
      return Fail(lexer_.at(), "expected ')' after the arguments of " + name.str());
    return name == "min" ? context_.Min(ops) : context_.Max(ops);
  }

  Lexer& lexer_;
  Context& context_;
  VariableLookup lookup_;
  std::vector<ReadDivisor>* divisors_;
  ReadProblem& problem_;
  int depth_ = 0;   // of brackets that are open
  int height_ = 0;  // of what was read last, as it is written: a / b / c is ((a / b) / c)
};

}  // namespace

SymbolicExpr ParseExpr(Lexer& lexer, Context& context, VariableLookup lookup,
                       std::vector<ReadDivisor>* divisors, ReadProblem& problem) {
  return ExprParser(lexer, context, lookup, divisors, problem).Sum();
}

llvm::Expected<SymbolicExpr> ParseExpr(TextCursor& cursor, Context& context, VariableLookup lookup,
                                       std::vector<ReadDivisor>* divisors) {
  Lexer lexer(cursor);
  ReadProblem problem;
  SymbolicExpr e = ParseExpr(lexer, context, lookup, divisors, problem);
  if (!e) return cursor.ErrorAt(problem.at, problem.message);
  cursor.set_offset(lexer.at());
  return e;
}

}  // namespace affirm
