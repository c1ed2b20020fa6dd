// Access relations of the random ops: rng and rng-bit-generator.
#include "verify/hlo/meanings.h"

namespace affirm::meaning {

// Every element reads the parameters of the distribution.
OptionalRelation Rng(const AccessQuery& q) {
  return q.input.IsScalar() ? OptionalRelation(Everything(q)) : AtMost(Everything(q));
}

// How much of the state an element depends on is up to the algorithm.
OptionalRelation RngBitGenerator(const AccessQuery& q) { return AtMost(Everything(q)); }

}  // namespace affirm::meaning
