// The bit patterns of the floating-point element types.
#ifndef AFFIRM_CORE_HLO_FLOAT_FORMAT_H_
#define AFFIRM_CORE_HLO_FLOAT_FORMAT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "core/hlo/shape.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::hlo {

// The value of a bit pattern; exact for every type.
double DecodeFloat(PrimitiveType type, uint64_t bits);

// The pattern nearest to a value, ties to even. What the type cannot express: beyond the largest
// finite value lies infinity, else NaN where the type has one, else the largest value (f4e2m1fn,
// whose NaN is taken for -0); f8e8m0fnu has no sign, no zero and no mantissa: 0 and
// negative values are NaN, what is smaller than the smallest value is that value, and the middle
// between two powers is the larger one, as XLA's evaluator has it.
uint64_t EncodeFloat(PrimitiveType type, double value);

// HLO text of a pattern, the shortest that FloatFromText reads back to the same bits: "1.5",
// "-inf", "nan", "nan(0x401)" for a NaN with another payload than the default.
std::string FloatToText(PrimitiveType type, uint64_t bits);

// Whether the one NaN of the type has the bits of -0.0 in others, a number that it lacks ("fnuz").
bool IsNaNMinusZero(PrimitiveType type);

// The pattern that a number, "inf", "-nan", "nan(0x401)" names; nullopt for other text, or where
// the number does not fit the type (a finite number beyond the largest value, a payload that is too
// wide).
std::optional<uint64_t> FloatFromText(PrimitiveType type, llvm::StringRef text);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_FLOAT_FORMAT_H_
