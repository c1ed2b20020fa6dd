// Value conversions of one element beyond Convert() of scalar.h.
#ifndef AFFIRM_VERIFY_SCALAR_ELEMENTWISE_CONVERT_H_
#define AFFIRM_VERIFY_SCALAR_ELEMENTWISE_CONVERT_H_

#include "verify/scalar/scalar.h"

namespace affirm::hlo {

// The value of a floating type nearest to an integer, ties to even: rounded once, whatever the
// width. Integers beyond the type give infinity, or its largest value where it has no infinity.
//
//   IntToFloat((int64_t{1} << 53) + 1, {64, true}, PrimitiveType::kF64)  // 2^53
double IntToFloat(int64_t value, IntType from, PrimitiveType to);

// Truncation toward zero; beyond the type its nearest limit; NaN is 0.
int64_t SaturateToInt(double value, IntType type);

// XLA's reduce-precision on a value of f16, bf16, f32 or f64: the mantissa is rounded (ties to
// even), then what the exponent cannot express becomes infinity or a zero of the same sign (there
// are no subnormals in the narrower format). NaN stays, or is infinity when no mantissa bit is
// left.
bool HasReducePrecision(PrimitiveType type);
double ReducePrecision(double value, PrimitiveType type, int64_t exponent_bits,
                       int64_t mantissa_bits);

// XLA's stochastic-convert to an integer type: away from zero when the fraction exceeds random /
// 2^random_bits.
int64_t StochasticConvert(double value, uint64_t random, int random_bits, IntType type);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_SCALAR_ELEMENTWISE_CONVERT_H_
