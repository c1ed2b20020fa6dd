// Value conversions of one element beyond Convert() of scalar.h.
#ifndef AFFIRM_VERIFY_REFERENCE_ELEMENTWISE_CONVERT_H_
#define AFFIRM_VERIFY_REFERENCE_ELEMENTWISE_CONVERT_H_

#include "verify/reference/scalar.h"

namespace affirm::hlo {

// The type of the parts of c64 and c128.
PrimitiveType PartType(PrimitiveType complex);

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

#endif  // AFFIRM_VERIFY_REFERENCE_ELEMENTWISE_CONVERT_H_
