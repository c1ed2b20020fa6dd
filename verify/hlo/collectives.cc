// Collectives, as seen within one operand: which elements of it, on whatever replica, an element of
// the result needs.
#include <utility>

#include "verify/hlo/meanings.h"

namespace affirm::meaning {

Answer SamePlace(const Query& q) {
  return q.operand == q.output_id ? SameIndex(q) : Answer(Nothing(q));
}

// The replicas' operands stand one behind the other along one dimension.
Answer AllGather(const Query& q) {
  if (q.operand != q.output_id) return Nothing(q);
  const std::vector<int64_t>& dims = q.op.attributes.dimensions;
  if (dims.size() != 1 || dims[0] < 0 || dims[0] >= q.out_rank() || q.in_rank() != q.out_rank()) {
    return std::nullopt;
  }
  std::vector<Formula> facts;
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    SymbolicExpr out = q.Out(i);
    if (i == dims[0]) {
      int64_t size = q.input.dims[i];
      if (size <= 0) return std::nullopt;
      out = out.Mod(size);
    }
    facts.push_back(Formula::Eq(q.In(i), out));
  }
  return All(q, std::move(facts));
}

}  // namespace affirm::meaning
