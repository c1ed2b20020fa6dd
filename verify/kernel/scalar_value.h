// Values of scalars in launch files: their JSON text, and the bits that a kernel is given.
#ifndef AFFIRM_VERIFY_KERNEL_SCALAR_VALUE_H_
#define AFFIRM_VERIFY_KERNEL_SCALAR_VALUE_H_

#include <cstdint>
#include <string>

#include "core/hlo/shape.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Error.h"

namespace affirm::kernel {

// Whether a kernel can take a value of the type as one argument: predicates, integers, and floats
// that are not complex.
bool IsScalarType(hlo::PrimitiveType type);

// The bits of the value, those above its width zero. Integers: decimal digits without a fraction or
// an exponent, in the range of the type. Predicates: true, false, 0, 1. Floats: a number, rounded
// once to the nearest value of the type, which must be finite, and zero only for a zero; or a
// string "inf", "-inf", "nan" (quiet, positive, no payload), or "0x3f800000", all digits of the
// bits. Floats of less than 16 bits are given by their bits. The error says what was expected, and
// names no place.
llvm::Expected<uint64_t> ReadScalarValue(llvm::StringRef json, hlo::PrimitiveType type);

// The JSON text that ReadScalarValue() reads as these bits.
std::string ScalarValueText(uint64_t bits, hlo::PrimitiveType type);

// The integer that the bits are, of a predicate or an integer: in [-2^63, 2^64 - 1].
__extension__ using WideInteger = __int128;
WideInteger ScalarInteger(uint64_t bits, hlo::PrimitiveType type);

// The number that the bits are, of a float of 16 bits or more.
llvm::APFloat ScalarFloat(uint64_t bits, hlo::PrimitiveType type);

// Whether a is at most b; of floats, neither NaN.
bool IsAtMost(uint64_t a, uint64_t b, hlo::PrimitiveType type);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_SCALAR_VALUE_H_
