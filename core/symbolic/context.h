// Context: owns and uniques expressions.
//
// Expressions live as long as their context. A context is used by one thread at a time; parallel
// work uses one context per thread.
#ifndef AFFIRM_CORE_SYMBOLIC_CONTEXT_H_
#define AFFIRM_CORE_SYMBOLIC_CONTEXT_H_

#include <cstdint>
#include <memory>

#include "core/symbolic/expr.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm {

class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  SymbolicExpr Constant(int64_t v);
  SymbolicExpr Variable(VarKind kind, int64_t index);
  SymbolicExpr Dim(int64_t i) { return Variable(VarKind::kDim, i); }
  SymbolicExpr Range(int64_t i) { return Variable(VarKind::kRange, i); }
  SymbolicExpr Runtime(int64_t i) { return Variable(VarKind::kRuntime, i); }

  SymbolicExpr Add(llvm::ArrayRef<SymbolicExpr> ops, int64_t constant = 0);
  // The sum of `terms` and `constant`, where `terms` are some of one sum's operands in the order in
  // which they stand there. Quicker than Add.
  SymbolicExpr PartOfSum(llvm::ArrayRef<SymbolicExpr> terms, int64_t constant);
  SymbolicExpr Mul(llvm::ArrayRef<SymbolicExpr> ops);
  // coefficient * e
  SymbolicExpr Scale(SymbolicExpr e, int64_t coefficient);
  SymbolicExpr FloorDiv(SymbolicExpr a, SymbolicExpr b);
  SymbolicExpr CeilDiv(SymbolicExpr a, SymbolicExpr b);
  SymbolicExpr Mod(SymbolicExpr a, SymbolicExpr m);
  SymbolicExpr Min(llvm::ArrayRef<SymbolicExpr> ops);
  SymbolicExpr Max(llvm::ArrayRef<SymbolicExpr> ops);
  // Rebuilds `like` over new operands, through the constructors above.
  SymbolicExpr Rebuild(SymbolicExpr like, llvm::ArrayRef<SymbolicExpr> ops);

  // Working storage that a user of the context keeps with it between calls, found by the address of
  // a key. The context owns it; null until it is set.
  struct Extension {
    virtual ~Extension() = default;
  };
  Extension* extension(const void* key) const;
  void set_extension(const void* key, std::unique_ptr<Extension> extension);

  // How many distinct expressions exist: the bound for ids.
  uint32_t NumExprs() const;

 private:
  friend class SymbolicExpr;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The variable with this id, by XLA's name. What it stands for is said by a map: a dim, or a symbol
// where the id is past the dims (SymbolicMap::Get). Without a map it prints as d0, d1, ...
inline SymbolicExpr CreateSymbolicVariable(int64_t variable_id, Context& context) {
  return context.Dim(variable_id);
}
inline SymbolicExpr CreateSymbolicConstant(int64_t value, Context& context) {
  return context.Constant(value);
}

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_CONTEXT_H_
