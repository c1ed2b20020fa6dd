// Access relations of gather and scatter. A gather takes slices of the operand at starts that the
// indices give, clamped so that the slices stay inside. A scatter combines windows of the updates
// into the operand at such starts; a window that does not lie within the operand is left out.
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {
namespace {

// The index into the index array for an element of the result: the result's batch coordinates, in
// order, with `component` at the dimension of the index vectors.
std::optional<std::vector<SymbolicExpr>> IndexVectorAt(const AccessQuery& q,
                                                       SymbolicExpr component) {
  const hlo::Attributes& a = q.op.attributes;
  std::vector<SymbolicExpr> batch;
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    if (!llvm::is_contained(a.offset_dims, i)) batch.push_back(q.Out(i));
  }
  std::vector<SymbolicExpr> producer_index;
  size_t next = 0;
  for (int64_t i = 0; i < q.op.operands[1]->shape.rank(); ++i) {
    if (i == a.index_vector_dim) {
      producer_index.push_back(component);
    } else if (next < batch.size()) {
      producer_index.push_back(batch[next++]);
    } else {
      return std::nullopt;
    }
  }
  if (next != batch.size()) return std::nullopt;
  return producer_index;
}

// An element of the result reads every component of its index vector.
OptionalRelation Indices(const AccessQuery& q) {
  SymbolicExpr none = q.Constant(-1);
  auto producer_index = IndexVectorAt(q, none);
  if (!producer_index) return std::nullopt;
  std::vector<Formula> facts;
  for (size_t i = 0; i < producer_index->size(); ++i) {
    if ((*producer_index)[i] == none) continue;
    facts.push_back(Formula::Eq(q.In(static_cast<int64_t>(i)), (*producer_index)[i]));
  }
  return Where(q, std::move(facts));
}

}  // namespace

OptionalRelation Gather(const AccessQuery& q) {
  if (q.operand == 1) return Indices(q);
  const hlo::Attributes& a = q.op.attributes;
  if (static_cast<int64_t>(a.slice_sizes.size()) != q.in_rank() ||
      a.operand_batching_dims.size() != a.start_indices_batching_dims.size()) {
    return std::nullopt;
  }
  AccessRelation r = ReadsAll(q);
  // The index along each operand dimension: the start, plus the offset within the slice, plus the
  // batch coordinate.
  std::vector<SymbolicExpr> at(q.in_rank(), q.Constant(0));
  for (size_t k = 0; k < a.start_index_map.size(); ++k) {
    int64_t dim = a.start_index_map[k];
    if (dim < 0 || dim >= q.in_rank()) return std::nullopt;
    auto producer_index = IndexVectorAt(q, q.Constant(static_cast<int64_t>(k)));
    if (!producer_index) return std::nullopt;
    int64_t limit = q.input.dims[dim] - a.slice_sizes[dim];
    at[dim] =
        at[dim] + AddRuntimeOperand(q, r, *q.op.operands[1], std::move(*producer_index), limit);
  }
  auto producer_index = IndexVectorAt(q, q.Constant(0));
  if (!producer_index) return std::nullopt;
  for (size_t p = 0; p < a.operand_batching_dims.size(); ++p) {
    int64_t dim = a.operand_batching_dims[p], from = a.start_indices_batching_dims[p];
    if (dim < 0 || dim >= q.in_rank() || from < 0) return std::nullopt;
    if (from >= static_cast<int64_t>(producer_index->size())) return std::nullopt;
    at[dim] = at[dim] + (*producer_index)[from];
  }
  // offset_dims are the output dimensions that run over the slice, in increasing order.
  std::vector<int64_t> offsets = a.offset_dims;
  llvm::sort(offsets);
  size_t next = 0;
  for (int64_t j = 0; j < q.in_rank(); ++j) {
    if (llvm::is_contained(a.collapsed_slice_dims, j)) continue;
    if (llvm::is_contained(a.operand_batching_dims, j)) continue;
    if (next == offsets.size() || offsets[next] < 0 || offsets[next] >= q.out_rank()) {
      return std::nullopt;
    }
    at[j] = at[j] + q.Out(offsets[next++]);
  }
  std::vector<Formula> facts;
  facts.reserve(q.in_rank());
  for (int64_t j = 0; j < q.in_rank(); ++j) facts.push_back(Formula::Eq(q.In(j), at[j]));
  r.reads = Formula::And(std::move(facts));
  return r;
}

namespace {

// The number of dimension `dim` of the index array among its batch dimensions, that is, among those
// that do not hold the index vector.
int64_t BatchDimension(int64_t dim, int64_t vector_dim) { return dim > vector_dim ? dim - 1 : dim; }

// Which update elements may land on an element of the result: where the index vectors do not say,
// along a dimension, where the window starts, the window's offset is the result's coordinate.
OptionalRelation Updates(const AccessQuery& q, llvm::ArrayRef<int64_t> array) {
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
      int64_t at = BatchDimension(a.scatter_indices_batching_dims[pair], a.index_vector_dim);
      if (at < 0 || at >= static_cast<int64_t>(batch.size())) return std::nullopt;
      facts.push_back(Formula::Eq(q.Out(j), batch[at]));
      continue;
    }
    SymbolicExpr offset = q.Constant(0);
    if (!llvm::is_contained(a.inserted_window_dims, j)) {
      if (next == window.size() || window[next] >= q.in_rank()) return std::nullopt;
      offset = q.In(window[next++]);
    }
    bool is_indexed = llvm::is_contained(a.scatter_dims_to_operand_dims, j);
    if (!is_indexed) facts.push_back(Formula::Eq(q.Out(j), offset));
  }
  return Where(q, std::move(facts));
}

}  // namespace

// The operands are n arrays, the indices and n updates; every result reads all n of each alike.
OptionalRelation Scatter(const AccessQuery& q) {
  int64_t arrays = static_cast<int64_t>(q.op.operands.size()) / 2;
  if (arrays == 0 || q.op.operands.size() % 2 == 0) return std::nullopt;
  if (q.operand < arrays) return UpperBound(SameIndex(q));
  if (q.operand == arrays) return UpperBound(ReadsAll(q));
  return UpperBound(Updates(q, q.op.operands[0]->shape.dims));
}

}  // namespace affirm::hlo_semantics
