// Access relations of broadcast, transpose and reverse, from XLA's operation semantics: each
// element of the result is one element of the operand.
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {

// Operand dimension j is output dimension dimensions[j].
OptionalRelation Broadcast(const AccessQuery& q) {
  const std::vector<int64_t>& dims = q.op.attributes.dimensions;
  if (static_cast<int64_t>(dims.size()) != q.in_rank()) return std::nullopt;
  std::vector<Formula> facts;
  for (int64_t j = 0; j < q.in_rank(); ++j) {
    if (dims[j] < 0 || dims[j] >= q.out_rank()) return std::nullopt;
    facts.push_back(Formula::Eq(q.In(j), q.Out(dims[j])));
  }
  return Where(q, std::move(facts));
}

// Output dimension i is operand dimension dimensions[i].
OptionalRelation Transpose(const AccessQuery& q) {
  const std::vector<int64_t>& dims = q.op.attributes.dimensions;
  if (static_cast<int64_t>(dims.size()) != q.out_rank()) return std::nullopt;
  std::vector<Formula> facts;
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    if (dims[i] < 0 || dims[i] >= q.in_rank()) return std::nullopt;
    facts.push_back(Formula::Eq(q.In(dims[i]), q.Out(i)));
  }
  return Where(q, std::move(facts));
}

// Along a reversed dimension the two indices add up to size - 1.
OptionalRelation Reverse(const AccessQuery& q) {
  if (q.input.dims != q.output.dims) return std::nullopt;
  std::vector<Formula> facts;
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    if (llvm::is_contained(q.op.attributes.dimensions, i)) {
      facts.push_back(Formula::Eq(q.In(i) + q.Out(i), q.Constant(q.output.dims[i] - 1)));
    } else {
      facts.push_back(Formula::Eq(q.In(i), q.Out(i)));
    }
  }
  return Where(q, std::move(facts));
}

}  // namespace affirm::hlo_semantics
