// gather and scatter. Index vectors say where a window of the operand starts: of a gather the
// starts are clamped so that the window lies inside, of a scatter a window that does not lie inside
// is left out.
#include <algorithm>

#include "verify/hlo/values/op_values.h"

namespace affirm::hlo_values {

namespace {

// The starts that an index array gives, in the words of gather.
struct StartIndices {
  const Query& q;
  int64_t operand;  // the number of the operand that holds the indices
  int64_t index_vector_dim;
  llvm::ArrayRef<int64_t> start_index_map, operand_batching, indices_batching;

  // The start in each dimension of an operand, as it is written; zero where nothing is. `batch` is
  // the index into the index array without the dimension of the index vectors.
  llvm::Expected<Index> At(llvm::ArrayRef<Term> batch, int64_t rank) const {
    Pool& pool = q.pool();
    Index starts(rank, pool.Number(0));
    for (size_t k = 0; k < start_index_map.size(); ++k) {
      Index index = batch.vec();
      if (index_vector_dim < q.operand(operand).rank())
        index.insert(index.begin() + index_vector_dim, pool.Number(static_cast<int64_t>(k)));
      Value start = q.Operand(operand, index);
      if (!start) return start.takeError();
      starts[start_index_map[k]] = terms::IntegerIn(q.scope(), *start, q.operand(operand).type);
    }
    for (size_t k = 0; k < operand_batching.size(); ++k) {
      // Behind the dimension of the vectors, dimensions of the index array move up in the batch.
      const int64_t d = indices_batching[k];
      starts[operand_batching[k]] = batch[d > index_vector_dim ? d - 1 : d];
    }
    return starts;
  }
};

// The dimensions of a rank that are in none of the lists, rising.
std::vector<int64_t> Others(int64_t rank, llvm::ArrayRef<int64_t> a,
                            llvm::ArrayRef<int64_t> b = {}) {
  std::vector<int64_t> others;
  for (int64_t d = 0; d < rank; ++d) {
    if (!llvm::is_contained(a, d) && !llvm::is_contained(b, d)) others.push_back(d);
  }
  return others;
}

Index Chosen(llvm::ArrayRef<Term> index, llvm::ArrayRef<int64_t> dims) {
  Index chosen;
  for (int64_t d : dims) chosen.push_back(index[d]);
  return chosen;
}

}  // namespace

Value Gather(const Query& q) {
  const hlo::Attributes& a = q.op.attributes;
  const std::vector<int64_t>& sizes = q.operand(0).dims;
  const StartIndices starts{q,
                            1,
                            a.index_vector_dim,
                            a.start_index_map,
                            a.operand_batching_dims,
                            a.start_indices_batching_dims};
  auto index =
      starts.At(Chosen(q.index, Others(q.op.shape.rank(), a.offset_dims)), std::ssize(sizes));
  if (!index) return index.takeError();
  for (size_t d = 0; d < sizes.size(); ++d)
    (*index)[d] = ClampedStart(q.scope(), (*index)[d], sizes[d] - a.slice_sizes[d]);
  const std::vector<int64_t> window =
      Others(std::ssize(sizes), a.collapsed_slice_dims, a.operand_batching_dims);
  for (size_t k = 0; k < window.size(); ++k)
    (*index)[window[k]] = q.pool().Add((*index)[window[k]], q.index[a.offset_dims[k]]);
  return q.Operand(0, *index);
}

llvm::Expected<ScatterParts> PartsOfScatter(const Query& q, llvm::ArrayRef<Term> update_index) {
  Pool& pool = q.pool();
  const hlo::Attributes& a = q.op.attributes;
  const int64_t arity = std::ssize(q.op.operands) / 2;
  const std::vector<int64_t>& sizes = q.operand(0).dims;
  const hlo::Shape& update = q.operand(arity + 1);
  const StartIndices starts{q,
                            arity,
                            a.index_vector_dim,
                            a.scatter_dims_to_operand_dims,
                            a.input_batching_dims,
                            a.scatter_indices_batching_dims};
  auto index = starts.At(Chosen(update_index, Others(update.rank(), a.update_window_dims)),
                         std::ssize(sizes));
  if (!index) return index.takeError();
  const std::vector<int64_t> window =
      Others(std::ssize(sizes), a.inserted_window_dims, a.input_batching_dims);
  std::vector<int64_t> extents(sizes.size(), 1);
  Index offsets(sizes.size(), pool.Number(0));
  for (size_t k = 0; k < window.size(); ++k) {
    extents[window[k]] = update.dims[a.update_window_dims[k]];
    offsets[window[k]] = update_index[a.update_window_dims[k]];
  }
  ScatterParts parts{.combiner = q.op.called[0]};
  std::vector<Term> conditions;
  for (size_t d = 0; d < sizes.size(); ++d) {
    Term start = (*index)[d], last = pool.Number(terms::Int128{sizes[d]} - extents[d]);
    conditions.push_back(Within(pool, start, pool.Number(0), last));
    parts.target.push_back(pool.Add(start, offsets[d]));
  }
  parts.inside = q.scope().Simplify(pool.And(conditions));
  for (int64_t k = 0; k < arity; ++k) {
    Value value = q.Operand(arity + 1 + k, update_index);
    if (!value) return value.takeError();
    parts.updates.push_back(*value);
  }
  return parts;
}

// The operand's element, combined with a fold over all elements of the updates of those that go
// there. What other combiners give depends on an order, which HLO leaves open.
Value Scatter(const Query& q) {
  Pool& pool = q.pool();
  const int64_t arity = std::ssize(q.op.operands) / 2;
  if (SimpleCombiner(*q.op.called[0], q.leaf) == hlo::Opcode::kUnknown) return NoValueTerm(q.op);
  Value operand = q.Operand(q.leaf, q.index);
  if (!operand) return operand;
  const std::vector<int64_t>& sizes = q.operand(arity + 1).dims;
  if (llvm::is_contained(sizes, 0)) return operand;
  Index at;
  std::vector<Term> variables;
  for (size_t d = 0; d < sizes.size(); ++d) {
    at.push_back(q.Variable(static_cast<int64_t>(d), sizes[d]));
    if (sizes[d] > 1) variables.push_back(at.back());
  }
  auto parts = PartsOfScatter(q, at);
  if (!parts) return parts.takeError();
  std::vector<Term> conditions = {parts->inside};
  for (size_t d = 0; d < parts->target.size(); ++d)
    conditions.push_back(pool.Equal(parts->target[d], q.index[d]));
  ReduceParts fold{.variables = variables,
                   .condition = q.scope().Simplify(pool.And(conditions)),
                   .inits = std::vector<Term>(arity, *operand),
                   .values = parts->updates,
                   .combiner = parts->combiner};
  return Folded(q, fold);
}

}  // namespace affirm::hlo_values
