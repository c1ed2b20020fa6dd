// Floating-point ops, on f32 and f64; narrower operands arrive here widened (but for
// reduce-precision, which works on the bits of the type itself).
#include <numbers>

#include "emit/elements/scalar.h"
#include "emit/plan/flat_graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
namespace math = mlir::math;
using hlo::Opcode;
using mlir::Value;

class FloatEmitter {
 public:
  FloatEmitter(Builder& b, mlir::Type type)
      : b_(b), type_(type), bits_(b.getIntegerType(type.getIntOrFloatBitWidth())) {}

  Value Constant(double v) { return FloatConstant(b_, type_, v); }
  Value Is(arith::CmpFPredicate p, Value x, Value y) { return arith::CmpFOp::create(b_, p, x, y); }
  Value Select(Value c, Value x, Value y) { return arith::SelectOp::create(b_, c, x, y); }
  Value Nan(Value x) { return Is(arith::CmpFPredicate::UNO, x, x); }

  // NaN and both zeros are their own sign.
  Value Sign(Value x) {
    Value keep = Is(arith::CmpFPredicate::UEQ, x, Constant(0.0));
    return Select(keep, x, math::CopySignOp::create(b_, Constant(1.0), x));
  }

  Value Logistic(Value x) {
    Value e = math::ExpOp::create(b_, arith::NegFOp::create(b_, x));
    return arith::DivFOp::create(b_, Constant(1.0), arith::AddFOp::create(b_, Constant(1.0), e));
  }

  Value ReducePrecision(Value x, int64_t exponent_bits, int64_t mantissa_bits);

 private:
  Value Int(uint64_t v) { return IntConstant(b_, bits_, static_cast<int64_t>(v)); }

  Builder& b_;
  mlir::Type type_;
  mlir::Type bits_;
};

// On the bits: round the mantissa to nearest even, then send exponents beyond the narrower format
// to infinity and those below it to zero.
Value FloatEmitter::ReducePrecision(Value x, int64_t exponent_bits, int64_t mantissa_bits) {
  auto mantissa = static_cast<int64_t>(mlir::cast<mlir::FloatType>(type_).getFPMantissaWidth()) - 1;
  int64_t exponent = type_.getIntOrFloatBitWidth() - 1 - mantissa;
  uint64_t sign_mask = uint64_t{1} << (mantissa + exponent);
  uint64_t exponent_mask = ((uint64_t{1} << exponent) - 1) << mantissa;
  Value original = arith::BitcastOp::create(b_, bits_, x);
  Value v = original;
  if (mantissa_bits < mantissa) {
    int64_t drop = mantissa - mantissa_bits;
    uint64_t last = uint64_t{1} << drop;
    Value last_bit = arith::AndIOp::create(b_, arith::ShRUIOp::create(b_, v, Int(drop)), Int(1));
    Value bias = arith::AddIOp::create(b_, last_bit, Int((last >> 1) - 1));
    v = arith::AndIOp::create(b_, arith::AddIOp::create(b_, v, bias), Int(~(last - 1)));
  }
  if (exponent_bits < exponent) {
    uint64_t bias = (uint64_t{1} << (exponent - 1)) - 1;
    uint64_t narrow_bias = (uint64_t{1} << (exponent_bits - 1)) - 1;
    Value e = arith::AndIOp::create(b_, v, Int(exponent_mask));
    Value sign = arith::AndIOp::create(b_, v, Int(sign_mask));
    Value over = arith::CmpIOp::create(b_, arith::CmpIPredicate::ugt, e,
                                       Int((bias + narrow_bias) << mantissa));
    Value under = arith::CmpIOp::create(b_, arith::CmpIPredicate::ule, e,
                                        Int((bias - narrow_bias) << mantissa));
    v = Select(over, arith::OrIOp::create(b_, sign, Int(exponent_mask)), v);
    v = Select(under, sign, v);
  }
  Value result = arith::BitcastOp::create(b_, type_, v);
  Value nan = Nan(Widen(b_, x));
  if (mantissa_bits > 0) return Select(nan, x, result);
  // Without mantissa bits there is no NaN, only infinity.
  Value sign = arith::AndIOp::create(b_, original, Int(sign_mask));
  Value infinity = arith::OrIOp::create(b_, sign, Int(exponent_mask));
  return Select(nan, arith::BitcastOp::create(b_, type_, infinity), result);
}

}  // namespace

llvm::Expected<Value> EmitFloat(Builder& b, const hlo::Instruction& op, llvm::ArrayRef<Value> v) {
  FloatEmitter e(b, v[0].getType());
  switch (op.opcode) {
    case Opcode::kAbs:
      return Value(math::AbsFOp::create(b, v[0]));
    case Opcode::kAcos:
      return Value(math::AcosOp::create(b, v[0]));
    case Opcode::kAcosh:
      return Value(math::AcoshOp::create(b, v[0]));
    case Opcode::kAsin:
      return Value(math::AsinOp::create(b, v[0]));
    case Opcode::kAsinh:
      return Value(math::AsinhOp::create(b, v[0]));
    case Opcode::kAtanh:
      return Value(math::AtanhOp::create(b, v[0]));
    case Opcode::kCbrt:
      return Value(math::CbrtOp::create(b, v[0]));
    case Opcode::kCeil:
      return Value(math::CeilOp::create(b, v[0]));
    case Opcode::kCosh:
      return Value(math::CoshOp::create(b, v[0]));
    case Opcode::kCosine:
      return Value(math::CosOp::create(b, v[0]));
    case Opcode::kErf:
      return Value(math::ErfOp::create(b, v[0]));
    case Opcode::kExponential:
      return Value(math::ExpOp::create(b, v[0]));
    case Opcode::kExponentialMinusOne:
      return Value(math::ExpM1Op::create(b, v[0]));
    case Opcode::kFloor:
      return Value(math::FloorOp::create(b, v[0]));
    case Opcode::kImag:
      return e.Constant(0.0);
    case Opcode::kReal:
      return v[0];
    case Opcode::kLog:
      return Value(math::LogOp::create(b, v[0]));
    case Opcode::kLogPlusOne:
      return Value(math::Log1pOp::create(b, v[0]));
    case Opcode::kLogistic:
      return e.Logistic(v[0]);
    case Opcode::kNegate:
      return Value(arith::NegFOp::create(b, v[0]));
    case Opcode::kReducePrecision:
      return e.ReducePrecision(v[0], op.attributes.exponent_bits, op.attributes.mantissa_bits);
    case Opcode::kRoundNearestAfz:
      return Value(math::RoundOp::create(b, v[0]));
    case Opcode::kRoundNearestEven:
      return Value(math::RoundEvenOp::create(b, v[0]));
    case Opcode::kRsqrt:
      return Value(arith::DivFOp::create(b, e.Constant(1.0), math::SqrtOp::create(b, v[0])));
    case Opcode::kSign:
      return e.Sign(v[0]);
    case Opcode::kSine:
      return Value(math::SinOp::create(b, v[0]));
    case Opcode::kSinh:
      return Value(math::SinhOp::create(b, v[0]));
    case Opcode::kSqrt:
      return Value(math::SqrtOp::create(b, v[0]));
    case Opcode::kTan:
      return Value(math::TanOp::create(b, v[0]));
    case Opcode::kTanh:
      return Value(math::TanhOp::create(b, v[0]));
    case Opcode::kAdd:
      return Value(arith::AddFOp::create(b, v[0], v[1]));
    case Opcode::kAtan2:
      return Atan2(b, v[0], v[1]);
    case Opcode::kDivide:
      return Value(arith::DivFOp::create(b, v[0], v[1]));
    case Opcode::kMultiply:
      return Value(arith::MulFOp::create(b, v[0], v[1]));
    case Opcode::kPower:
      return Value(math::PowFOp::create(b, v[0], v[1]));
    case Opcode::kRemainder:
      return Value(arith::RemFOp::create(b, v[0], v[1]));
    case Opcode::kSubtract:
      return Value(arith::SubFOp::create(b, v[0], v[1]));
    default:
      return Unsupported(op, "the op has no emission for floats");
  }
}

Value Atan2(Builder& b, Value y, Value x) {
  const mlir::Type type = y.getType();
  const Value zero = FloatConstant(b, type, 0), one = FloatConstant(b, type, 1);
  auto is = [&](arith::CmpFPredicate predicate, Value v) -> Value {
    return arith::CmpFOp::create(b, predicate, v, zero);
  };
  const Value at_origin =
      arith::AndIOp::create(b, is(arith::CmpFPredicate::OEQ, y), is(arith::CmpFPredicate::OEQ, x));
  const Value behind = is(arith::CmpFPredicate::OLT, math::CopySignOp::create(b, one, x));
  const Value angle =
      arith::SelectOp::create(b, behind, FloatConstant(b, type, std::numbers::pi), zero);
  return arith::SelectOp::create(b, at_origin, math::CopySignOp::create(b, angle, y),
                                 math::Atan2Op::create(b, y, x));
}

}  // namespace affirm::emit
