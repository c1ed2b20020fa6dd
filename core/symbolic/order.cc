// The structural order of expressions, which decides the order of terms in sums and in text.
#include <algorithm>

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
  if (int c = Sign(a.node()->order, b.node()->order)) return c;
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

// The class in the highest byte. Below it what decides next, as far as it fits: of a variable its
// kind and index, of a quotient and the like the order of the first operand.
uint64_t internal::OrderOf(const ExprNode& node) {
  constexpr int64_t kMaxIndex = (1 << 14) - 1;
  SymbolicExpr e(&node);
  const uint64_t term_class = static_cast<uint64_t>(TermClass(e)) << 56;
  if (e.kind() == ExprKind::kConstant || e.kind() == ExprKind::kAdd) return term_class;
  if (e.IsVariable()) {
    auto index = static_cast<uint64_t>(std::clamp<int64_t>(e.value(), 0, kMaxIndex));
    return term_class | static_cast<uint64_t>(e.var_kind()) << 54 | index << 40;
  }
  if (e.kind() != ExprKind::kMul) return term_class | e.op(0).node()->order >> 8;
  if (e.ops().size() > 1) return term_class;
  // A multiple follows its factor but for the class.
  return term_class | (e.op(0).node()->order & ~(uint64_t{0xff} << 56));
}

}  // namespace affirm
