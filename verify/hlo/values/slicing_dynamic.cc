// dynamic-slice and dynamic-update-slice, whose starts are clamped so that the whole slice lies
// inside.
#include "verify/hlo/values/op_values.h"

namespace affirm::hlo_values {

namespace {

// The start of a slice of `sizes` of operand 0. The start indices are the operands from `first` on:
// scalars, or one vector.
llvm::Expected<Index> Starts(const Query& q, int64_t first, llvm::ArrayRef<int64_t> sizes) {
  const bool vector =
      q.op.operands.size() == static_cast<size_t>(first) + 1 && q.operand(first).rank() == 1;
  Index starts;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t k = vector ? first : first + static_cast<int64_t>(d);
    Index at;
    if (vector) at.push_back(q.pool().Number(static_cast<int64_t>(d)));
    Value start = q.Operand(k, at);
    if (!start) return start.takeError();
    starts.push_back(ClampedStart(q.scope(), terms::IntegerIn(q.scope(), *start, q.operand(k).type),
                                  q.operand(0).dims[d] - sizes[d]));
  }
  return starts;
}

}  // namespace

Term ClampedStart(Scope& scope, Term x, int64_t limit) {
  Pool& pool = scope.pool();
  return scope.Min(scope.Max(x, pool.Number(0)), pool.Number(limit));
}

Value DynamicSlice(const Query& q) {
  auto index = Starts(q, 1, q.op.shape.dims);
  if (!index) return index.takeError();
  for (size_t d = 0; d < index->size(); ++d) (*index)[d] = q.pool().Add((*index)[d], q.index[d]);
  return q.Operand(0, *index);
}

Value DynamicUpdateSlice(const Query& q) {
  Pool& pool = q.pool();
  const std::vector<int64_t>& sizes = q.operand(1).dims;
  auto starts = Starts(q, 2, sizes);
  if (!starts) return starts.takeError();
  Index index;
  std::vector<Term> conditions;
  for (size_t d = 0; d < sizes.size(); ++d) {
    index.push_back(pool.Subtract(q.index[d], (*starts)[d]));
    conditions.push_back(Within(pool, index[d], pool.Number(0), pool.Number(sizes[d] - 1)));
  }
  return q.Choose(
      pool.And(conditions), [&] { return q.Operand(1, index); },
      [&] { return q.Operand(0, q.index); });
}

}  // namespace affirm::hlo_values
