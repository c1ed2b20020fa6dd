// Elements in and out of literals, and the arithmetic of integer types of any width.
#include "verify/scalar/scalar.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/hlo/float_format.h"

namespace affirm::hlo {

ScalarKind ScalarKindOf(PrimitiveType type) {
  if (IsInt(type) || type == PrimitiveType::kPred) return ScalarKind::kInt;
  if (IsFloat(type)) return ScalarKind::kFloat;
  return IsComplex(type) ? ScalarKind::kComplex : ScalarKind::kNone;
}

IntType IntType::Of(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return {1, false};
  return {BitWidth(type), IsSignedInt(type)};
}

double RoundTo(PrimitiveType type, double value) {
  if (type == PrimitiveType::kF64) return value;
  if (type == PrimitiveType::kF32) return static_cast<float>(value);
  return DecodeFloat(type, EncodeFloat(type, value));
}

namespace {

// The bits of the mantissa of types whose NaNs have a bit that says whether they signal; 0 of
// others.
int MantissaOfNaN(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kF8E5M2:
      return 2;
    case PrimitiveType::kF8E4M3:
      return 3;
    case PrimitiveType::kF8E3M4:
      return 4;
    case PrimitiveType::kBF16:
      return 7;
    case PrimitiveType::kF16:
      return 10;
    case PrimitiveType::kF32:
      return 23;
    default:
      return 0;
  }
}

// A NaN of a literal with its bits, the highest first. Conversions of the machine make it quiet.
double WithBitsOfNaN(const Literal& literal, int64_t linear, double nan) {
  constexpr int kMantissa = 52;
  const int mantissa = MantissaOfNaN(literal.shape().type);
  if (mantissa == 0) return nan;
  uint64_t bits = 0;
  const auto width = static_cast<size_t>(ByteWidth(literal.shape().type));
  std::memcpy(&bits, literal.data() + static_cast<size_t>(linear) * width, width);
  const uint64_t payload = bits & ((uint64_t{1} << mantissa) - 1);
  const uint64_t others = std::bit_cast<uint64_t>(nan) >> kMantissa << kMantissa;
  return std::bit_cast<double>(others | payload << (kMantissa - mantissa));
}

}  // namespace

Scalar Load(const Literal& literal, int64_t linear) {
  Scalar value;
  switch (ScalarKindOf(literal.shape().type)) {
    case ScalarKind::kInt:
      value.i = literal.GetInt(linear);
      break;
    case ScalarKind::kFloat:
      value.re = literal.GetFloat(linear);
      if (std::isnan(value.re)) value.re = WithBitsOfNaN(literal, linear, value.re);
      break;
    case ScalarKind::kComplex: {
      const std::complex<double> c = literal.GetComplex(linear);
      value.re = c.real();
      value.im = c.imag();
      break;
    }
    case ScalarKind::kNone:
      break;
  }
  return value;
}

void Store(Literal& literal, int64_t linear, const Scalar& value) {
  switch (ScalarKindOf(literal.shape().type)) {
    case ScalarKind::kInt:
      literal.SetInt(linear, value.i);
      break;
    case ScalarKind::kFloat:
      literal.SetFloat(linear, value.re);
      break;
    case ScalarKind::kComplex:
      literal.SetComplex(linear, {value.re, value.im});
      break;
    case ScalarKind::kNone:
      break;
  }
}

int64_t LoadIndex(const Literal& literal, int64_t linear) {
  const int64_t v = literal.GetInt(linear);
  if (literal.shape().type == PrimitiveType::kU64 && v < 0) {
    return std::numeric_limits<int64_t>::max();
  }
  return v;
}

int64_t TotalOrderKey(double x) {
  const auto bits = std::bit_cast<int64_t>(x);
  return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
}

int64_t TotalOrderKey(PrimitiveType type, double x) {
  const bool is_lowest = std::isnan(x) && IsNaNMinusZero(type);
  return is_lowest ? std::numeric_limits<int64_t>::min() : TotalOrderKey(x);
}

}  // namespace affirm::hlo
