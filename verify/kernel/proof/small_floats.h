// Conversions between f32 and floats of at most eight bits as kernels without instructions for them
// compute them: by integers.
//
//   code = magnitude of the f32, rounded to the mantissa, the exponent moved by the difference of
//   biases;
//          below the smallest normal number what f32 makes of magnitude + anchor, minus the anchor
//
// These are rows of the table of correspondences. A test holds each form against the conversion for
// all values of the small type, and for 6 * 2^16 values of f32, among them both sides of every
// edge.
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_SMALL_FLOATS_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_SMALL_FLOATS_H_

#include "verify/terms/scope.h"

namespace affirm::kernel {

// Whether the type is a float of at most eight bits.
bool IsSmallFloat(hlo::PrimitiveType type);
// The small float nearest to a value of f32, ties to even.
terms::Term NarrowedByBits(terms::Scope& scope, terms::Term value, hlo::PrimitiveType type);
// The f32 that a small float is, from its bits.
terms::Term WidenedByBits(terms::Scope& scope, terms::Term value);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_SMALL_FLOATS_H_
