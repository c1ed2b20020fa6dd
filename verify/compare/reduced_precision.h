// reduce-precision of f32 and f64 by integer operations on the bits, as kernels compute it
// (XLA operation semantics, "ReducePrecision"):
//
//   bits of the float, the mantissa rounded to nearest, ties to even; an exponent beyond the
//   smaller format's becomes infinity, one below it zero, with the sign; NaN stays itself, and
//   becomes infinity where there are no bits of a mantissa
//
// This is a row of the table of correspondences. A test compares it with the operation at values
// where rounding or the exponent may change.
#ifndef AFFIRM_VERIFY_COMPARE_REDUCED_PRECISION_H_
#define AFFIRM_VERIFY_COMPARE_REDUCED_PRECISION_H_

#include "verify/terms/scope.h"

namespace affirm::compare {

// `value`, an f32 or f64, rounded to this many bits of exponent and mantissa.
terms::Term ReducedByBits(terms::Scope& scope, terms::Term value, int64_t exponent_bits,
                          int64_t mantissa_bits);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_REDUCED_PRECISION_H_
