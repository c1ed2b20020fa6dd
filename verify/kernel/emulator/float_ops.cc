#include "verify/kernel/emulator/float_ops.h"

#include <algorithm>
#include <cmath>

#include "core/hlo/float_format.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/FloatingPointMode.h"
#include "llvm/IR/InstrTypes.h"
#include "verify/scalar/elementwise_convert.h"
#include "verify/scalar/extrema.h"
#include "verify/scalar/float_limits.h"

namespace affirm::kernel {
namespace {

template <typename T>
T ComputeAs(FloatFunction function, T x, T y) {
  switch (function) {
    case FloatFunction::kAdd:
      return x + y;
    case FloatFunction::kSub:
      return x - y;
    case FloatFunction::kMul:
      return x * y;
    case FloatFunction::kDiv:
      return x / y;
    case FloatFunction::kRem:
      return std::fmod(x, y);
    case FloatFunction::kMinNum:
      return std::fmin(x, y);
    case FloatFunction::kMaxNum:
      return std::fmax(x, y);
    case FloatFunction::kMinimumNum:
      return std::isnan(x) ? y : std::isnan(y) ? x : hlo::Minimum(x, y);
    case FloatFunction::kMaximumNum:
      return std::isnan(x) ? y : std::isnan(y) ? x : hlo::Maximum(x, y);
    case FloatFunction::kMinimum:
      return hlo::Minimum(x, y);
    case FloatFunction::kMaximum:
      return hlo::Maximum(x, y);
    case FloatFunction::kCopySign:
      return std::copysign(x, y);
  }
  return 0;
}

template <typename T>
T ApplyAs(const MathFunction& function, T x, T y, T z) {
  if constexpr (sizeof(T) == 4) {
    if (function.arity == 1) return function.unary_float(x);
    return function.arity == 2 ? function.binary_float(x, y) : function.ternary_float(x, y, z);
  } else {
    if (function.arity == 1) return function.unary_double(x);
    return function.arity == 2 ? function.binary_double(x, y) : function.ternary_double(x, y, z);
  }
}

hlo::PrimitiveType TypeOf(FloatKind kind) {
  switch (kind) {
    case kDouble:
      return hlo::PrimitiveType::kF64;
    case kFloat:
      return hlo::PrimitiveType::kF32;
    case kBFloat:
      return hlo::PrimitiveType::kBF16;
    default:
      return hlo::PrimitiveType::kF16;
  }
}

float NarrowToFloat(FloatKind kind, uint64_t bits) {
  if (kind == kBFloat) return AsFloat((bits & 0xffff) << 16);
  llvm::APFloat value(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits & 0xffff));
  return value.convertToFloat();
}

}  // namespace

double Decode(FloatKind kind, uint64_t bits) {
  if (kind == kDouble) return AsDouble(bits);
  if (kind == kFloat) return AsFloat(bits);
  return NarrowToFloat(kind, bits);
}

uint64_t EncodeNarrow(FloatKind kind, float value) {
  if (kind == kBFloat) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    if (std::isnan(value)) return 0x7fc0;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  }
  if (std::isnan(value)) return 0x7e00;
  llvm::APFloat exact(value);
  bool lost = false;
  exact.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return exact.bitcastToAPInt().getZExtValue();
}

uint64_t Encode(FloatKind kind, double value) {
  if (kind == kDouble) return BitsOf(value);
  if (kind == kFloat) return BitsOf(static_cast<float>(value));
  llvm::APFloat exact(value);
  bool lost = false;
  exact.convert(kind == kHalf ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat(),
                llvm::APFloat::rmNearestTiesToEven, &lost);
  return exact.bitcastToAPInt().getZExtValue();
}

uint64_t Compute(FloatFunction function, FloatKind kind, uint64_t a, uint64_t b) {
  if (function == FloatFunction::kCopySign) {  // of a NaN, too
    const uint64_t sign = uint64_t{1} << (WidthOf(kind) - 1);
    return (a & ~sign) | (b & sign);
  }
  switch (kind) {
    case kDouble:
      return ResultBits(ComputeAs(function, AsDouble(a), AsDouble(b)));
    case kFloat:
      return ResultBits(ComputeAs(function, AsFloat(a), AsFloat(b)));
    default:
      return EncodeNarrow(kind,
                          ComputeAs(function, NarrowToFloat(kind, a), NarrowToFloat(kind, b)));
  }
}

// Rounded once: a sum of bf16 may have more bits than double.
static uint64_t FusedNarrow(FloatKind kind, uint64_t a, uint64_t b, uint64_t c) {
  const llvm::fltSemantics& semantics =
      kind == kBFloat ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf();
  auto number = [&](uint64_t bits) {
    return llvm::APFloat(semantics, llvm::APInt(16, bits & 0xffff));
  };
  llvm::APFloat sum = number(a);
  sum.fusedMultiplyAdd(number(b), number(c), llvm::APFloat::rmNearestTiesToEven);
  if (sum.isNaN()) return EncodeNarrow(kind, std::nanf(""));
  return sum.bitcastToAPInt().getZExtValue();
}

uint64_t ComputeMath(const MathFunction& function, FloatKind kind, uint64_t a, uint64_t b,
                     uint64_t c) {
  // The sign of a NaN is cleared too (LangRef, "Behavior of Floating-Point NaN values").
  if (function.name == llvm::StringRef("fabs"))
    return a & ((uint64_t{1} << (WidthOf(kind) - 1)) - 1);
  switch (kind) {
    case kDouble:
      return ResultBits(ApplyAs(function, AsDouble(a), AsDouble(b), AsDouble(c)));
    case kFloat:
      return ResultBits(ApplyAs(function, AsFloat(a), AsFloat(b), AsFloat(c)));
    default:
      if (function.arity == 3) return FusedNarrow(kind, a, b, c);  // fma is the only one
      return EncodeNarrow(kind, ApplyAs(function, NarrowToFloat(kind, a), NarrowToFloat(kind, b),
                                        NarrowToFloat(kind, c)));
  }
}

uint64_t Negate(FloatKind kind, uint64_t bits) {
  return bits ^ (uint64_t{1} << (WidthOf(kind) - 1));
}

bool Compare(unsigned predicate, FloatKind kind, uint64_t a, uint64_t b) {
  const double x = Decode(kind, a), y = Decode(kind, b);
  // The bits of the predicate say which of the four outcomes it accepts: equal, greater, less,
  // unordered.
  static_assert(llvm::CmpInst::FCMP_OEQ == 1 && llvm::CmpInst::FCMP_OGT == 2 &&
                llvm::CmpInst::FCMP_OLT == 4 && llvm::CmpInst::FCMP_UNO == 8);
  const unsigned outcome = std::isnan(x) || std::isnan(y) ? 8u : x == y ? 1u : x > y ? 2u : 4u;
  return (predicate & outcome) != 0;
}

uint64_t Convert(FloatKind from, FloatKind to, uint64_t bits) {
  if (from == to) return bits;
  // NaNs keep what they can of their payload, as casts of the host do.
  return Encode(to, Decode(from, bits));
}

uint64_t ToSmall(FloatKind from, hlo::PrimitiveType small, uint64_t bits) {
  const double value = Decode(from, bits), largest = hlo::LargestFinite(small);
  if (std::isnan(value)) return 0x7f;
  return hlo::EncodeFloat(small, std::clamp(value, -largest, largest));
}

static const llvm::fltSemantics& SemanticsOf(hlo::PrimitiveType small) {
  return small == hlo::PrimitiveType::kF8E5M2 ? llvm::APFloat::Float8E5M2()
                                              : llvm::APFloat::Float8E4M3FN();
}

uint64_t FromSmall(hlo::PrimitiveType small, FloatKind to, uint64_t bits) {
  const llvm::APFloat value(SemanticsOf(small), llvm::APInt(8, bits & 0xff));
  return Encode(to, value.convertToDouble());
}

uint64_t ToTf32(uint64_t bits) {
  constexpr uint64_t kExponent = 0x7f800000, kDropped = 0x1fff;
  if ((bits & kExponent) == kExponent) return bits;
  return (bits + (kDropped + 1) / 2) & ~kDropped;
}

uint64_t FromInteger(uint64_t bits, unsigned width, bool is_signed, FloatKind to) {
  const hlo::IntType type = {static_cast<int>(width), is_signed};
  return Encode(to, hlo::IntToFloat(type.Wrap(bits), type, TypeOf(to)));
}

uint64_t ToInteger(FloatKind from, uint64_t bits, unsigned width, bool is_signed, bool& fits) {
  const hlo::IntType type = {static_cast<int>(width), is_signed};
  const double value = std::trunc(Decode(from, bits));
  const double limit = std::ldexp(1.0, type.bits - (is_signed ? 1 : 0));
  fits = value >= (is_signed ? -limit : 0) && value < limit;
  return static_cast<uint64_t>(hlo::SaturateToInt(value, type)) & type.Mask();
}

bool HasClass(FloatKind kind, uint64_t bits, int64_t classes) {
  const llvm::fltSemantics* semantics = kind == kDouble   ? &llvm::APFloat::IEEEdouble()
                                        : kind == kFloat  ? &llvm::APFloat::IEEEsingle()
                                        : kind == kBFloat ? &llvm::APFloat::BFloat()
                                                          : &llvm::APFloat::IEEEhalf();
  llvm::APFloat value(*semantics, llvm::APInt(WidthOf(kind), bits));
  return (static_cast<int64_t>(value.classify()) & classes) != 0;
}

}  // namespace affirm::kernel
