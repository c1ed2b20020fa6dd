// Normalizes a sum to the key under which a scope keeps its bounds. Internal to verify/terms.
#ifndef AFFIRM_VERIFY_TERMS_LINEAR_PART_H_
#define AFFIRM_VERIFY_TERMS_LINEAR_PART_H_

#include "verify/terms/term.h"

namespace affirm::terms {

// e = factor * linear + constant. `linear` is the key: a primitive sum without a constant, whose
// first coefficient is positive.
struct LinearPart {
  Term linear;
  Int128 factor;
  Int128 constant;
};

LinearPart LinearPartOf(Pool& pool, Term e);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_LINEAR_PART_H_
