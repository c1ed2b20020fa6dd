// Access relations of the random ops: rng and rng-bit-generator.
#include "verify/hlo/meanings.h"

namespace affirm::meaning {

// Every element reads the parameters of the distribution.
Answer Rng(const Query& q) {
  return q.input.IsScalar() ? Answer(Everything(q)) : AtMost(Everything(q));
}

// How much of the state an element depends on is up to the algorithm.
Answer RngBitGenerator(const Query& q) { return AtMost(Everything(q)); }

}  // namespace affirm::meaning
