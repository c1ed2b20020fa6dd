// Access relations of elementwise ops, map included: the result reads the operand at its own index,
// (d0, d1) -> (d0, d1), and a scalar operand (the predicate of select, the bounds of clamp) at
// every index.
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {

OptionalRelation Elementwise(const AccessQuery& q) {
  if (q.input.dims == q.output.dims) return SameIndex(q);
  if (q.input.IsScalar()) return ReadsAll(q);
  return std::nullopt;
}

}  // namespace affirm::hlo_semantics
