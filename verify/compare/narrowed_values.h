// Conversions to floats narrower than f32, and of these to integers, as kernels without
// instructions for them compute them: rows of the table of correspondences.
//
// What is rounded to f32 and then to a narrower type may differ from what is rounded once. It does
// not where the first step is exact, nor where it is *rounded to odd*: toward zero, with a last bit
// that is 1 where something was lost, which no later rounding takes for a tie.
#ifndef AFFIRM_VERIFY_COMPARE_NARROWED_VALUES_H_
#define AFFIRM_VERIFY_COMPARE_NARROWED_VALUES_H_

#include "verify/terms/scope.h"

namespace affirm::compare {

// Floats that are computed with as f32: those of at most 16 bits.
bool IsNarrowFloat(hlo::PrimitiveType type);

// A conversion of an integer to a narrow float through f32, where that rounds once; null for
// others.
terms::Term NarrowedThroughF32(terms::Scope& scope, terms::Term hlo);

// A conversion of an f64 or an integer to a narrow float through an f32 that is rounded to odd;
// null for others.
terms::Term NarrowedThroughOddF32(terms::Scope& scope, terms::Term hlo);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_NARROWED_VALUES_H_
