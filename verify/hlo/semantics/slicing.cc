// Access relations of slice, pad and concatenate, and of get- and set-dimension-size. For
// dynamic-slice and dynamic-update-slice see slicing_dynamic.cc.
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {

// (d0) -> (d0 * stride + start) along each dimension.
OptionalRelation Slice(const AccessQuery& q) {
  const auto& slice = q.op.attributes.slice;
  if (static_cast<int64_t>(slice.size()) != q.out_rank() || q.in_rank() != q.out_rank()) {
    return std::nullopt;
  }
  std::vector<Formula> facts;
  facts.reserve(q.out_rank());
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    facts.push_back(Formula::Eq(q.In(i), q.Out(i) * slice[i].stride + slice[i].start));
  }
  return Where(q, std::move(facts));
}

// Element j of the operand lands at low + j * (interior + 1); the padding value is read where
// nothing lands.
OptionalRelation Pad(const AccessQuery& q) {
  const auto& padding = q.op.attributes.padding;
  const std::vector<int64_t>& sizes = q.op.operands[0]->shape.dims;
  if (static_cast<int64_t>(padding.size()) != q.out_rank() || sizes.size() != padding.size()) {
    return std::nullopt;
  }
  std::vector<Formula> facts;
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    if (padding[i].interior < 0) return std::nullopt;
    int64_t step = padding[i].interior + 1;
    SymbolicExpr from_low = q.Out(i) - padding[i].low;
    if (q.operand == 0) {
      facts.push_back(Formula::Eq(q.In(i) * step, from_low));
    } else {
      facts.push_back(Formula::Eq(from_low.Mod(step), q.Constant(0)));
      facts.push_back(Formula::In(from_low.FloorDiv(step), {0, sizes[i] - 1}));
    }
  }
  if (q.operand == 0) return Where(q, std::move(facts));
  return Where(q, {Formula::Not(Formula::And(std::move(facts)))});
}

// The operands lie one behind the other along one dimension: (d0) -> (d0 - sizes before).
OptionalRelation Concatenate(const AccessQuery& q) {
  const std::vector<int64_t>& dims = q.op.attributes.dimensions;
  if (dims.size() != 1 || dims[0] < 0 || dims[0] >= q.out_rank() || q.in_rank() != q.out_rank()) {
    return std::nullopt;
  }
  int64_t along = dims[0], before = 0;
  for (int64_t k = 0; k < q.operand; ++k) {
    if (q.op.operands[k]->shape.rank() != q.out_rank()) return std::nullopt;
    before += q.op.operands[k]->shape.dims[along];
  }
  std::vector<Formula> facts;
  facts.reserve(q.out_rank());
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    facts.push_back(Formula::Eq(q.In(i) + (i == along ? before : 0), q.Out(i)));
  }
  return Where(q, std::move(facts));
}

// The size is known to the runtime without reading an element.
OptionalRelation GetDimensionSize(const AccessQuery& q) { return ReadsNothing(q); }

OptionalRelation SetDimensionSize(const AccessQuery& q) {
  if (q.operand == 0) return SameIndex(q);
  return q.input.IsScalar() ? OptionalRelation(ReadsAll(q)) : std::nullopt;
}

}  // namespace affirm::hlo_semantics
