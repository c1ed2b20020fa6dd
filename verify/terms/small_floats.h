// Conversions between f32 and floats of at most eight bits by integer operations, as kernels
// compute them for devices without such instructions.
//
//   code = magnitude of the f32, rounded to the mantissa, the exponent rebased by the difference of
//   biases;
//          for subnormal results: bits of (magnitude + anchor), added in f32, minus the anchor's
//
// A bitcast of bits in such a form is recognized as the conversion, so that terms on small floats
// stay short:
//
//   ConversionToSmall(scope, NarrowedByBits(scope, x, f8)) == convert(x)
//
// A bf16 is the upper half of an f32: its bits times 2^16 are the f32's.
//
// The forms above are rows of the table of correspondences. A test compares each form with the
// conversion for all values of the small type, and for 6 * 2^16 values of f32, among them both
// sides of every edge.
#ifndef AFFIRM_VERIFY_TERMS_SMALL_FLOATS_H_
#define AFFIRM_VERIFY_TERMS_SMALL_FLOATS_H_

#include "verify/terms/scope.h"

namespace affirm::terms {

// Whether the type is a float of at most eight bits.
bool IsSmallFloat(hlo::PrimitiveType type);
// The small float nearest to a value of f32, ties to even.
terms::Term NarrowedByBits(terms::Scope& scope, terms::Term value, hlo::PrimitiveType type);
// The f32 equal to a small float, computed from its bits.
terms::Term WidenedByBits(terms::Scope& scope, terms::Term value);

// The f8e4m3fn or f8e5m2 nearest to an f16 or f32, clamped to the largest finite value, as the
// devices' instruction computes it (PTX ISA, "cvt", .satfinite).
terms::Term NarrowedWithinRange(terms::Pool& pool, terms::Term value, hlo::PrimitiveType type);
// HLO's conversion of an f32 as XLA:GPU emits it with that instruction: values beyond the range are
// selected by integer comparisons. Returns the bits of the small type, as an integer.
terms::Term NarrowedByInstruction(terms::Scope& scope, terms::Term value, hlo::PrimitiveType type);
// Recognizes that form in an integer pick, and returns the bits of the conversion; null for others.
terms::Term ConversionByInstruction(terms::Scope& scope, terms::Term choice);

// Recognizes the form above in the low `width` bits of a 32-bit integer, and returns the conversion
// of an f32 to a small type; null for others.
terms::Term ConversionToSmall(terms::Scope& scope, terms::Term bits, int64_t width);
// Recognizes the bits of a small float's conversion to f32 in a 32-bit integer; null for others.
terms::Term ConversionFromSmall(terms::Scope& scope, terms::Term bits);
// Recognizes the bits of a bf16's conversion to f32: the bf16's bits times 2^16. Null for others.
terms::Term ConversionFromBFloat(terms::Pool& pool, terms::Term bits);
// Rewrites a pick between the bits of two small floats of one type, of which one may be a constant,
// to the bits of a select between the floats. Null for others.
terms::Term ChosenSmallFloat(terms::Scope& scope, terms::Term condition, terms::Term a,
                             terms::Term b);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_SMALL_FLOATS_H_
