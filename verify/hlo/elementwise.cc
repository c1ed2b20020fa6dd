// Elementwise ops: the operand's element at the same index; a scalar operand (the predicate of
// select, the bounds of clamp) whatever the index.
#include "verify/hlo/meanings.h"

namespace affirm::meaning {

Answer Elementwise(const Query& q) {
  if (q.input.dims == q.output.dims) return SameIndex(q);
  if (q.input.IsScalar()) return Everything(q);
  return std::nullopt;
}

}  // namespace affirm::meaning
