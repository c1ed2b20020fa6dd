// Float arithmetic on bits, for each kind of float. Internal.
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_FLOAT_OPS_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_FLOAT_OPS_H_

#include <bit>
#include <cstdint>

#include "core/hlo/shape.h"
#include "verify/kernel/emulator/math_functions.h"
#include "verify/kernel/emulator/program.h"

namespace affirm::kernel {

inline float AsFloat(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
inline double AsDouble(uint64_t bits) { return std::bit_cast<double>(bits); }
inline uint64_t BitsOf(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t BitsOf(double value) { return std::bit_cast<uint64_t>(value); }
// The bits of an operation's result: devices have one NaN, whatever the operands' payloads and
// order.
inline uint64_t ResultBits(float value) { return value != value ? 0x7fc00000u : BitsOf(value); }
inline uint64_t ResultBits(double value) {
  return value != value ? 0x7ff8000000000000u : BitsOf(value);
}

inline constexpr unsigned WidthOf(FloatKind kind) {
  return kind == kDouble ? 64 : kind == kFloat ? 32 : 16;
}

// The value of any kind, exactly; and the nearest of a kind, ties to even.
double Decode(FloatKind kind, uint64_t bits);
uint64_t Encode(FloatKind kind, double value);
// The nearest of half or bfloat to a float, which need not be exact.
uint64_t EncodeNarrow(FloatKind kind, float value);

// Operations on half and bfloat are those of float, rounded.
uint64_t Compute(FloatFunction function, FloatKind kind, uint64_t a, uint64_t b);
uint64_t ComputeMath(const MathFunction& function, FloatKind kind, uint64_t a, uint64_t b,
                     uint64_t c);
uint64_t Negate(FloatKind kind, uint64_t bits);
// `predicate`: llvm::CmpInst::Predicate, of floats.
bool Compare(unsigned predicate, FloatKind kind, uint64_t a, uint64_t b);
uint64_t Convert(FloatKind from, FloatKind to, uint64_t bits);
uint64_t FromInteger(uint64_t bits, unsigned width, bool is_signed, FloatKind to);
// Conversions of f8e4m3fn and f8e5m2, as devices do them (small_float_pairs.h).
uint64_t ToSmall(FloatKind from, hlo::PrimitiveType small, uint64_t bits);
uint64_t FromSmall(hlo::PrimitiveType small, FloatKind to, uint64_t bits);
// cvt.rna.tf32.f32: the nearest float with ten bits of the mantissa, of two the one further from 0.
uint64_t ToTf32(uint64_t bits);
// `fits` becomes false where the truncated value does not fit; the result is then saturated.
uint64_t ToInteger(FloatKind from, uint64_t bits, unsigned width, bool is_signed, bool& fits);
// Whether it belongs to one of the classes of llvm.is.fpclass.
bool HasClass(FloatKind kind, uint64_t bits, int64_t classes);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_FLOAT_OPS_H_
