// Conversions between f32 and floats of at most eight bits as kernels without instructions for them
// compute them: by integers.
//
//   code = magnitude of the f32, rounded to the mantissa, the exponent moved by the difference of
//   biases;
//          below the smallest normal number what f32 makes of magnitude + anchor, minus the anchor
//
// Bits in such a form are taken for those of the conversion where they become a value again, so
// that what is computed with small floats is written with conversions, and stays short:
//
//   ConversionToSmall(scope, NarrowedByBits(scope, x, f8)) == convert(x)
//
// A bf16 is the upper half of an f32: its bits times 2^16 are the conversion.
//
// These are rows of the table of correspondences. A test holds each form against the conversion for
// all values of the small type, and for 6 * 2^16 values of f32, among them both sides of every
// edge.
#ifndef AFFIRM_VERIFY_TERMS_SMALL_FLOATS_H_
#define AFFIRM_VERIFY_TERMS_SMALL_FLOATS_H_

#include "verify/terms/scope.h"

namespace affirm::terms {

// Whether the type is a float of at most eight bits.
bool IsSmallFloat(hlo::PrimitiveType type);
// The small float nearest to a value of f32, ties to even.
terms::Term NarrowedByBits(terms::Scope& scope, terms::Term value, hlo::PrimitiveType type);
// The f32 that a small float is, from its bits.
terms::Term WidenedByBits(terms::Scope& scope, terms::Term value);

// The f8e4m3fn or f8e5m2 nearest to an f16 or f32, the largest one where that lies beyond it: what
// devices have an instruction for.
terms::Term NarrowedWithinRange(terms::Pool& pool, terms::Term value, hlo::PrimitiveType type);
// The same of an f32 with what the type has beyond its range, chosen by integers: the conversion
// as XLA:GPU writes it with that instruction. Bits of the small type, as an integer.
terms::Term NarrowedByInstruction(terms::Scope& scope, terms::Term value, hlo::PrimitiveType type);
// The bits of the conversion of an f32 to a small type, where a choice between integers has that
// form; null for others.
terms::Term ConversionByInstruction(terms::Scope& scope, terms::Term choice);

// The conversion of an f32 to a small type of `width` bits that an integer of 32 bits has in its
// lowest ones, in the form above; null where it has none.
terms::Term ConversionToSmall(terms::Scope& scope, terms::Term bits, int64_t width);
// The conversion of a small float to f32 that an integer of 32 bits is, in the form above; or null.
terms::Term ConversionFromSmall(terms::Scope& scope, terms::Term bits);
// The conversion of a bf16 to f32 that an integer of 32 bits is: the bf16's bits times 2^16. Null
// for others.
terms::Term ConversionFromBFloat(terms::Pool& pool, terms::Term bits);
// A choice between two integers that are the bits of small floats of one type, or one of them and a
// number: the bits of the choice between these floats. Null for others.
terms::Term ChosenSmallFloat(terms::Scope& scope, terms::Term condition, terms::Term a,
                             terms::Term b);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_SMALL_FLOATS_H_
