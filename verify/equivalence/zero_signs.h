// Signs of zeros in sums of floats. The order of a sum is open, and what a sum starts with makes no
// difference to it but one: -0.0 and -0.0 are 0.0 where the sum starts with 0.0, and -0.0 where it
// starts with -0.0 or with nothing.
//
//   reduce(x, 0.0)    against    reduce(x, -0.0)     1 / the sum may be inf and -inf
//   reduce(x, 0.0)    against    x0 + x1             likewise
//   dot(x, y)         against    reduce(x * y, 0.0)  the same: a dot does not say what it starts
//   with
#ifndef AFFIRM_VERIFY_EQUIVALENCE_ZERO_SIGNS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_ZERO_SIGNS_H_

#include "verify/terms/term.h"

namespace affirm::equivalence {

// Whether the sums of floats that are folds start alike in both terms: with 0.0 all, or with -0.0
// all; false where that is not seen. Where sums are written out on one
// side, the comparison of their values looks at it (SameValueOptions::zeros_are_one).
bool SumsStartAlike(terms::Term a, terms::Term b);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_ZERO_SIGNS_H_
