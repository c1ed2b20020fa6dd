// Integer and pred ops. Everything that would be undefined in LLVM has a defined result in XLA.
#include "emit/elements/scalar.h"
#include "emit/plan/flat_graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
namespace math = mlir::math;
namespace scf = mlir::scf;
using hlo::Opcode;
using hlo::PrimitiveType;
using mlir::Value;
using Predicate = arith::CmpIPredicate;

class IntEmitter {
 public:
  IntEmitter(Builder& b, PrimitiveType type, mlir::Type value_type)
      : b_(b), type_(value_type), signed_(hlo::IsSignedInt(type)) {}

  Value Constant(int64_t v) { return IntConstant(b_, type_, v); }
  Value Min() { return Shl(Constant(1), Constant(type_.getIntOrFloatBitWidth() - 1)); }
  Value Is(Predicate p, Value x, Value y) { return arith::CmpIOp::create(b_, p, x, y); }
  Value Select(Value c, Value x, Value y) { return arith::SelectOp::create(b_, c, x, y); }
  Value Shl(Value x, Value y) { return arith::ShLIOp::create(b_, x, y); }
  Value Negate(Value x) { return arith::SubIOp::create(b_, Constant(0), x); }
  Value Negative(Value x) { return Is(Predicate::slt, x, Constant(0)); }
  Value Extreme(Value x, Value y, bool max) {
    Predicate p = signed_ ? Predicate::sgt : Predicate::ugt;
    Value greater = Is(p, x, y);
    return max ? Select(greater, x, y) : Select(greater, y, x);
  }

  Value Abs(Value x) { return signed_ ? Select(Negative(x), Negate(x), x) : x; }

  Value Sign(Value x) {
    Value one = Select(Is(Predicate::ne, x, Constant(0)), Constant(1), Constant(0));
    return signed_ ? Select(Negative(x), Constant(-1), one) : one;
  }

  // x / 0 is all ones, the lowest value / -1 is the lowest value.
  Value Divide(Value x, Value y) {
    Value zero = Is(Predicate::eq, y, Constant(0));
    if (!signed_) {
      Value q = arith::DivUIOp::create(b_, x, Select(zero, Constant(1), y));
      return Select(zero, Constant(-1), q);
    }
    Value overflow = Overflows(x, y);
    Value bad = arith::OrIOp::create(b_, zero, overflow);
    Value q = arith::DivSIOp::create(b_, x, Select(bad, Constant(1), y));
    return Select(zero, Constant(-1), q);  // in overflow q = x / 1, the lowest value
  }

  // x rem 0 is x, the lowest value rem -1 is 0.
  Value Remainder(Value x, Value y) {
    Value zero = Is(Predicate::eq, y, Constant(0));
    if (!signed_) {
      Value r = arith::RemUIOp::create(b_, x, Select(zero, Constant(1), y));
      return Select(zero, x, r);
    }
    Value bad = arith::OrIOp::create(b_, zero, Overflows(x, y));
    Value r = arith::RemSIOp::create(b_, x, Select(bad, Constant(1), y));
    return Select(zero, x, r);
  }

  // Amounts are unsigned; from the width on, nothing is left but zeros (or copies of the sign).
  Value Shift(Opcode opcode, Value x, Value amount) {
    int64_t width = type_.getIntOrFloatBitWidth();
    Value last = Constant(width - 1);
    Value inside = Is(Predicate::ule, amount, last);
    Value safe = Select(inside, amount, last);
    if (opcode == Opcode::kShiftRightArithmetic) return arith::ShRSIOp::create(b_, x, safe);
    Value shifted = opcode == Opcode::kShiftLeft ? Value(arith::ShLIOp::create(b_, x, safe))
                                                 : Value(arith::ShRUIOp::create(b_, x, safe));
    return Select(inside, shifted, Constant(0));
  }

  // By squaring, modulo 2^width. A negative exponent leaves 1 / x^n rounded toward zero: nonzero
  // for x = 1 and x = -1 alone.
  Value Power(Value x, Value y) {
    int64_t width = type_.getIntOrFloatBitWidth();
    auto loop = scf::ForOp::create(b_, IndexConstant(b_, 0), IndexConstant(b_, width),
                                   IndexConstant(b_, 1), mlir::ValueRange{Constant(1), x, y});
    {
      mlir::OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(loop.getBody());
      Value acc = loop.getRegionIterArg(0), base = loop.getRegionIterArg(1);
      Value rest = loop.getRegionIterArg(2);
      Value odd = Is(Predicate::ne, arith::AndIOp::create(b_, rest, Constant(1)), Constant(0));
      Value next = Select(odd, arith::MulIOp::create(b_, acc, base), acc);
      Value square = arith::MulIOp::create(b_, base, base);
      Value half = arith::ShRUIOp::create(b_, rest, Constant(1));
      scf::YieldOp::create(b_, mlir::ValueRange{next, square, half});
    }
    Value power = loop.getResult(0);
    if (!signed_) return power;
    Value odd = Is(Predicate::ne, arith::AndIOp::create(b_, y, Constant(1)), Constant(0));
    Value minus = Select(Is(Predicate::eq, x, Constant(-1)), Select(odd, Constant(-1), Constant(1)),
                         Constant(0));
    Value inverse = Select(Is(Predicate::eq, x, Constant(1)), Constant(1), minus);
    return Select(Negative(y), inverse, power);
  }

 private:
  Value Overflows(Value x, Value y) {
    return arith::AndIOp::create(b_, Is(Predicate::eq, x, Min()),
                                 Is(Predicate::eq, y, Constant(-1)));
  }

  Builder& b_;
  mlir::Type type_;
  bool signed_;
};

}  // namespace

llvm::Expected<Value> EmitInt(Builder& b, const hlo::Instruction& op, PrimitiveType type,
                              llvm::ArrayRef<Value> v) {
  mlir::Type value_type = v[0].getType();
  IntEmitter e(b, type, value_type);
  bool pred = type == PrimitiveType::kPred;
  switch (op.opcode) {
    case Opcode::kAbs:
      return e.Abs(v[0]);
    case Opcode::kSign:
      return e.Sign(v[0]);
    case Opcode::kNegate:
      return e.Negate(v[0]);
    case Opcode::kNot:
      return Value(arith::XOrIOp::create(b, v[0], e.Constant(-1)));
    case Opcode::kPopcnt:
      return Value(math::CtPopOp::create(b, v[0]));
    case Opcode::kCountLeadingZeros:
      return Value(math::CountLeadingZerosOp::create(b, v[0]));
    case Opcode::kAdd:  // of preds: or
      return pred ? Value(arith::OrIOp::create(b, v[0], v[1])) : Add(b, v[0], v[1]);
    case Opcode::kSubtract:
      return Value(arith::SubIOp::create(b, v[0], v[1]));
    case Opcode::kMultiply:
      return Multiply(b, v[0], v[1]);
    case Opcode::kAnd:
      return Value(arith::AndIOp::create(b, v[0], v[1]));
    case Opcode::kOr:
      return Value(arith::OrIOp::create(b, v[0], v[1]));
    case Opcode::kXor:
      return Value(arith::XOrIOp::create(b, v[0], v[1]));
    case Opcode::kMaximum:
      return Maximum(b, type, v[0], v[1]);
    case Opcode::kMinimum:
      return Minimum(b, type, v[0], v[1]);
    case Opcode::kDivide:
      if (pred) break;
      return e.Divide(v[0], v[1]);
    case Opcode::kRemainder:
      if (pred) break;
      return e.Remainder(v[0], v[1]);
    case Opcode::kPower:
      if (pred) break;
      return e.Power(v[0], v[1]);
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
      if (pred) break;
      return e.Shift(op.opcode, v[0], v[1]);
    default:
      break;
  }
  return Unsupported(op, "the op has no emission for " + hlo::Name(type));
}

Value Add(Builder& b, Value x, Value y) {
  if (x.getType().isInteger()) return arith::AddIOp::create(b, x, y);
  if (IsComplex(x.getType())) {
    return MakeComplex(b, Add(b, Real(b, x), Real(b, y)), Add(b, Imag(b, x), Imag(b, y)));
  }
  Value sum = arith::AddFOp::create(b, Widen(b, x), Widen(b, y));
  return Narrow(b, sum, x.getType());
}

namespace {

// The schoolbook product: infinities are not recovered from NaN.
Value MultiplyComplex(Builder& b, Value x, Value y) {
  Value a = Real(b, x), c = Imag(b, x), d = Real(b, y), e = Imag(b, y);
  auto product = [&](Value p, Value q) { return Value(arith::MulFOp::create(b, p, q)); };
  Value real = arith::SubFOp::create(b, product(a, d), product(c, e));
  Value imag = arith::AddFOp::create(b, product(a, e), product(c, d));
  return MakeComplex(b, real, imag);
}

}  // namespace

Value Multiply(Builder& b, Value x, Value y) {
  if (x.getType().isInteger()) return arith::MulIOp::create(b, x, y);
  if (IsComplex(x.getType())) return MultiplyComplex(b, x, y);
  Value product = arith::MulFOp::create(b, Widen(b, x), Widen(b, y));
  return Narrow(b, product, x.getType());
}

namespace {

// A NaN among floats wins, and -0 is below +0.
Value Extreme(Builder& b, PrimitiveType type, Value x, Value y, bool max) {
  if (!hlo::IsFloat(type)) return IntEmitter(b, type, x.getType()).Extreme(x, y, max);
  Value wide_x = Widen(b, x), wide_y = Widen(b, y);
  Value chosen = max ? Value(arith::MaximumFOp::create(b, wide_x, wide_y))
                     : Value(arith::MinimumFOp::create(b, wide_x, wide_y));
  return Narrow(b, chosen, x.getType());
}

}  // namespace

Value Maximum(Builder& b, PrimitiveType type, Value x, Value y) {
  return Extreme(b, type, x, y, /*max=*/true);
}

Value Minimum(Builder& b, PrimitiveType type, Value x, Value y) {
  return Extreme(b, type, x, y, /*max=*/false);
}

}  // namespace affirm::emit
