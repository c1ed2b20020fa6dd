#include "verify/lemma/emit_floats.h"

#include <cmath>
#include <optional>

#include "core/hlo/float_format.h"

namespace affirm::lemma {

namespace {

using hlo::PrimitiveType;
using llvm::Value;

// How a type writes what is no number: as nan_style of core/hlo/float_format.cc.
enum class Special : uint8_t {
  kInfinities,   // exponent all ones: infinity, or NaN with any mantissa
  kNanAllOnes,   // all ones but for the sign; no infinity
  kNanNegative,  // the sign alone; no infinity and no -0
  kNone,         // neither
};

struct Format {
  int mantissa;  // bits
  int lowest;    // the exponent of the smallest normal number
  double largest;
  Special special;

  int bias() const { return 1 - lowest; }
};

std::optional<Format> FormatOf(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kF16:
      return Format{10, -14, 65504, Special::kInfinities};
    case PrimitiveType::kBF16:
      return Format{7, -126, 0x1.FEp127, Special::kInfinities};
    case PrimitiveType::kF8E5M2:
      return Format{2, -14, 57344, Special::kInfinities};
    case PrimitiveType::kF8E4M3:
      return Format{3, -6, 240, Special::kInfinities};
    case PrimitiveType::kF8E3M4:
      return Format{4, -2, 15.5, Special::kInfinities};
    case PrimitiveType::kF8E4M3FN:
      return Format{3, -6, 448, Special::kNanAllOnes};
    case PrimitiveType::kF8E4M3B11FNUZ:
      return Format{3, -10, 30, Special::kNanNegative};
    case PrimitiveType::kF8E5M2FNUZ:
      return Format{2, -15, 57344, Special::kNanNegative};
    case PrimitiveType::kF8E4M3FNUZ:
      return Format{3, -7, 240, Special::kNanNegative};
    case PrimitiveType::kF4E2M1FN:
      return Format{1, 0, 6, Special::kNone};
    default:
      return std::nullopt;
  }
}

constexpr int kF32Mantissa = 23, kF32Bias = 127;

int MantissaOf(llvm::Type* type) { return type->isDoubleTy() ? 52 : kF32Mantissa; }

}  // namespace

bool FloatEmitter::Has(PrimitiveType type) {
  return type == PrimitiveType::kF32 || type == PrimitiveType::kF64 || FormatOf(type).has_value();
}

bool FloatEmitter::HasManyNans(PrimitiveType type) {
  const std::optional<Format> format = FormatOf(type);
  return !format || format->special == Special::kInfinities ||
         format->special == Special::kNanAllOnes;
}

llvm::Type* FloatEmitter::TypeOf(PrimitiveType type) const {
  return type == PrimitiveType::kF64 ? b_.getDoubleTy() : b_.getFloatTy();
}

Value* FloatEmitter::Constant(Value* like, double number) {
  return llvm::ConstantFP::get(like->getType(), number);
}

Value* FloatEmitter::Bits(Value* value) {
  return b_.CreateBitCast(value, b_.getIntNTy(value->getType()->getScalarSizeInBits()));
}

Value* FloatEmitter::FromBits(Value* bits) {
  const bool wide = bits->getType()->getScalarSizeInBits() == 64;
  return b_.CreateBitCast(bits, wide ? b_.getDoubleTy() : b_.getFloatTy());
}

Value* FloatEmitter::IsNan(Value* value) { return b_.CreateFCmpUNO(value, value); }

Value* FloatEmitter::Round(PrimitiveType type, Value* x) {
  if (x->getType() == TypeOf(type) && !FormatOf(type)) return x;
  if (type == PrimitiveType::kF32) return b_.CreateFPTrunc(x, b_.getFloatTy());
  if (type == PrimitiveType::kF64) return b_.CreateFPExt(x, b_.getDoubleTy());
  const Format format = *FormatOf(type);
  const int width = static_cast<int>(x->getType()->getScalarSizeInBits());
  auto integer = [&](uint64_t bits) { return b_.getIntN(width, bits); };
  const uint64_t sign_bit = uint64_t{1} << (width - 1);
  Value* bits = Bits(x);
  Value* sign = b_.CreateAnd(bits, integer(sign_bit));
  Value* magnitude = b_.CreateAnd(bits, integer(sign_bit - 1));
  // Normal numbers: adds half of the last place less a bit, and one more where that place is odd. A
  // carry goes into the exponent.
  const int dropped = MantissaOf(x->getType()) - format.mantissa;
  Value* odd = b_.CreateAnd(b_.CreateLShr(magnitude, dropped), integer(1));
  Value* half = integer((uint64_t{1} << (dropped - 1)) - 1);
  Value* raised = b_.CreateAdd(magnitude, b_.CreateAdd(half, odd));
  Value* kept = FromBits(b_.CreateAnd(raised, integer(~((uint64_t{1} << dropped) - 1))));
  // Smaller ones: an addition whose sum has the type's smallest number as its last place.
  Value* anchor = Constant(x, std::ldexp(1.0, format.lowest + dropped));
  Value* absolute = FromBits(magnitude);
  Value* small = b_.CreateFSub(b_.CreateFAdd(absolute, anchor), anchor);
  Value* is_small = b_.CreateFCmpOLT(absolute, Constant(x, std::ldexp(1.0, format.lowest)));
  Value* rounded = b_.CreateSelect(is_small, small, kept);
  double beyond = std::numeric_limits<double>::quiet_NaN();
  if (format.special == Special::kInfinities) beyond = std::numeric_limits<double>::infinity();
  if (format.special == Special::kNone) beyond = format.largest;
  Value* is_beyond = b_.CreateFCmpOGT(rounded, Constant(x, format.largest));
  rounded = b_.CreateSelect(is_beyond, Constant(x, beyond), rounded);
  if (format.special == Special::kNanNegative) {
    Value* is_zero = b_.CreateFCmpOEQ(rounded, Constant(x, 0));
    sign = b_.CreateSelect(is_zero, integer(0), sign);
  }
  Value* result = FromBits(b_.CreateOr(Bits(rounded), sign));
  Value* nan = Constant(
      x, format.special == Special::kNone ? -0.0 : std::numeric_limits<double>::quiet_NaN());
  result = b_.CreateSelect(IsNan(x), nan, result);
  return width == 64 ? b_.CreateFPTrunc(result, b_.getFloatTy()) : result;
}

Value* FloatEmitter::Encode(PrimitiveType type, Value* value) {
  const std::optional<Format> found = FormatOf(type);
  if (!found) {
    const uint64_t nan = hlo::EncodeFloat(type, std::numeric_limits<double>::quiet_NaN());
    Value* bits = Bits(value);
    return b_.CreateSelect(IsNan(value), llvm::ConstantInt::get(bits->getType(), nan), bits);
  }
  const Format format = *found;
  const int width = hlo::BitWidth(type), dropped = kF32Mantissa - format.mantissa;
  Value* bits = Bits(value);
  Value* magnitude = b_.CreateAnd(bits, b_.getInt32(0x7FFFFFFF));
  Value* code = b_.CreateSub(b_.CreateLShr(magnitude, dropped),
                             b_.getInt32((kF32Bias - format.bias()) << format.mantissa));
  // The sum has the type's smallest number as its last place: the number of these.
  Value* absolute = FromBits(magnitude);
  Value* anchor = Constant(value, std::ldexp(1.0, format.lowest + dropped));
  Value* small = b_.CreateSub(Bits(b_.CreateFAdd(absolute, anchor)), Bits(anchor));
  Value* is_small = b_.CreateFCmpOLT(absolute, Constant(value, std::ldexp(1.0, format.lowest)));
  code = b_.CreateSelect(is_small, small, code);
  if (format.special == Special::kInfinities) {
    const uint32_t infinity = ((1u << (width - 1 - format.mantissa)) - 1) << format.mantissa;
    Value* is_infinite =
        b_.CreateFCmpOEQ(absolute, Constant(value, std::numeric_limits<double>::infinity()));
    code = b_.CreateSelect(is_infinite, b_.getInt32(infinity), code);
  }
  Value* sign = b_.CreateShl(b_.CreateLShr(bits, 31), width - 1);
  code = b_.CreateOr(code, sign);
  const auto nan =
      static_cast<uint32_t>(hlo::EncodeFloat(type, std::numeric_limits<double>::quiet_NaN()));
  code = b_.CreateSelect(IsNan(value), b_.getInt32(nan), code);
  return b_.CreateTrunc(code, b_.getIntNTy(width));
}

Value* FloatEmitter::Decode(PrimitiveType type, Value* bits) {
  const std::optional<Format> found = FormatOf(type);
  if (!found) return FromBits(bits);
  const Format format = *found;
  const int width = hlo::BitWidth(type), dropped = kF32Mantissa - format.mantissa;
  const uint32_t sign_bit = 1u << (width - 1);
  Value* code = b_.CreateZExt(bits, b_.getInt32Ty());
  Value* magnitude = b_.CreateAnd(code, b_.getInt32(sign_bit - 1));
  Value* value = FromBits(
      b_.CreateAdd(b_.CreateShl(magnitude, dropped),
                   b_.getInt32(static_cast<uint32_t>(kF32Bias - format.bias()) << kF32Mantissa)));
  // Below the normal numbers the code is the number of smallest ones.
  Value* small = b_.CreateFMul(b_.CreateSIToFP(magnitude, b_.getFloatTy()),
                               Constant(value, std::ldexp(1.0, format.lowest - format.mantissa)));
  Value* is_small = b_.CreateICmpULT(magnitude, b_.getInt32(1u << format.mantissa));
  value = b_.CreateSelect(is_small, small, value);
  Value* sign = b_.CreateShl(b_.CreateAnd(code, b_.getInt32(sign_bit)), 32 - width);
  Value* nan = Constant(value, std::numeric_limits<double>::quiet_NaN());
  if (format.special == Special::kInfinities) {
    const uint32_t infinity = ((1u << (width - 1 - format.mantissa)) - 1) << format.mantissa;
    Value* infinite = Constant(value, std::numeric_limits<double>::infinity());
    value = b_.CreateSelect(b_.CreateICmpEQ(magnitude, b_.getInt32(infinity)), infinite, value);
    value = b_.CreateSelect(b_.CreateICmpUGT(magnitude, b_.getInt32(infinity)), nan, value);
  }
  value = FromBits(b_.CreateOr(Bits(value), sign));
  if (format.special == Special::kNanAllOnes)
    value = b_.CreateSelect(b_.CreateICmpEQ(magnitude, b_.getInt32(sign_bit - 1)), nan, value);
  if (format.special == Special::kNanNegative)
    value = b_.CreateSelect(b_.CreateICmpEQ(code, b_.getInt32(sign_bit)), nan, value);
  return value;
}

Value* FloatEmitter::ReducePrecision(PrimitiveType type, Value* value, int exponent_bits,
                                     int mantissa_bits) {
  // The fields of the type that reduce-precision is defined on: others go through f32.
  const bool half = type == PrimitiveType::kF16, brain = type == PrimitiveType::kBF16,
             wide = type == PrimitiveType::kF64;
  const PrimitiveType by = half || brain || wide ? type : PrimitiveType::kF32;
  const int exponent_field = half ? 5 : wide ? 11 : 8;
  const int mantissa_field = half ? 10 : brain ? 7 : wide ? 52 : 23;
  Value* bits = Encode(by, value);
  const auto width = static_cast<unsigned>(bits->getType()->getIntegerBitWidth());
  auto integer = [&](uint64_t number) { return b_.getIntN(width, number); };
  const uint64_t sign_bit = uint64_t{1} << (width - 1);
  const uint64_t infinity = ((uint64_t{1} << exponent_field) - 1) << mantissa_field;
  Value* sign = b_.CreateAnd(bits, integer(sign_bit));
  Value* magnitude = b_.CreateAnd(bits, integer(sign_bit - 1));
  const int dropped = mantissa_field - std::min(mantissa_bits, mantissa_field);
  if (dropped > 0) {
    Value* odd = b_.CreateAnd(b_.CreateLShr(magnitude, dropped), integer(1));
    Value* half_place = integer((uint64_t{1} << (dropped - 1)) - 1);
    Value* raised = b_.CreateAdd(magnitude, b_.CreateAdd(half_place, odd));
    magnitude = b_.CreateAnd(raised, integer(~((uint64_t{1} << dropped) - 1)));
  }
  if (exponent_bits < exponent_field) {
    const uint64_t bias = (uint64_t{1} << (exponent_field - 1)) - 1;
    const uint64_t narrow_bias = (uint64_t{1} << (exponent_bits - 1)) - 1;
    Value* exponent = b_.CreateLShr(magnitude, mantissa_field);
    Value* too_large = b_.CreateICmpUGT(exponent, integer(bias + narrow_bias));
    Value* too_small = b_.CreateICmpULE(exponent, integer(bias - narrow_bias));
    magnitude = b_.CreateSelect(too_large, integer(infinity), magnitude);
    magnitude = b_.CreateSelect(too_small, integer(0), magnitude);
  }
  return Round(type, Decode(by, b_.CreateOr(magnitude, sign)));
}

}  // namespace affirm::lemma
