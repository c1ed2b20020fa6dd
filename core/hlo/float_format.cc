// Decoding, rounding and text of floating-point bit patterns.
#include "core/hlo/float_format.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo {
namespace {

// How a type writes what is not a number.
enum class NanStyle : uint8_t {
  kPayload,  // exponent all ones, any nonzero mantissa; either sign
  kAllOnes,  // exponent and mantissa all ones; either sign
  kFixed,    // one pattern
  kNone,
};

struct Format {
  const llvm::fltSemantics& semantics;
  int mantissa_bits;
  NanStyle nan_style;
  uint64_t nan;  // the default NaN, sign clear
};

Format FormatOf(PrimitiveType type) {
  using llvm::APFloat;
  switch (type) {
    case PrimitiveType::kF16:
      return {APFloat::IEEEhalf(), 10, NanStyle::kPayload, 0x7E00};
    case PrimitiveType::kBF16:
      return {APFloat::BFloat(), 7, NanStyle::kPayload, 0x7FC0};
    case PrimitiveType::kF32:
      return {APFloat::IEEEsingle(), 23, NanStyle::kPayload, 0x7FC00000};
    case PrimitiveType::kF8E5M2:
      return {APFloat::Float8E5M2(), 2, NanStyle::kPayload, 0x7E};
    case PrimitiveType::kF8E4M3:
      return {APFloat::Float8E4M3(), 3, NanStyle::kPayload, 0x7C};
    case PrimitiveType::kF8E3M4:
      return {APFloat::Float8E3M4(), 4, NanStyle::kPayload, 0x78};
    case PrimitiveType::kF8E4M3FN:
      return {APFloat::Float8E4M3FN(), 3, NanStyle::kAllOnes, 0x7F};
    case PrimitiveType::kF8E4M3B11FNUZ:
      return {APFloat::Float8E4M3B11FNUZ(), 3, NanStyle::kFixed, 0x80};
    case PrimitiveType::kF8E5M2FNUZ:
      return {APFloat::Float8E5M2FNUZ(), 2, NanStyle::kFixed, 0x80};
    case PrimitiveType::kF8E4M3FNUZ:
      return {APFloat::Float8E4M3FNUZ(), 3, NanStyle::kFixed, 0x80};
    case PrimitiveType::kF8E8M0FNU:
      return {APFloat::Float8E8M0FNU(), 0, NanStyle::kFixed, 0xFF};
    case PrimitiveType::kF4E2M1FN:
      return {APFloat::Float4E2M1FN(), 1, NanStyle::kNone, 0x8};
    default:
      return {APFloat::IEEEdouble(), 52, NanStyle::kPayload, 0x7FF8000000000000};
  }
}

uint64_t SignBit(PrimitiveType type) { return uint64_t{1} << (BitWidth(type) - 1); }

// Powers of two from 2^-127 (0x00) to 2^127 (0xFE), and one NaN (0xFF).
double DecodeE8M0(uint64_t bits) {
  return bits == 0xFF ? std::numeric_limits<double>::quiet_NaN()
                      : std::ldexp(1.0, static_cast<int>(bits) - 127);
}

// Zeros, denormal and normal numbers: their bits stand 13 places higher in an f32, whose bias is
// 112 more. nullopt for others.
std::optional<double> DecodeFiniteHalf(uint64_t bits) {
  const auto magnitude = static_cast<uint32_t>(bits & 0x7FFF) << 13;
  if (magnitude >= 0x1F << 23) return std::nullopt;
  const double value = std::bit_cast<float>(magnitude) * 0x1p112;
  return (bits & 0x8000) != 0 ? -value : value;
}

uint64_t EncodeE8M0(double value) {
  if (!std::isfinite(value) || value <= 0) return 0xFF;
  int exponent;
  const double fraction = 2 * std::frexp(value, &exponent);  // in [1, 2)
  const int code = exponent - 1 + 127;
  const int rounded = code + (fraction >= 1.5 ? 1 : 0);
  if (rounded > 0xFE) return 0xFF;
  return rounded < 0 ? 0 : rounded;
}

constexpr std::array<double, 8> kE2M1 = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

double DecodeE2M1(uint64_t bits) {
  const double magnitude = kE2M1[bits & 7];
  return (bits & 8) != 0 ? -magnitude : magnitude;
}

uint64_t EncodeE2M1(double value) {
  if (std::isnan(value)) return 0x8;
  const double magnitude = std::fabs(value);
  uint64_t best = 0;
  for (uint64_t code = 1; code < kE2M1.size(); ++code) {
    const double middle = (kE2M1[code - 1] + kE2M1[code]) / 2;
    if (magnitude > middle || (magnitude == middle && code % 2 == 0)) best = code;
  }
  return best | (std::signbit(value) ? 8 : 0);
}

// The bits of f16 or bf16 next to a zero or a number whose exponent the type has, ties to even;
// nullopt for others. Where rounding carries into the exponent, it is one more, or that of
// infinity.
std::optional<uint64_t> EncodeNormalHalf(PrimitiveType type, double value) {
  const bool half = type == PrimitiveType::kF16;
  if (!half && type != PrimitiveType::kBF16) return std::nullopt;
  const int mantissa_bits = half ? 10 : 7, bias = half ? 15 : 127;
  constexpr int kMantissa = 52, kBias = 1023;
  const auto bits = std::bit_cast<uint64_t>(value);
  if (bits << 1 == 0) return bits >> 48;  // a zero
  const int exponent = static_cast<int>(bits >> kMantissa & 0x7FF) - kBias + bias;
  if (exponent < 1 || exponent > 2 * bias) return std::nullopt;
  const int dropped = kMantissa - mantissa_bits;
  const uint64_t mantissa = bits & ((uint64_t{1} << kMantissa) - 1);
  uint64_t kept = (static_cast<uint64_t>(exponent) << mantissa_bits) + (mantissa >> dropped);
  const uint64_t rest = mantissa & ((uint64_t{1} << dropped) - 1);
  const uint64_t middle = uint64_t{1} << (dropped - 1);
  kept += rest > middle || (rest == middle && (kept & 1) != 0) ? 1 : 0;
  return kept | (bits >> 63 << 15);
}

bool IsNan(PrimitiveType type, uint64_t bits) {
  const Format format = FormatOf(type);
  const uint64_t magnitude = bits & (SignBit(type) - 1);
  switch (format.nan_style) {
    case NanStyle::kPayload: {
      const uint64_t infinity = SignBit(type) - (uint64_t{1} << format.mantissa_bits);
      return magnitude > infinity;
    }
    case NanStyle::kAllOnes:
      return magnitude == format.nan;
    case NanStyle::kFixed:
      return bits == format.nan;
    case NanStyle::kNone:
      return false;
  }
  return false;
}

std::string NanToText(PrimitiveType type, uint64_t bits) {
  const Format format = FormatOf(type);
  if (format.nan_style == NanStyle::kFixed) return "nan";
  const std::string sign = (bits & SignBit(type)) != 0 ? "-" : "";
  if ((bits & (SignBit(type) - 1)) == format.nan) return sign + "nan";
  const uint64_t payload = bits & ((uint64_t{1} << format.mantissa_bits) - 1);
  return sign + "nan(0x" + llvm::utohexstr(payload, /*LowerCase=*/true) + ")";
}

// `rest` stands behind "nan".
std::optional<uint64_t> NanFromText(PrimitiveType type, bool negative, llvm::StringRef rest) {
  const Format format = FormatOf(type);
  if (format.nan_style == NanStyle::kNone) return std::nullopt;
  if (format.nan_style == NanStyle::kFixed) {
    return rest.empty() ? std::optional<uint64_t>(format.nan) : std::nullopt;
  }
  uint64_t bits = format.nan;
  if (!rest.empty()) {
    uint64_t payload = 0;
    if (!rest.consume_front("(0x") || !rest.consume_back(")") || rest.getAsInteger(16, payload)) {
      return std::nullopt;
    }
    const uint64_t mask = (uint64_t{1} << format.mantissa_bits) - 1;
    if (payload == 0 || payload > mask) return std::nullopt;
    bits = (bits & ~mask) | payload;
    if (!IsNan(type, bits)) return std::nullopt;
  }
  return bits | (negative ? SignBit(type) : 0);
}

template <typename T>
std::string Shortest(T value) {
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end);
}

// Digits, at most one point, an optional exponent.
bool IsDecimal(llvm::StringRef text) {
  text.consume_front("-") || text.consume_front("+");
  size_t digits = 0;
  auto skip_digits = [&] {
    while (!text.empty() && llvm::isDigit(text.front())) {
      text = text.drop_front();
      ++digits;
    }
  };
  skip_digits();
  if (text.consume_front(".")) skip_digits();
  if (digits == 0) return false;
  if (text.consume_front("e") || text.consume_front("E")) {
    text.consume_front("-") || text.consume_front("+");
    digits = 0;
    skip_digits();
    if (digits == 0) return false;
  }
  return text.empty();
}

// The nearest double, from which XLA converts to the type of the literal.
std::optional<double> ParseNumber(llvm::StringRef text) {
  // Beyond this no digit matters, and the slow path below would take time quadratic in the length.
  constexpr size_t kLongestNumber = 2000;
  if (text.size() > kLongestNumber || !IsDecimal(text)) return std::nullopt;
  text.consume_front("+");
  double value = 0;
  const auto result = std::from_chars(text.begin(), text.end(), value);
  if (result.ec == std::errc()) return value;
  // Out of range: too large, or so small that it is 0 or subnormal.
  llvm::APFloat number(llvm::APFloat::IEEEdouble());
  llvm::Expected<llvm::APFloat::opStatus> status =
      number.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return std::nullopt;
  }
  if (!number.isFinite()) return std::nullopt;
  return number.convertToDouble();
}

}  // namespace

double DecodeFloat(PrimitiveType type, uint64_t bits) {
  switch (type) {
    case PrimitiveType::kF64:
      return std::bit_cast<double>(bits);
    case PrimitiveType::kF32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case PrimitiveType::kBF16:
      return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    case PrimitiveType::kF8E8M0FNU:
      return DecodeE8M0(bits);
    case PrimitiveType::kF4E2M1FN:
      return DecodeE2M1(bits);
    default: {
      if (type == PrimitiveType::kF16) {
        if (auto finite = DecodeFiniteHalf(bits)) return *finite;
      }
      const llvm::APFloat number(FormatOf(type).semantics, llvm::APInt(BitWidth(type), bits));
      return number.convertToDouble();
    }
  }
}

uint64_t EncodeFloat(PrimitiveType type, double value) {
  switch (type) {
    case PrimitiveType::kF64:
      return std::bit_cast<uint64_t>(value);
    case PrimitiveType::kF32:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    case PrimitiveType::kF8E8M0FNU:
      return EncodeE8M0(value);
    case PrimitiveType::kF4E2M1FN:
      return EncodeE2M1(value);
    default: {
      if (auto normal = EncodeNormalHalf(type, value)) return *normal;
      const Format format = FormatOf(type);
      if (std::isnan(value)) {
        const bool keeps_sign = format.nan_style != NanStyle::kFixed && std::signbit(value);
        return format.nan | (keeps_sign ? SignBit(type) : 0);
      }
      llvm::APFloat number(value);
      bool inexact = false;
      number.convert(format.semantics, llvm::APFloat::rmNearestTiesToEven, &inexact);
      return number.bitcastToAPInt().getZExtValue();
    }
  }
}

bool IsNaNMinusZero(PrimitiveType type) {
  return type == PrimitiveType::kF8E4M3B11FNUZ || type == PrimitiveType::kF8E5M2FNUZ ||
         type == PrimitiveType::kF8E4M3FNUZ;
}

std::string FloatToText(PrimitiveType type, uint64_t bits) {
  if (IsNan(type, bits)) return NanToText(type, bits);
  const double value = DecodeFloat(type, bits);
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (type == PrimitiveType::kF64) return Shortest(value);
  if (type == PrimitiveType::kF32) {
    // Unless those few digits are so near to the middle of two floats that they are it as a double.
    std::string text = Shortest(static_cast<float>(value));
    return FloatFromText(type, text) == bits ? text : Shortest(value);
  }
  std::array<char, 64> buffer;
  for (int precision = 1; precision < 17; ++precision) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   std::chars_format::general, precision)
                         .ptr;
    const std::string text(buffer.data(), end);
    if (FloatFromText(type, text) == bits) return text;
  }
  return Shortest(value);
}

// As XLA reads it: a decimal is the nearest double, and that is rounded; ties to even.
std::optional<uint64_t> FloatFromText(PrimitiveType type, llvm::StringRef text) {
  llvm::StringRef magnitude = text;
  const bool negative = magnitude.consume_front("-");
  if (magnitude.consume_front("nan")) return NanFromText(type, negative, magnitude);
  if (magnitude == "inf") {
    const double infinity = std::numeric_limits<double>::infinity();
    const uint64_t bits = EncodeFloat(type, negative ? -infinity : infinity);
    return std::isinf(DecodeFloat(type, bits)) ? std::optional<uint64_t>(bits) : std::nullopt;
  }
  std::optional<double> value = ParseNumber(text);
  if (!value) return std::nullopt;
  // XLA converts to these through float: 1.00048828126 is 1 as an f16.
  if (type == PrimitiveType::kF16 || type == PrimitiveType::kBF16)
    value = static_cast<float>(*value);
  const uint64_t bits = EncodeFloat(type, *value);
  if (!std::isfinite(DecodeFloat(type, bits))) return std::nullopt;
  // Types that saturate, or have no sign, would quietly turn the number into another one.
  if (type == PrimitiveType::kF4E2M1FN && std::fabs(*value) > 7) return std::nullopt;
  if (type == PrimitiveType::kF8E8M0FNU && *value <= 0) return std::nullopt;
  return bits;
}

}  // namespace affirm::hlo
