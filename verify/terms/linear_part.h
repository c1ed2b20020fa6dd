// The key under which a scope keeps the bounds of a sum. Internal to verify/terms.
#ifndef AFFIRM_VERIFY_TERMS_LINEAR_PART_H_
#define AFFIRM_VERIFY_TERMS_LINEAR_PART_H_

#include "verify/terms/term.h"

namespace affirm::terms {

// e as sign * factor * linear + constant, the linear part being the key of its bounds.
struct LinearPart {
  Term linear;
  Int128 factor;  // negative where the sign is
  Int128 constant;
};

LinearPart LinearPartOf(Pool& pool, Term e);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_LINEAR_PART_H_
