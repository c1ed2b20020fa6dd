// scatter. Windows of the updates are combined into the operand at starts that the indices give;
// a window that does not lie within the operand is left out.
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/meanings.h"

namespace affirm::meaning {
namespace {

// The place of indices dimension `dim` among the dimensions of the indices that do not hold the
// index vector.
int64_t BatchPlace(int64_t dim, int64_t vector_dim) { return dim > vector_dim ? dim - 1 : dim; }

// Which update elements may land on a result element: along a dimension that the index vectors
// say nothing about the two must meet.
Answer Updates(const Query& q, llvm::ArrayRef<int64_t> array) {
  const hlo::Attributes& a = q.op.attributes;
  std::vector<int64_t> window = a.update_window_dims;
  llvm::sort(window);
  std::vector<SymbolicExpr> batch;
  for (int64_t i = 0; i < q.in_rank(); ++i) {
    if (!llvm::is_contained(window, i)) batch.push_back(q.In(i));
  }
  std::vector<Formula> facts;
  size_t next = 0;
  for (int64_t j = 0; j < static_cast<int64_t>(array.size()); ++j) {
    auto paired = llvm::find(a.input_batching_dims, j);
    if (paired != a.input_batching_dims.end()) {
      size_t pair = paired - a.input_batching_dims.begin();
      if (pair >= a.scatter_indices_batching_dims.size()) return std::nullopt;
      int64_t at = BatchPlace(a.scatter_indices_batching_dims[pair], a.index_vector_dim);
      if (at < 0 || at >= static_cast<int64_t>(batch.size())) return std::nullopt;
      facts.push_back(Formula::Eq(q.Out(j), batch[at]));
      continue;
    }
    SymbolicExpr offset = q.Constant(0);
    if (!llvm::is_contained(a.inserted_window_dims, j)) {
      if (next == window.size() || window[next] >= q.in_rank()) return std::nullopt;
      offset = q.In(window[next++]);
    }
    bool placed = llvm::is_contained(a.scatter_dims_to_operand_dims, j);
    if (!placed) facts.push_back(Formula::Eq(q.Out(j), offset));
  }
  return All(q, std::move(facts));
}

}  // namespace

// Operands: arrays, indices, as many updates. Results combine alike.
Answer Scatter(const Query& q) {
  int64_t arrays = static_cast<int64_t>(q.op.operands.size()) / 2;
  if (arrays == 0 || q.op.operands.size() % 2 == 0) return std::nullopt;
  if (q.operand < arrays) return AtMost(SameIndex(q));
  if (q.operand == arrays) return AtMost(Everything(q));
  return AtMost(Updates(q, q.op.operands[0]->shape.dims));
}

}  // namespace affirm::meaning
