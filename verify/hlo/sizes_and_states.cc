// Ops that look at sizes or at the state of a generator.
#include "verify/hlo/meanings.h"

namespace affirm::meaning {

// The parameters of the distribution hold for every element.
Answer Rng(const Query& q) {
  return q.input.IsScalar() ? Answer(Everything(q)) : AtMost(Everything(q));
}

// How much of the state an element takes is the algorithm's choice.
Answer RngBitGenerator(const Query& q) { return AtMost(Everything(q)); }

// A size is no element.
Answer GetDimensionSize(const Query& q) { return Nothing(q); }

Answer SetDimensionSize(const Query& q) {
  if (q.operand == 0) return SameIndex(q);
  return q.input.IsScalar() ? Answer(Everything(q)) : std::nullopt;
}

}  // namespace affirm::meaning
