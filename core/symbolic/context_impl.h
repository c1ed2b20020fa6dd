// The storage behind a Context. Internal to core/symbolic.
#ifndef AFFIRM_CORE_SYMBOLIC_CONTEXT_IMPL_H_
#define AFFIRM_CORE_SYMBOLIC_CONTEXT_IMPL_H_

#include <memory>
#include <utility>
#include <vector>

#include "core/symbolic/context.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Compiler.h"

namespace affirm {

using ExprList = llvm::SmallVector<SymbolicExpr, 8>;

inline constexpr int64_t kCachedConstants = 64;  // constants in [-64, 64] without a lookup
inline constexpr int64_t kCachedVariables = 16;

// A coefficient or constant whose total leaves int64 is split into several terms of the sum, all
// but the last of which are the limit itself.
inline bool IsLimit(int64_t c) { return c == kInt64Max || c == kInt64Min; }

// SplitCoefficient, with the usual cases in place.
inline std::pair<int64_t, SymbolicExpr> CoefficientAndRest(SymbolicExpr term) {
  if (term.kind() != ExprKind::kMul && !term.IsConstant()) return {1, term};
  if (term.ops().size() == 1) return {term.value(), term.op(0)};
  return term.SplitCoefficient();
}

inline bool AnyNull(llvm::ArrayRef<SymbolicExpr> ops) {
  for (SymbolicExpr e : ops) {
    if (!e) return true;
  }
  return false;
}

struct Context::Impl {
  explicit Impl(Context* owner) : context(owner) {}

  Context* context;
  llvm::BumpPtrAllocator arena;
  std::vector<const internal::ExprNode*> table{
      std::vector<const internal::ExprNode*>(1024, nullptr)};
  uint32_t count = 0;
  SymbolicExpr constants[2 * kCachedConstants + 1];
  SymbolicExpr variables[3][kCachedVariables];
  std::vector<std::pair<const void*, std::unique_ptr<Extension>>> extensions;

  SymbolicExpr Make(ExprKind kind, int64_t value, llvm::ArrayRef<SymbolicExpr> ops,
                    VarKind var_kind = VarKind::kDim);
  // Out of line, as most expressions exist already.
  LLVM_ATTRIBUTE_NOINLINE SymbolicExpr Create(ExprKind kind, int64_t value,
                                              llvm::ArrayRef<SymbolicExpr> ops, VarKind var_kind,
                                              uint64_t hash, size_t place);
  void Grow();
  // Context::Add for any number of terms and coefficients of any size.
  SymbolicExpr AddMany(llvm::ArrayRef<SymbolicExpr> operands, int64_t summand);
};

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_CONTEXT_IMPL_H_
