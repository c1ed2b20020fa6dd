// Index expressions as arithmetic on `index`.
#ifndef AFFIRM_EMIT_INDEX_EMITTER_H_
#define AFFIRM_EMIT_INDEX_EMITTER_H_

#include <vector>

#include "core/indexing/indexing_map.h"
#include "emit/scalar.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm::emit {

// Emits expressions whose dims are index values of one function. An expression is computed once per
// block; blocks nest, and Enter / Leave must follow the nesting of the regions that are built.
class IndexEmitter {
 public:
  explicit IndexEmitter(Builder& b) : b_(b), blocks_(1) {}

  void Enter() { blocks_.emplace_back(); }
  void Leave() { blocks_.pop_back(); }
  void SetDim(int64_t dim, mlir::Value value);

  // The value of `e`. `domain` says what is known of the dims here: divisions of what it proves
  // nonnegative are plain, the others round as floordiv, ceildiv and mod do.
  mlir::Value Emit(SymbolicExpr e, const IndexingMap& domain);
  // `lower <= e <= upper` as i1; infinite ends ask nothing.
  mlir::Value EmitWithin(SymbolicExpr e, Interval bounds, const IndexingMap& domain);

 private:
  mlir::Value Build(SymbolicExpr e, const IndexingMap& domain);
  mlir::Value FloorDiv(mlir::Value n, mlir::Value d, bool simple);
  mlir::Value Mod(mlir::Value n, mlir::Value m, bool simple);

  Builder& b_;
  std::vector<mlir::Value> dims_;
  std::vector<llvm::DenseMap<SymbolicExpr, mlir::Value>> blocks_;
};

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_INDEX_EMITTER_H_
