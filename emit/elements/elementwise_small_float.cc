// Floats of 4 and 8 bits: values and back. They are exact in f32, where all arithmetic is done.
#include <cmath>

#include "emit/elements/scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
using mlir::Value;

constexpr int kF32Mantissa = 23;
constexpr int kF32Bias = 127;
constexpr int64_t kF32Infinity = 0x7F800000;
constexpr int64_t kF32Nan = 0x7FC00000;

// A sign, an exponent and a mantissa; the code of a value is its pattern without the sign, and
// codes order as magnitudes do. (f8E8M0FNU, which has an exponent alone, is not among them.)
struct Format {
  int mantissa;
  int bias;
  int64_t largest;      // the code of the largest finite value
  int64_t beyond;       // the pattern, sign aside, for what is larger
  int64_t nan;          // the default NaN; where there is none, what stands for it
  bool has_infinity;    // it is largest + 1, and all codes above are NaNs
  bool nan_is_minus_0;  // neither -0 nor a sign of NaN
};

Format FormatOf(mlir::Type type) {
  if (mlir::isa<mlir::Float8E5M2Type>(type)) return {2, 15, 0x7B, 0x7C, 0x7E, true, false};
  if (mlir::isa<mlir::Float8E4M3Type>(type)) return {3, 7, 0x77, 0x78, 0x7C, true, false};
  if (mlir::isa<mlir::Float8E3M4Type>(type)) return {4, 3, 0x6F, 0x70, 0x78, true, false};
  if (mlir::isa<mlir::Float8E4M3FNType>(type)) return {3, 7, 0x7E, 0x7F, 0x7F, false, false};
  if (mlir::isa<mlir::Float8E4M3B11FNUZType>(type)) return {3, 11, 0x7F, 0x80, 0x80, false, true};
  if (mlir::isa<mlir::Float8E5M2FNUZType>(type)) return {2, 16, 0x7F, 0x80, 0x80, false, true};
  if (mlir::isa<mlir::Float8E4M3FNUZType>(type)) return {3, 8, 0x7F, 0x80, 0x80, false, true};
  return {1, 1, 0x7, 0x7, 0x8, false, false};  // Float4E2M1FN
}

class SmallFloat {
 public:
  SmallFloat(Builder& b, mlir::Type type)
      : b_(b), type_(type), width_(static_cast<int>(type.getIntOrFloatBitWidth())) {}

  Value ToF32(Value value) {
    Value bits = arith::ExtUIOp::create(b_, b_.getI32Type(), ToBits(b_, value));
    return AsFloat(IsExponent() ? DecodeExponent(bits) : Decode(FormatOf(type_), bits));
  }

  Value FromF32(Value value) {
    Value bits = IsExponent() ? EncodeExponent(value) : Encode(FormatOf(type_), value);
    return FromBits(b_, arith::TruncIOp::create(b_, b_.getIntegerType(width_), bits), type_);
  }

 private:
  using Predicate = arith::CmpIPredicate;

  bool IsExponent() const { return mlir::isa<mlir::Float8E8M0FNUType>(type_); }
  Value Int(int64_t v) { return IntConstant(b_, b_.getI32Type(), v); }
  Value Float(double v) { return FloatConstant(b_, b_.getF32Type(), v); }
  Value AsFloat(Value bits) { return arith::BitcastOp::create(b_, b_.getF32Type(), bits); }
  Value AsInt(Value x) { return arith::BitcastOp::create(b_, b_.getI32Type(), x); }
  Value Add(Value x, Value y) { return arith::AddIOp::create(b_, x, y); }
  Value And(Value x, Value y) { return arith::AndIOp::create(b_, x, y); }
  Value Or(Value x, Value y) { return arith::OrIOp::create(b_, x, y); }
  Value Left(Value x, int n) { return arith::ShLIOp::create(b_, x, Int(n)); }
  Value Right(Value x, int n) { return arith::ShRUIOp::create(b_, x, Int(n)); }
  Value Is(Predicate p, Value x, Value y) { return arith::CmpIOp::create(b_, p, x, y); }
  Value IsNan(Value x) { return arith::CmpFOp::create(b_, arith::CmpFPredicate::UNO, x, x); }
  Value Select(Value c, Value x, Value y) { return arith::SelectOp::create(b_, c, x, y); }

  // From a pattern to the pattern of the same value in f32.
  Value Decode(const Format& format, Value bits) {
    int64_t sign_bit = int64_t{1} << (width_ - 1);
    Value code = And(bits, Int(sign_bit - 1));
    Value sign = Left(And(bits, Int(sign_bit)), 32 - width_);
    // A subnormal is a multiple of the smallest one.
    Value count = arith::UIToFPOp::create(b_, b_.getF32Type(), code);
    double smallest = std::ldexp(1.0, 1 - format.bias - format.mantissa);
    Value subnormal = AsInt(arith::MulFOp::create(b_, count, Float(smallest)));
    Value normal = Add(Left(code, kF32Mantissa - format.mantissa),
                       Int(int64_t{kF32Bias - format.bias} << kF32Mantissa));
    Value is_normal = Is(Predicate::uge, code, Int(int64_t{1} << format.mantissa));
    Value magnitude = Select(is_normal, normal, subnormal);
    if (format.nan_is_minus_0) {
      return Select(Is(Predicate::eq, bits, Int(format.nan)), Int(kF32Nan), Or(magnitude, sign));
    }
    if (format.largest + 1 < sign_bit) {
      Value special = Int(kF32Nan);
      if (format.has_infinity) {
        special =
            Select(Is(Predicate::eq, code, Int(format.beyond)), Int(kF32Infinity), Int(kF32Nan));
      }
      magnitude = Select(Is(Predicate::ugt, code, Int(format.largest)), special, magnitude);
    }
    return Or(magnitude, sign);
  }

  // From f32 to the nearest pattern, ties to even.
  Value Encode(const Format& format, Value x) {
    Value bits = AsInt(x);
    Value magnitude = And(bits, Int(INT32_MAX));
    Value sign = Left(Right(bits, 31), width_ - 1);
    int dropped = kF32Mantissa - format.mantissa;
    Value last = And(Right(magnitude, dropped), Int(1));
    Value rounded =
        Right(Add(magnitude, Add(last, Int((int64_t{1} << (dropped - 1)) - 1))), dropped);
    Value normal = Add(rounded, Int(-(int64_t{kF32Bias - format.bias} << format.mantissa)));
    // Next to this number f32 steps by the smallest subnormal: the sum is rounded to a multiple.
    Value anchor = Float(std::ldexp(1.0, 1 - format.bias + dropped));
    Value sum = arith::AddFOp::create(b_, AsFloat(magnitude), anchor);
    Value subnormal = arith::SubIOp::create(b_, AsInt(sum), AsInt(anchor));
    Value is_normal =
        Is(Predicate::uge, magnitude, Int(int64_t{kF32Bias + 1 - format.bias} << kF32Mantissa));
    Value code = Select(is_normal, normal, subnormal);
    code = Select(Is(Predicate::sgt, code, Int(format.largest)), Int(format.beyond), code);
    if (format.nan_is_minus_0) {
      sign = Select(Is(Predicate::eq, code, Int(0)), Int(0), sign);
      return Select(IsNan(x), Int(format.nan), Or(code, sign));
    }
    // The one format without NaN takes -0 for it, of whatever sign.
    return Or(Select(IsNan(x), Int(format.nan), code), sign);
  }

  Value DecodeExponent(Value bits) {
    Value power = Left(bits, kF32Mantissa);
    Value smallest = Int(int64_t{1} << (kF32Mantissa - 1));  // 2^-127, subnormal in f32
    Value nan = Is(Predicate::eq, bits, Int(0xFF));
    return Select(nan, Int(kF32Nan), Select(Is(Predicate::eq, bits, Int(0)), smallest, power));
  }

  // The nearest power, the larger one from the middle between two; zero, negative numbers,
  // infinities and NaNs become the NaN.
  Value EncodeExponent(Value x) {
    Value bits = AsInt(x);
    Value half = Int(int64_t{1} << (kF32Mantissa - 1));
    Value normal = Right(Add(bits, half), kF32Mantissa);
    // Subnormal numbers have no bit in front: the middle is 1.5 * 2^-127.
    Value subnormal =
        Select(Is(Predicate::uge, bits, Int(int64_t{3} << (kF32Mantissa - 2))), Int(1), Int(0));
    Value is_normal = Is(Predicate::uge, bits, Int(int64_t{1} << kF32Mantissa));
    Value code = Select(is_normal, normal, subnormal);
    // Less one, as an unsigned number, the bits of zero are beyond infinity as those of negative
    // numbers and NaNs are.
    Value none = Is(Predicate::uge, Add(bits, Int(-1)), Int(kF32Infinity - 1));
    return Select(none, Int(0xFF), code);
  }

  Builder& b_;
  mlir::Type type_;
  int width_;
};

bool IsSmall(mlir::Type type) {
  return mlir::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() <= 8;
}

}  // namespace

Value Widen(Builder& b, Value value) {
  mlir::Type type = value.getType();
  if (!mlir::isa<mlir::FloatType>(type) || type.getIntOrFloatBitWidth() >= 32) return value;
  if (IsSmall(type)) return SmallFloat(b, type).ToF32(value);
  return arith::ExtFOp::create(b, b.getF32Type(), value);
}

Value Narrow(Builder& b, Value value, mlir::Type type) {
  if (value.getType() == type) return value;
  if (IsSmall(type)) return SmallFloat(b, type).FromF32(value);
  return arith::TruncFOp::create(b, type, value);
}

}  // namespace affirm::emit
