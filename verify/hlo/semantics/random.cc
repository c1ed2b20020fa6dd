// Access relations of the random ops: rng and rng-bit-generator.
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {

// Every element reads the parameters of the distribution.
OptionalRelation Rng(const AccessQuery& q) {
  return q.input.IsScalar() ? OptionalRelation(ReadsAll(q)) : UpperBound(ReadsAll(q));
}

// How much of the state an element depends on is up to the algorithm.
OptionalRelation RngBitGenerator(const AccessQuery& q) { return UpperBound(ReadsAll(q)); }

}  // namespace affirm::hlo_semantics
