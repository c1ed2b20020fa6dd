// Value conversions: convert, and what reduce-precision and stochastic-convert do to one element.
#include "verify/scalar/elementwise_convert.h"

#include <bit>
#include <cmath>

#include "core/hlo/float_format.h"
#include "verify/scalar/span_loops.h"

namespace affirm::hlo {
namespace {

// A double that rounds to every narrower floating type as the integer itself does: exact when it
// fits 53 bits, else cut off with the lost bits recorded in the last place (round to odd).
double ToDoubleForRounding(int64_t value, IntType type) {
  const bool negative = type.is_signed && value < 0;
  uint64_t magnitude = negative ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const int excess = std::max(0, 64 - 53 - std::countl_zero(magnitude));
  const uint64_t lost = magnitude & ((uint64_t{1} << excess) - 1);
  magnitude = (magnitude >> excess) | (lost != 0 ? 1 : 0);
  const double exact = std::ldexp(static_cast<double>(magnitude), excess);
  return negative ? -exact : exact;
}

// Pattern of a floating type as exponent and mantissa fields below a sign.
struct FieldWidths {
  int exponent;
  int mantissa;
};

FieldWidths FieldsOf(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kF16:
      return {5, 10};
    case PrimitiveType::kBF16:
      return {8, 7};
    case PrimitiveType::kF32:
      return {8, 23};
    case PrimitiveType::kF64:
      return {11, 52};
    default:
      return {0, 0};
  }
}

// Rounds the mantissa field of a magnitude to its top `kept` bits, ties to even; may carry into the
// exponent.
uint64_t RoundMantissa(uint64_t magnitude, int mantissa_bits, int kept) {
  const int dropped = mantissa_bits - kept;
  if (dropped <= 0) return magnitude;
  const uint64_t last_kept = (magnitude >> dropped) & 1;
  const uint64_t bias = (uint64_t{1} << (dropped - 1)) - 1 + last_kept;
  return ((magnitude + bias) >> dropped) << dropped;
}

// A type as a conversion sees it.
struct NumberType {
  PrimitiveType type;
  bool is_int, is_complex;
  IntType integer;

  static NumberType Of(PrimitiveType type) {
    const bool is_int = ScalarKindOf(type) == ScalarKind::kInt;
    return {type, is_int, IsComplex(type), is_int ? IntType::Of(type) : IntType()};
  }
};

template <PrimitiveType type>
constexpr NumberType kNumber = {type, kIsStoredAsInt<type>, false, StorageFor<type>::kInt};

double MadeQuiet(double x) {
  constexpr uint64_t kQuiet = uint64_t{1} << 51;
  return std::isnan(x) ? std::bit_cast<double>(std::bit_cast<uint64_t>(x) | kQuiet) : x;
}

// Convert(), inlined where the types are known at compile time.
[[gnu::always_inline]] inline Scalar ConvertNumber(const Scalar& value, const NumberType& from,
                                                   const NumberType& to) {
  Scalar result;
  if (to.type == PrimitiveType::kPred) {
    result.i = from.is_int ? value.i != 0 : value.re != 0;
  } else if (to.is_int) {
    result.i = from.is_int ? to.integer.Wrap(static_cast<uint64_t>(value.i))
                           : SaturateToInt(value.re, to.integer);
  } else if (to.is_complex) {
    const PrimitiveType part = PartType(to.type);
    result.re =
        from.is_int ? IntToFloat(value.i, from.integer, part) : RoundTo(part, MadeQuiet(value.re));
    result.im = from.is_complex ? RoundTo(part, value.im) : 0;
  } else if (from.is_int) {
    result.re = IntToFloat(value.i, from.integer, to.type);
  } else {
    // A conversion to another type makes a NaN quiet.
    result.re = RoundTo(to.type, from.type == to.type ? value.re : MadeQuiet(value.re));
  }
  return result;
}

}  // namespace

double IntToNarrowFloat(int64_t value, IntType from, PrimitiveType to) {
  return RoundTo(to, ToDoubleForRounding(value, from));
}

bool CanConvert(PrimitiveType from, PrimitiveType to) {
  if (!IsArray(from) || !IsArray(to)) return false;
  return !IsComplex(from) || IsComplex(to);
}

Scalar Convert(const Scalar& value, PrimitiveType from, PrimitiveType to) {
  return ConvertNumber(value, NumberType::Of(from), NumberType::Of(to));
}

SpanOp ConvertSpan(PrimitiveType from, PrimitiveType to) {
  return ForType(RealTypes(), from, [=](auto source) {
    static constexpr PrimitiveType kFrom = source;
    return ForType(RealTypes(), to, [](auto target) {
      static constexpr PrimitiveType kTo = target;
      return SpanOf<kTo, kFrom>([](auto x) {
        return Unboxed<kTo>(ConvertNumber(Boxed(x), kNumber<kFrom>, kNumber<kTo>));
      });
    });
  });
}

bool HasReducePrecision(PrimitiveType type) { return FieldsOf(type).exponent != 0; }

double ReducePrecision(double value, PrimitiveType type, int64_t exponent_bits,
                       int64_t mantissa_bits) {
  const FieldWidths fields = FieldsOf(type);
  const int sign_shift = fields.exponent + fields.mantissa;
  const uint64_t infinity = ((uint64_t{1} << fields.exponent) - 1) << fields.mantissa;
  const uint64_t bits = EncodeFloat(type, value);
  const uint64_t sign = bits & (uint64_t{1} << sign_shift);
  uint64_t magnitude = bits ^ sign;
  if (std::isnan(value)) {
    // Without mantissa bits there is no NaN, only infinity.
    return mantissa_bits > 0 ? value : DecodeFloat(type, sign | infinity);
  }
  const int kept = static_cast<int>(std::min<int64_t>(mantissa_bits, fields.mantissa));
  magnitude = RoundMantissa(magnitude, fields.mantissa, kept);
  if (exponent_bits < fields.exponent) {
    // Exponent fields that the narrower exponent expresses as normal numbers lie strictly between
    // bias - narrow_bias and bias + narrow_bias + 1; below is flushed to zero.
    const int64_t bias = (int64_t{1} << (fields.exponent - 1)) - 1;
    const int64_t narrow_bias = (int64_t{1} << (exponent_bits - 1)) - 1;
    const auto exponent = static_cast<int64_t>(magnitude >> fields.mantissa);
    if (exponent > bias + narrow_bias) magnitude = infinity;
    if (exponent <= bias - narrow_bias) magnitude = 0;
  }
  return DecodeFloat(type, sign | magnitude);
}

int64_t StochasticConvert(double value, uint64_t random, int random_bits, IntType type) {
  const double magnitude = std::fabs(value);
  const int64_t saturated = SaturateToInt(value, type);
  if (!(magnitude < std::ldexp(1.0, type.bits))) return saturated;
  const double fraction = magnitude - std::trunc(magnitude);
  // Rounds away from zero when the random number lies below the fraction, both as fixed-point
  // numbers.
  const double threshold = std::trunc(std::ldexp(fraction, random_bits));
  const bool away = fraction != 0 && random < static_cast<uint64_t>(threshold);
  return SaturateToInt(std::trunc(value) + (away ? std::copysign(1.0, value) : 0.0), type);
}

}  // namespace affirm::hlo
