// reduce-precision of f32 and f64 as kernels compute it: by integers.
//
//   bits of the float, the mantissa rounded to nearest, ties to even; an exponent beyond the
//   smaller format's becomes infinity, one below it zero, with the sign; NaN stays itself, and
//   becomes infinity where there are no bits of a mantissa
//
// This is a row of the table of correspondences. A test holds it against the operation where
// rounding or the exponent may change.
#ifndef AFFIRM_VERIFY_COMPARE_REDUCED_PRECISION_H_
#define AFFIRM_VERIFY_COMPARE_REDUCED_PRECISION_H_

#include "verify/terms/scope.h"

namespace affirm::compare {

// The f32 or f64 with an exponent and a mantissa of so many bits.
terms::Term ReducedByBits(terms::Scope& scope, terms::Term value, int64_t exponent_bits,
                          int64_t mantissa_bits);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_REDUCED_PRECISION_H_
