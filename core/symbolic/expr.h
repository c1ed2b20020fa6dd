// SymbolicExpr: an immutable, hash-consed integer expression over the variables of a map.
//
//   Context context;
//   SymbolicExpr d0 = context.Dim(0), s0 = context.Range(0);
//   SymbolicExpr e = (d0 * 8 + s0).FloorDiv(4) - d0;  // (d0 * 8 + s0) floordiv 4 - d0
//   e.Evaluate({2}, {5}).value;                       // 21 floordiv 4 - 2 = 3
//
// Values are mathematical integers. Sums and products are n-ary and kept in ring normal form by the
// constructors: nested sums are flattened, constants folded, like terms collected, a constant
// factor is distributed over a sum, and the terms stand in one fixed order. That is all the
// constructors do; every other rewrite is a named rule of core/simplify. Where a folded constant
// would leave int64 the constructor keeps the operands apart instead, so nothing ever wraps.
//
// Layout of a node (one shape for all kinds):
//   kConstant                  value
//   kVariable                  var_kind, value = index
//   kAdd      ops[0..n)        sum of ops, plus value
//   kMul      ops[0..n)        product of ops, times value (the coefficient, not 0; n >= 1)
//   kFloorDiv, kCeilDiv, kMod  ops = {numerator, divisor}
//   kMin, kMax                 ops[0..n), n >= 2, no two the same, in order
// Terms of a sum are variables, products and the other kinds, never kAdd nor (unless the sum of
// two constants leaves int64) kConstant.
#ifndef AFFIRM_CORE_SYMBOLIC_EXPR_H_
#define AFFIRM_CORE_SYMBOLIC_EXPR_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/symbolic/checked.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm {

class Context;

enum class ExprKind : uint8_t {
  kConstant,
  kVariable,
  kAdd,
  kMul,
  kFloorDiv,
  kCeilDiv,
  kMod,
  kMin,
  kMax,
};

// Which argument list of a map a variable belongs to. In (d0, d1)[s0, s1]{rt0} the dims are d0 and
// d1, the range variables s0 and s1, and the only runtime variable is rt0.
enum class VarKind : uint8_t { kDim, kRange, kRuntime };

namespace internal {
struct ExprNode;
}

class SymbolicExpr {
 public:
  SymbolicExpr() = default;
  explicit SymbolicExpr(const internal::ExprNode* node) : node_(node) {}

  // A null expression is the answer to an ill-formed request (a division by the constant zero, mod
  // by a constant that is not positive, an operand that is null). It propagates through every
  // constructor.
  explicit operator bool() const { return node_ != nullptr; }

  ExprKind kind() const;
  Context* context() const;
  // Dense, in order of creation within the context. For side tables only; never for ordering.
  uint32_t id() const;
  // kConstant: the value. kAdd: the constant summand. kMul: the coefficient. kVariable: the index.
  int64_t value() const;
  VarKind var_kind() const;  // kVariable only
  llvm::ArrayRef<SymbolicExpr> ops() const;
  SymbolicExpr op(unsigned i) const { return ops()[i]; }
  // Nodes of the expression as a tree, saturating at 2^32 - 1.
  uint32_t size() const;
  // Longest path to a leaf; 0 for a leaf.
  uint32_t depth() const;

  bool IsConstant() const { return kind() == ExprKind::kConstant; }
  bool IsConstant(int64_t v) const { return IsConstant() && value() == v; }
  bool IsVariable() const { return kind() == ExprKind::kVariable; }
  // A coefficient times one other term.
  bool IsMultiple() const { return kind() == ExprKind::kMul && ops().size() == 1; }
  // True when any variable / the given kind of variable occurs.
  bool HasVariables() const;
  bool HasVariables(VarKind kind) const;
  bool Uses(VarKind kind, int64_t index) const;
  // A set of variables as 64 bits: expressions that share a variable share a bit (not always the
  // other way).
  uint64_t VariableBits() const;

  // Splits coefficient * rest; {1, *this} for anything but a kMul or a constant ({value, 1}).
  std::pair<int64_t, SymbolicExpr> SplitCoefficient() const;

  // Identity is equality, since nodes are hash-consed (same context).
  friend bool operator==(SymbolicExpr a, SymbolicExpr b) { return a.node_ == b.node_; }

  // Calls `fn` for every node, operands before users, each distinct node once.
  void Walk(llvm::function_ref<void(SymbolicExpr)> fn) const;

  // The value for the given arguments, or an error text: an index out of range, a division by
  // zero, a modulus that is not positive, or a value that leaves 128 bits (result: 64 bits).
  struct Value {
    std::optional<int64_t> value;
    const char* error = nullptr;
  };
  Value Evaluate(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> ranges = {},
                 llvm::ArrayRef<int64_t> runtime = {}) const;
  // The same without narrowing to int64; nullopt where Evaluate says something else than that the
  // value leaves int64.
  std::optional<int128> EvaluateWide(llvm::ArrayRef<int64_t> dims,
                                     llvm::ArrayRef<int64_t> ranges = {},
                                     llvm::ArrayRef<int64_t> runtime = {}) const;

  // Replaces variables by what `fn` returns for them (a null answer keeps the variable).
  using Substitution = llvm::function_ref<SymbolicExpr(VarKind, int64_t)>;
  SymbolicExpr Substitute(Substitution fn) const;
  // Replaces every occurrence of the node `from`.
  SymbolicExpr Replace(SymbolicExpr from, SymbolicExpr to) const;

  // Field-standard sugar; each builds in the context of the operands.
  SymbolicExpr operator+(SymbolicExpr o) const;
  SymbolicExpr operator-(SymbolicExpr o) const;
  SymbolicExpr operator*(SymbolicExpr o) const;
  SymbolicExpr operator-() const;
  SymbolicExpr operator+(int64_t c) const;
  SymbolicExpr operator-(int64_t c) const;
  SymbolicExpr operator*(int64_t c) const;
  SymbolicExpr FloorDiv(SymbolicExpr o) const;
  SymbolicExpr FloorDiv(int64_t c) const;
  SymbolicExpr CeilDiv(SymbolicExpr o) const;
  SymbolicExpr CeilDiv(int64_t c) const;
  SymbolicExpr Mod(SymbolicExpr o) const;
  SymbolicExpr Mod(int64_t c) const;
  SymbolicExpr Min(SymbolicExpr o) const;
  SymbolicExpr Min(int64_t c) const;
  SymbolicExpr Max(SymbolicExpr o) const;
  SymbolicExpr Max(int64_t c) const;

  // The same by the names that XLA gives them, `/` for the quotient that is rounded down:
  //   SymbolicExpr v0 = CreateSymbolicVariable(0, context), v1 = CreateSymbolicVariable(1,
  //   context); SymbolicExpr e = (((v0 + 42) * v1.min(2).max(0)) / 2).ceilDiv(2); e.Evaluate({5,
  //   1}).value;  // 12
  SymbolicExpr operator/(SymbolicExpr o) const { return FloorDiv(o); }
  SymbolicExpr operator/(int64_t c) const { return FloorDiv(c); }
  SymbolicExpr operator%(SymbolicExpr o) const { return Mod(o); }
  SymbolicExpr operator%(int64_t c) const { return Mod(c); }
  SymbolicExpr floorDiv(SymbolicExpr o) const { return FloorDiv(o); }
  SymbolicExpr floorDiv(int64_t c) const { return FloorDiv(c); }
  SymbolicExpr ceilDiv(SymbolicExpr o) const { return CeilDiv(o); }
  SymbolicExpr ceilDiv(int64_t c) const { return CeilDiv(c); }
  SymbolicExpr min(SymbolicExpr o) const { return Min(o); }
  SymbolicExpr min(int64_t c) const { return Min(c); }
  SymbolicExpr max(SymbolicExpr o) const { return Max(o); }
  SymbolicExpr max(int64_t c) const { return Max(c); }

  // Text with variables named d0, s0, rt0.
  std::string ToString() const;

  const internal::ExprNode* node() const { return node_; }

 private:
  const internal::ExprNode* node_ = nullptr;
};

// A total order on expressions of one context that depends on structure only, not on creation
// order. It is the order in which the terms of a sum print: variables with a coefficient other than
// +-1, other variables, products, floordiv, ceildiv, mod, min, max.
int Compare(SymbolicExpr a, SymbolicExpr b);
inline bool Less(SymbolicExpr a, SymbolicExpr b);

namespace internal {
// ExprNode::order of a node whose other members are set.
uint64_t OrderOf(const ExprNode& node);

struct ExprNode {
  ExprKind kind;
  VarKind var_kind;
  uint8_t var_mask;  // bit k: a variable of VarKind k occurs
  uint32_t id;
  uint32_t num_ops;
  uint32_t size;
  uint32_t depth;
  uint64_t hash;
  uint64_t order;  // nodes with different ones compare as these do
  uint64_t var_bits;
  int64_t value;
  Context* context;
  const SymbolicExpr* ops;
};
}  // namespace internal

inline ExprKind SymbolicExpr::kind() const { return node_->kind; }
inline Context* SymbolicExpr::context() const { return node_->context; }
inline uint32_t SymbolicExpr::id() const { return node_->id; }
inline int64_t SymbolicExpr::value() const { return node_->value; }
inline VarKind SymbolicExpr::var_kind() const { return node_->var_kind; }
inline llvm::ArrayRef<SymbolicExpr> SymbolicExpr::ops() const {
  return {node_->ops, node_->num_ops};
}
inline uint32_t SymbolicExpr::size() const { return node_->size; }
inline uint32_t SymbolicExpr::depth() const { return node_->depth; }
inline bool Less(SymbolicExpr a, SymbolicExpr b) {
  uint64_t x = a.node()->order, y = b.node()->order;
  return x != y ? x < y : Compare(a, b) < 0;
}
inline uint64_t SymbolicExpr::VariableBits() const { return node_->var_bits; }
// The constant factor of a sum's term; of a constant that is a term, all of it.
inline int64_t CoefficientOf(SymbolicExpr term) {
  return term.kind() == ExprKind::kMul || term.IsConstant() ? term.value() : 1;
}
inline bool SymbolicExpr::HasVariables() const { return node_->var_mask != 0; }
inline bool SymbolicExpr::HasVariables(VarKind kind) const {
  return node_->var_mask & (1u << static_cast<unsigned>(kind));
}

}  // namespace affirm

namespace llvm {
template <>
struct DenseMapInfo<affirm::SymbolicExpr> {
  using Ptr = DenseMapInfo<const void*>;
  static affirm::SymbolicExpr getEmptyKey() {
    return affirm::SymbolicExpr(static_cast<const affirm::internal::ExprNode*>(Ptr::getEmptyKey()));
  }
  static affirm::SymbolicExpr getTombstoneKey() {
    return affirm::SymbolicExpr(
        static_cast<const affirm::internal::ExprNode*>(Ptr::getTombstoneKey()));
  }
  static unsigned getHashValue(affirm::SymbolicExpr e) { return Ptr::getHashValue(e.node()); }
  static bool isEqual(affirm::SymbolicExpr a, affirm::SymbolicExpr b) { return a == b; }
};
}  // namespace llvm

#endif  // AFFIRM_CORE_SYMBOLIC_EXPR_H_
