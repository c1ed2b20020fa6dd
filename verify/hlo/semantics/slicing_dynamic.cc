// Access relations of dynamic-slice and dynamic-update-slice. The starts are runtime values,
// clamped so that the slice stays inside: (d0) -> (d0 + rt0), rt0 in [0, size - slice size].
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {
namespace {

// Adds the start along each dimension as a runtime value in [0, sizes - slice]. The starts are the
// operands from `first` on: a scalar for each dimension, or one vector of them all.
std::optional<std::vector<SymbolicExpr>> AddStarts(const AccessQuery& q, int64_t first,
                                                   llvm::ArrayRef<int64_t> sizes,
                                                   llvm::ArrayRef<int64_t> slice,
                                                   AccessRelation& relation) {
  size_t count = q.op.operands.size() - static_cast<size_t>(first);
  bool vector = count == 1 && q.op.operands[first]->shape.rank() == 1;
  if ((!vector && count != sizes.size()) || sizes.size() != slice.size()) return std::nullopt;
  if (vector && q.op.operands[first]->shape.dims[0] != static_cast<int64_t>(sizes.size())) {
    return std::nullopt;
  }
  std::vector<SymbolicExpr> starts;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const hlo::Instruction& producer = *q.op.operands[first + (vector ? 0 : i)];
    std::vector<SymbolicExpr> producer_index;
    if (vector) producer_index.push_back(q.Constant(static_cast<int64_t>(i)));
    if (!vector && !producer.shape.IsScalar()) return std::nullopt;
    starts.push_back(
        AddRuntimeOperand(q, relation, producer, std::move(producer_index), sizes[i] - slice[i]));
  }
  return starts;
}

}  // namespace

OptionalRelation DynamicSlice(const AccessQuery& q) {
  if (q.operand > 0) return ReadsAll(q);  // every element depends on every start
  if (q.in_rank() != q.out_rank()) return std::nullopt;
  AccessRelation r = ReadsAll(q);
  auto starts = AddStarts(q, 1, q.input.dims, q.output.dims, r);
  if (!starts) return std::nullopt;
  std::vector<Formula> facts;
  facts.reserve(q.out_rank());
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    facts.push_back(Formula::Eq(q.In(i), q.Out(i) + (*starts)[i]));
  }
  r.reads = Formula::And(std::move(facts));
  return r;
}

// Inside the window an element comes from the update, outside from the operand.
OptionalRelation DynamicUpdateSlice(const AccessQuery& q) {
  if (q.operand > 1) return ReadsAll(q);
  const std::vector<int64_t>& window = q.op.operands[1]->shape.dims;
  if (q.in_rank() != q.out_rank() || q.op.operands[0]->shape.dims != q.output.dims) {
    return std::nullopt;
  }
  AccessRelation r = ReadsAll(q);
  auto starts = AddStarts(q, 2, q.output.dims, window, r);
  if (!starts) return std::nullopt;
  std::vector<Formula> same, inside;
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    SymbolicExpr offset = q.Out(i) - (*starts)[i];
    inside.push_back(Formula::In(offset, {0, window[i] - 1}));
    same.push_back(Formula::Eq(q.In(i), q.operand == 0 ? q.Out(i) : offset));
  }
  Formula in_window = Formula::And(std::move(inside));
  same.push_back(q.operand == 0 ? Formula::Not(in_window) : in_window);
  r.reads = Formula::And(std::move(same));
  return r;
}

}  // namespace affirm::hlo_semantics
