// Access relations of sort and topk.
#include <utility>

#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {

// Any element of a row may be sorted to any position in it, and the comparator sees all operands.
OptionalRelation Sort(const AccessQuery& q) {
  const std::vector<int64_t>& dims = q.op.attributes.dimensions;
  if (q.input.dims != q.output.dims || dims.size() != 1) return std::nullopt;
  std::vector<Formula> facts;
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    if (i != dims[0]) facts.push_back(Formula::Eq(q.In(i), q.Out(i)));
  }
  return Where(q, std::move(facts));
}

// The results are the values and the positions of the largest elements of each row of the last
// dimension; any element of the row may be among them.
OptionalRelation TopK(const AccessQuery& q) {
  if (q.in_rank() != q.out_rank() || q.in_rank() == 0) return std::nullopt;
  std::vector<Formula> facts;
  for (int64_t i = 0; i + 1 < q.out_rank(); ++i) {
    facts.push_back(Formula::Eq(q.In(i), q.Out(i)));
  }
  return UpperBound(Where(q, std::move(facts)));
}

}  // namespace affirm::hlo_semantics
