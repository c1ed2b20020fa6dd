// Value conversions of one element beyond Convert() of scalar.h.
#ifndef AFFIRM_VERIFY_SCALAR_ELEMENTWISE_CONVERT_H_
#define AFFIRM_VERIFY_SCALAR_ELEMENTWISE_CONVERT_H_

#include <cmath>

#include "verify/scalar/elementwise.h"

namespace affirm::hlo {

double IntToNarrowFloat(int64_t value, IntType from, PrimitiveType to);  // to what is below f32
// The value of a floating type nearest to an integer, ties to even: rounded once, whatever the
// width. Integers beyond the type give infinity, or its largest value where it has no infinity.
//
//   IntToFloat((int64_t{1} << 53) + 1, {64, true}, PrimitiveType::kF64)  // 2^53
inline double IntToFloat(int64_t value, IntType from, PrimitiveType to) {
  // The host rounds once, to nearest, ties to even.
  const auto bits = static_cast<uint64_t>(value);
  if (to == PrimitiveType::kF64)
    return from.is_signed ? static_cast<double>(value) : static_cast<double>(bits);
  if (to == PrimitiveType::kF32)
    return from.is_signed ? static_cast<float>(value) : static_cast<float>(bits);
  return IntToNarrowFloat(value, from, to);
}

// Truncation toward zero; beyond the type its nearest limit; NaN is 0.
inline int64_t SaturateToInt(double value, IntType type) {
  if (std::isnan(value)) return 0;
  const auto half = static_cast<double>(uint64_t{1} << (type.bits - 1));
  const double beyond = type.is_signed ? half : 2 * half;
  if (value >= beyond) return type.Max();
  if (!type.is_signed) return value <= 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(value));
  return value <= -beyond ? type.Min() : static_cast<int64_t>(value);
}

// convert of numbers whose types are f32, f64, pred or integers; null for others.
SpanOp ConvertSpan(PrimitiveType from, PrimitiveType to);

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
