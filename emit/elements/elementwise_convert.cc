// Conversions between types, with the saturation and the single rounding that XLA has.
#include <cmath>

#include "emit/elements/scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
namespace math = mlir::math;
using hlo::PrimitiveType;
using mlir::Value;

// f64 to f32 "rounding to odd": truncation whose last bit remembers that something was lost.
// Rounding the answer to 16 bits then equals rounding the f64 once.
Value TruncateToOdd(Builder& b, Value value) {
  mlir::Type i32 = b.getI32Type();
  Value nearest = arith::TruncFOp::create(b, b.getF32Type(), value);
  Value back = arith::ExtFOp::create(b, b.getF64Type(), nearest);
  Value bits = arith::BitcastOp::create(b, i32, nearest);
  Value beyond = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, math::AbsFOp::create(b, back),
                                       math::AbsFOp::create(b, value));
  // One step toward zero where rounding went past the value; then the sticky bit.
  Value toward_zero = arith::SubIOp::create(b, bits, arith::ExtUIOp::create(b, i32, beyond));
  Value odd = arith::OrIOp::create(b, toward_zero, IntConstant(b, i32, 1));
  Value inexact = arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, value);
  Value chosen = arith::SelectOp::create(b, inexact, odd, bits);
  return arith::BitcastOp::create(b, b.getF32Type(), chosen);
}

Value FloatToFloat(Builder& b, Value value, mlir::Type to) {
  if (to.getIntOrFloatBitWidth() < 32) {
    if (value.getType().isF64()) value = TruncateToOdd(b, value);
    return Narrow(b, Widen(b, value), to);
  }
  value = Widen(b, value);
  if (value.getType() == to) return value;
  if (to.isF64()) return arith::ExtFOp::create(b, to, value);
  return arith::TruncFOp::create(b, to, value);
}

// A 64-bit integer that f64 holds exactly and that rounds to 16 bits as `value` does: beyond 2^53
// the low bits are cut off, and the last bit kept remembers whether they were zero.
Value CutOff(Builder& b, Value value, bool is_signed) {
  mlir::Type type = value.getType();
  auto constant = [&](int64_t v) { return IntConstant(b, type, v); };
  constexpr int64_t kLow = (int64_t{1} << 11) - 1;
  Value low = arith::AndIOp::create(b, value, constant(kLow));
  Value lost = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, low, constant(0));
  Value sticky = arith::SelectOp::create(b, lost, constant(kLow + 1), constant(0));
  Value high = arith::AndIOp::create(b, value, constant(~kLow));
  Value cut = arith::OrIOp::create(b, high, sticky);
  // |value| < 2^53 is exact as it stands; shifting the interval to start at 0 asks both sides at
  // once.
  constexpr int64_t kExact = int64_t{1} << 53;
  Value shifted = is_signed ? Value(arith::AddIOp::create(b, value, constant(kExact))) : value;
  Value exact = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, shifted,
                                      constant(is_signed ? 2 * kExact : kExact));
  return arith::SelectOp::create(b, exact, value, cut);
}

Value IntToFloat(Builder& b, Value value, bool is_signed, mlir::Type to) {
  bool narrow = to.getIntOrFloatBitWidth() < 32;
  if (narrow && value.getType().isInteger(64)) value = CutOff(b, value, is_signed);
  // To 16 bits in two steps, of which the first is exact.
  mlir::Type through = narrow ? b.getF64Type() : to;
  Value wide;
  if (is_signed) {
    wide = arith::SIToFPOp::create(b, through, value);
  } else {
    wide = arith::UIToFPOp::create(b, through, value);
  }
  return narrow ? FloatToFloat(b, wide, to) : wide;
}

Value FloatToInt(Builder& b, Value value, bool is_signed, mlir::Type to) {
  value = Widen(b, value);
  mlir::Type type = value.getType();
  int bits = static_cast<int>(to.getIntOrFloatBitWidth());
  llvm::APInt max =
      is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  llvm::APInt min = is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt(bits, 0);
  auto constant = [&](const llvm::APInt& v) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(to, v));
  };
  // The first float above the range, and its lowest value: both powers of two (or 0), so exact.
  Value above = FloatConstant(b, type, std::ldexp(1.0, is_signed ? bits - 1 : bits));
  Value lowest = FloatConstant(b, type, is_signed ? -std::ldexp(1.0, bits - 1) : 0.0);
  Value too_big = arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, value, above);
  Value too_small = arith::CmpFOp::create(b, arith::CmpFPredicate::OLE, value, lowest);
  Value nan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  Value outside = arith::OrIOp::create(b, arith::OrIOp::create(b, too_big, too_small), nan);
  // Converting outside the range is undefined; feed a zero there.
  Value safe = arith::SelectOp::create(b, outside, FloatConstant(b, type, 0.0), value);
  Value inside;
  if (is_signed) {
    inside = arith::FPToSIOp::create(b, to, safe);
  } else {
    inside = arith::FPToUIOp::create(b, to, safe);
  }
  Value result = arith::SelectOp::create(b, too_big, constant(max), inside);
  return arith::SelectOp::create(b, too_small, constant(min), result);
}

Value IntToInt(Builder& b, Value value, bool from_signed, mlir::Type to) {
  unsigned from_bits = value.getType().getIntOrFloatBitWidth();
  unsigned to_bits = to.getIntOrFloatBitWidth();
  if (from_bits == to_bits) return value;
  if (from_bits > to_bits) return arith::TruncIOp::create(b, to, value);
  if (from_signed) return arith::ExtSIOp::create(b, to, value);
  return arith::ExtUIOp::create(b, to, value);
}

// The parts of a complex number one by one; a real number has the imaginary part 0.
Value ToComplex(Builder& b, Value value, PrimitiveType from, PrimitiveType to) {
  auto part = [](PrimitiveType type) {
    return type == PrimitiveType::kC64 ? PrimitiveType::kF32 : PrimitiveType::kF64;
  };
  if (!hlo::IsComplex(from)) {
    return MakeComplex(b, Convert(b, value, from, part(to)), ZeroConstant(b, part(to)));
  }
  return MakeComplex(b, Convert(b, Real(b, value), part(from), part(to)),
                     Convert(b, Imag(b, value), part(from), part(to)));
}

}  // namespace

Value Convert(Builder& b, Value value, PrimitiveType from, PrimitiveType to) {
  mlir::Type type = ValueType(b.getContext(), to);
  bool float_from = hlo::IsFloat(from);
  if (from == to) return value;
  if (hlo::IsComplex(to)) return ToComplex(b, value, from, to);
  if (to == PrimitiveType::kPred) {
    if (!float_from) {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value,
                                   IntConstant(b, value.getType(), 0));
    }
    value = Widen(b, value);
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, value,
                                 FloatConstant(b, value.getType(), 0.0));
  }
  if (float_from && hlo::IsFloat(to)) return FloatToFloat(b, value, type);
  if (float_from) return FloatToInt(b, value, hlo::IsSignedInt(to), type);
  if (from == PrimitiveType::kPred && hlo::IsFloat(to) && hlo::BitWidth(to) >= 16) {
    return arith::SelectOp::create(b, value, FloatConstant(b, type, 1), FloatConstant(b, type, 0));
  }
  if (hlo::IsFloat(to)) return IntToFloat(b, value, hlo::IsSignedInt(from), type);
  return IntToInt(b, value, hlo::IsSignedInt(from), type);
}

Value ConvertIndex(Builder& b, Value index, PrimitiveType to) {
  Value wide = arith::IndexCastOp::create(b, b.getI64Type(), index);
  return Convert(b, wide, PrimitiveType::kS64, to);
}

}  // namespace affirm::emit
