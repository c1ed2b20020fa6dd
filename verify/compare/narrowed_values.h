// Conversions to floats narrower than f32, and of these to integers, as kernels without
// instructions for them compute them: rows of the table of correspondences.
//
// Rounding to f32 and then to a narrower type may differ from rounding once (double rounding). It
// does not where the first step is exact, or *rounds to odd*: toward zero, with the last bit set if
// the result is inexact, so that the second rounding never sees a false tie.
#ifndef AFFIRM_VERIFY_COMPARE_NARROWED_VALUES_H_
#define AFFIRM_VERIFY_COMPARE_NARROWED_VALUES_H_

#include "verify/terms/scope.h"

namespace affirm::compare {

// Floats of at most 16 bits, whose arithmetic kernels do in f32.
bool IsNarrowFloat(hlo::PrimitiveType type);

// A conversion of an integer to a narrow float through f32, where that rounds once; null for
// others.
terms::Term NarrowedThroughF32(terms::Scope& scope, terms::Term hlo);

// A conversion of an f64 or an integer to a narrow float through an f32 that is rounded to odd;
// null for others.
terms::Term NarrowedThroughOddF32(terms::Scope& scope, terms::Term hlo);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_NARROWED_VALUES_H_
