// Printing of expressions.
#include "core/symbolic/text.h"

namespace affirm {
namespace {

enum Precedence { kSum = 1, kProduct = 2, kPrimary = 3 };

class Printer {
 public:
  Printer(llvm::raw_ostream& os, VariableNamer namer) : os_(os), namer_(namer) {}

  // Prints `e` so that it stands as an operand where at least `context` binding strength is needed.
  void Operand(SymbolicExpr e, Precedence context) {
    bool parens = Strength(e) < context;
    if (parens) os_ << '(';
    Bare(e);
    if (parens) os_ << ')';
  }

 private:
  static Precedence Strength(SymbolicExpr e) {
    switch (e.kind()) {
      case ExprKind::kConstant:
      case ExprKind::kVariable:
      case ExprKind::kMin:
      case ExprKind::kMax:
        return kPrimary;
      case ExprKind::kAdd:
        return kSum;
      default:
        return kProduct;
    }
  }

  static bool IsNegation(SymbolicExpr e) {
    return e.kind() == ExprKind::kMul && e.value() == -1 && e.ops().size() == 1;
  }

  void Bare(SymbolicExpr e) {
    switch (e.kind()) {
      case ExprKind::kConstant:
        os_ << e.value();
        return;
      case ExprKind::kVariable:
        os_ << namer_(e.var_kind(), e.value());
        return;
      case ExprKind::kAdd:
        return Sum(e);
      case ExprKind::kMul:
        return Product(e, e.value());
      case ExprKind::kFloorDiv:
        return Infix(e, " floordiv ");
      case ExprKind::kCeilDiv:
        return Infix(e, " ceildiv ");
      case ExprKind::kMod:
        return Infix(e, " mod ");
      case ExprKind::kMin:
        return Call(e, "min(");
      case ExprKind::kMax:
        return Call(e, "max(");
    }
  }

  void Sum(SymbolicExpr e) {
    bool first = true;
    for (SymbolicExpr term : e.ops()) {
      // A negative coefficient becomes a minus, save the one that has no positive counterpart.
      bool minus =
          !first && term.kind() == ExprKind::kMul && term.value() < 0 && term.value() != kInt64Min;
      if (!first) os_ << (minus ? " - " : " + ");
      if (minus) {
        Product(term, -term.value());
      } else {
        Operand(term, kProduct);
      }
      first = false;
    }
    if (e.value() == 0) return;
    if (e.value() < 0 && e.value() != kInt64Min) {
      os_ << " - " << -e.value();
    } else {
      os_ << " + " << e.value();
    }
  }

  // The factors, then the coefficient.
  void Product(SymbolicExpr e, int64_t coefficient) {
    if (e.ops().size() == 1 && coefficient == 1) return Operand(e.op(0), kProduct);
    if (e.ops().size() == 1 && coefficient == -1) {
      os_ << '-';
      return Operand(e.op(0), kPrimary);
    }
    bool first = true;
    for (SymbolicExpr op : e.ops()) {
      if (!first) os_ << " * ";
      Operand(op, kPrimary);
      first = false;
    }
    if (coefficient != 1) os_ << " * " << coefficient;
  }

  void Infix(SymbolicExpr e, const char* op) {
    // -x binds to its primary, so a negated numerator needs no parentheses.
    Operand(e.op(0), IsNegation(e.op(0)) ? kProduct : kPrimary);
    os_ << op;
    Operand(e.op(1), kPrimary);
  }

  // XLA's min and max take two arguments: min(a, min(b, c)).
  void Call(SymbolicExpr e, const char* name) {
    for (size_t i = 0; i + 1 < e.ops().size(); ++i) {
      os_ << name;
      Operand(e.op(i), kSum);
      os_ << ", ";
    }
    Operand(e.ops().back(), kSum);
    os_ << std::string(e.ops().size() - 1, ')');
  }

  llvm::raw_ostream& os_;
  VariableNamer namer_;
};

}  // namespace

std::string DefaultVariableName(VarKind kind, int64_t index) {
  const char* prefix = kind == VarKind::kDim ? "d" : kind == VarKind::kRange ? "s" : "rt";
  return prefix + std::to_string(index);
}

void Print(SymbolicExpr e, llvm::raw_ostream& os, VariableNamer namer) {
  Printer(os, namer).Operand(e, kSum);
}

}  // namespace affirm
