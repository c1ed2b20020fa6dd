// The structural order of expressions.
#include "core/symbolic/expr.h"

namespace affirm {
namespace {

// Where a term stands in a sum (see expr.h).
int TermClass(SymbolicExpr e) {
  switch (e.kind()) {
    case ExprKind::kVariable:
      return 1;
    case ExprKind::kMul:
      if (e.ops().size() > 1) return 2;
      if (e.op(0).IsVariable()) return e.value() == -1 ? 1 : 0;
      return TermClass(e.op(0));
    case ExprKind::kFloorDiv:
      return 3;
    case ExprKind::kCeilDiv:
      return 4;
    case ExprKind::kMod:
      return 5;
    case ExprKind::kMin:
      return 6;
    case ExprKind::kMax:
      return 7;
    case ExprKind::kAdd:
      return 8;
    case ExprKind::kConstant:
      return 9;
  }
  return 9;
}

template <typename T>
int Sign(T a, T b) {
  return a < b ? -1 : (a > b ? 1 : 0);
}

// The factors of a term without its coefficient.
llvm::ArrayRef<SymbolicExpr> Factors(const SymbolicExpr& e) {
  return e.kind() == ExprKind::kMul ? e.ops() : llvm::ArrayRef<SymbolicExpr>(e);
}

int CompareLists(llvm::ArrayRef<SymbolicExpr> a, llvm::ArrayRef<SymbolicExpr> b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (int c = Compare(a[i], b[i])) return c;
  }
  return Sign(a.size(), b.size());
}

// Both of one kind, neither a product.
int CompareSameKind(SymbolicExpr a, SymbolicExpr b) {
  switch (a.kind()) {
    case ExprKind::kConstant:
      return Sign(a.value(), b.value());
    case ExprKind::kVariable:
      if (a.var_kind() != b.var_kind()) return Sign(a.var_kind(), b.var_kind());
      return Sign(a.value(), b.value());
    default:
      if (int c = CompareLists(a.ops(), b.ops())) return c;
      return Sign(a.value(), b.value());
  }
}

}  // namespace

int Compare(SymbolicExpr a, SymbolicExpr b) {
  if (a == b) return 0;
  if (int c = Sign(TermClass(a), TermClass(b))) return c;
  llvm::ArrayRef<SymbolicExpr> fa = Factors(a), fb = Factors(b);
  if (fa.size() == 1 && fb.size() == 1 && fa[0].kind() == fb[0].kind() &&
      fa[0].kind() != ExprKind::kMul) {
    if (int c = CompareSameKind(fa[0], fb[0])) return c;
  } else if (int c = CompareLists(fa, fb)) {
    return c;
  }
  // The same factors: the coefficients differ, or one is a bare factor and the other a product.
  int64_t ca = a.kind() == ExprKind::kMul ? a.value() : 1;
  int64_t cb = b.kind() == ExprKind::kMul ? b.value() : 1;
  return Sign(ca, cb);
}

}  // namespace affirm
