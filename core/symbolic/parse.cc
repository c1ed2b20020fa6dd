// Reading of expressions by recursive descent.
#include "core/symbolic/error.h"
#include "core/symbolic/text.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

namespace affirm {
namespace {

constexpr int kMaxNesting = 1000;

class ExprParser {
 public:
  ExprParser(TextCursor& cursor, Context& context, VariableLookup lookup,
             std::vector<ReadDivisor>* divisors)
      : cursor_(cursor), context_(context), lookup_(lookup), divisors_(divisors) {}

  llvm::Expected<SymbolicExpr> Sum() {
    if (++depth_ > kMaxNesting) return TooDeep();
    llvm::SmallVector<SymbolicExpr, 8> terms;
    bool minus = false;
    int highest = 0;
    do {
      auto term = Product();
      if (!term) return term;
      highest = std::max(highest, height_);
      terms.push_back(minus ? -*term : *term);
      if (cursor_.Consume("+")) {
        minus = false;
      } else if (!cursor_.LooksAt("->") && cursor_.Consume("-")) {
        minus = true;
      } else {
        break;
      }
    } while (true);
    --depth_;
    height_ = highest + (terms.size() > 1 ? 1 : 0);
    return terms.size() == 1 ? terms[0] : context_.Add(terms);
  }

 private:
  llvm::Error TooDeep() { return cursor_.Error("the expression is nested too deeply"); }

  // Factors between other operators are multiplied at once, so that a product reads back as it was.
  llvm::Expected<SymbolicExpr> Product() {
    auto lhs = Unary();
    while (lhs) {
      const int height = height_;
      if (height >= kMaxNesting) return TooDeep();
      if (cursor_.Consume("*")) {
        llvm::SmallVector<SymbolicExpr, 4> factors{*lhs};
        int highest = height;
        do {
          auto factor = Unary();
          if (!factor) return factor;
          highest = std::max(highest, height_);
          factors.push_back(*factor);
        } while (cursor_.Consume("*"));
        lhs = context_.Mul(factors);
        height_ = highest + 1;
        continue;
      }
      ExprKind op;
      if (cursor_.Consume("floordiv") || cursor_.Consume("floorDiv") || cursor_.Consume("/")) {
        op = ExprKind::kFloorDiv;
      } else if (cursor_.Consume("ceildiv") || cursor_.Consume("ceilDiv")) {
        op = ExprKind::kCeilDiv;
      } else if (cursor_.Consume("mod") || cursor_.Consume("%")) {
        op = ExprKind::kMod;
      } else {
        break;
      }
      lhs = Quotient(op, *lhs);
      height_ = std::max(height, height_) + 1;
    }
    return lhs;
  }

  llvm::Expected<SymbolicExpr> Quotient(ExprKind op, SymbolicExpr lhs) {
    cursor_.SkipSpace();
    size_t at = cursor_.offset();
    auto rhs = Unary();
    if (!rhs) return rhs;
    if (rhs->IsConstant(0)) {
      return cursor_.ErrorAt(at, "division by zero; the divisor must be nonzero");
    }
    if (op == ExprKind::kMod && rhs->IsConstant() && rhs->value() < 0) {
      return cursor_.ErrorAt(at, "the modulus is negative; it must be positive");
    }
    if (divisors_ && !rhs->IsConstant()) divisors_->push_back({*rhs, op == ExprKind::kMod});
    return op == ExprKind::kFloorDiv  ? context_.FloorDiv(lhs, *rhs)
           : op == ExprKind::kCeilDiv ? context_.CeilDiv(lhs, *rhs)
                                      : context_.Mod(lhs, *rhs);
  }

  llvm::Expected<SymbolicExpr> Unary() {
    bool minus = false;
    while (!cursor_.LooksAt("->") && cursor_.LooksAt("-")) {
      // A signed literal is read whole, so that the least int64 is in reach.
      char next = cursor_.text().drop_front(cursor_.offset() + 1).empty()
                      ? 0
                      : cursor_.text()[cursor_.offset() + 1];
      if (std::isdigit(static_cast<unsigned char>(next))) break;
      cursor_.Consume("-");
      minus = !minus;
    }
    auto e = Primary();
    if (!e) return e;
    return minus ? -*e : *e;
  }

  llvm::Expected<SymbolicExpr> Primary() {
    char c = cursor_.Peek();
    if (c == '(') {
      cursor_.Consume("(");
      auto e = Sum();
      if (!e) return e;
      if (auto err = cursor_.Expect(")", "to close the parenthesis")) return err;
      return e;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '-') {
      auto v = cursor_.Integer();
      if (!v) return v.takeError();
      height_ = 1;
      SymbolicExpr factor = AdjacentVariable();
      if (!factor) return context_.Constant(*v);
      height_ = 2;
      return factor * *v;
    }
    size_t at = cursor_.offset();
    llvm::StringRef name = cursor_.Identifier();
    if (name.empty()) return cursor_.Error("expected an expression");
    if ((name == "min" || name == "max") && cursor_.Consume("(")) return MinMax(name);
    height_ = 1;
    if (SymbolicExpr e = lookup_(name)) return e;
    return cursor_.ErrorAt(at, "unknown variable '" + name + "'");
  }

  // The variable that follows a number at once, as in 100d0; null when none does.
  SymbolicExpr AdjacentVariable() {
    size_t at = cursor_.offset();
    llvm::StringRef rest = cursor_.text().drop_front(at);
    if (rest.empty() || !std::isalpha(static_cast<unsigned char>(rest.front()))) return {};
    SymbolicExpr variable = lookup_(cursor_.Identifier());
    if (!variable) cursor_.set_offset(at);
    return variable;
  }

  llvm::Expected<SymbolicExpr> MinMax(llvm::StringRef name) {
    llvm::SmallVector<SymbolicExpr, 4> ops;
    int highest = 0;
    do {
      auto e = Sum();
      if (!e) return e;
      highest = std::max(highest, height_);
      ops.push_back(*e);
    } while (cursor_.Consume(","));
    height_ = highest + 1;
    if (auto err = cursor_.Expect(")", "after the arguments of " + name.str())) {
      return err;
    }
    return name == "min" ? context_.Min(ops) : context_.Max(ops);
  }

  TextCursor& cursor_;
  Context& context_;
  VariableLookup lookup_;
  std::vector<ReadDivisor>* divisors_;
  int depth_ = 0;   // of brackets that are open
  int height_ = 0;  // of what was read last, as it is written: a / b / c is ((a / b) / c)
};

}  // namespace

llvm::Expected<SymbolicExpr> ParseExpr(TextCursor& cursor, Context& context, VariableLookup lookup,
                                       std::vector<ReadDivisor>* divisors) {
  return ExprParser(cursor, context, lookup, divisors).Sum();
}

}  // namespace affirm
