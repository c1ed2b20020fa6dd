// Index expressions as MLIR operations on values of type index.
#ifndef AFFIRM_EMIT_ELEMENTS_INDEX_EMITTER_H_
#define AFFIRM_EMIT_ELEMENTS_INDEX_EMITTER_H_

#include <vector>

#include "core/indexing/indexing_map.h"
#include "emit/elements/scalar.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm::emit {

// Emits expressions whose dims are index values of one function, as affirm.apply_indexing. An
// expression is computed once per block; blocks nest, and Enter / Leave must follow the nesting of
// the regions that are built.
class IndexEmitter {
 public:
  explicit IndexEmitter(Builder& b) : b_(b), blocks_(1) {}

  void Enter() { blocks_.emplace_back(); }
  void Leave() { blocks_.pop_back(); }
  void SetDim(int64_t dim, mlir::Value value);

  // The value of `e`. `domain` says what is known of the dims here; what concerns the dims of `e`
  // alone goes into the map.
  mlir::Value Emit(SymbolicExpr e, const IndexingMap& domain);
  // `lower <= e <= upper` as i1; infinite ends ask nothing, nor does a lower end that the domain
  // implies.
  mlir::Value EmitWithin(SymbolicExpr e, Interval bounds, const IndexingMap& domain);

 private:
  mlir::Value Build(SymbolicExpr e, const IndexingMap& domain);

  Builder& b_;
  std::vector<mlir::Value> dims_;
  std::vector<llvm::DenseMap<SymbolicExpr, mlir::Value>> blocks_;
};

// An element of an integer array as an index, clamped to `bounds`.
mlir::Value ClampedIndex(Builder& b, mlir::Value element, hlo::PrimitiveType type, Interval bounds);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_ELEMENTS_INDEX_EMITTER_H_
