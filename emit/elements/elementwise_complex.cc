// Complex numbers. Sums, differences and products are taken in the parts' own type; everything else
// in f64 and rounded to it once, so that no intermediate number of c64 overflows.
#include <cmath>
#include <limits>

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

struct Complex {
  Value re, im;
};

// Formulas on parts of f64.
class ComplexEmitter {
 public:
  explicit ComplexEmitter(Builder& b) : b_(b) {}

  Value Constant(double v) { return FloatConstant(b_, b_.getF64Type(), v); }
  Value Add(Value x, Value y) { return arith::AddFOp::create(b_, x, y); }
  Value Sub(Value x, Value y) { return arith::SubFOp::create(b_, x, y); }
  Value Mul(Value x, Value y) { return arith::MulFOp::create(b_, x, y); }
  Value Div(Value x, Value y) { return arith::DivFOp::create(b_, x, y); }
  Value Neg(Value x) { return arith::NegFOp::create(b_, x); }
  Value Abs(Value x) { return math::AbsFOp::create(b_, x); }
  Value Sqrt(Value x) { return math::SqrtOp::create(b_, x); }
  Value Select(Value c, Value x, Value y) { return arith::SelectOp::create(b_, c, x, y); }
  Value Is(arith::CmpFPredicate p, Value x, Value y) { return arith::CmpFOp::create(b_, p, x, y); }
  Value IsZero(Value x) { return Is(arith::CmpFPredicate::OEQ, x, Constant(0)); }
  Value Both(Value x, Value y) { return arith::AndIOp::create(b_, x, y); }
  Complex Select(Value c, Complex x, Complex y) {
    return {Select(c, x.re, y.re), Select(c, x.im, y.im)};
  }
  Value IsZero(Complex z) { return Both(IsZero(z.re), IsZero(z.im)); }

  Complex Zero() { return {Constant(0), Constant(0)}; }
  Complex One() { return {Constant(1), Constant(0)}; }
  // The imaginary part keeps the sign of its zero, which says on which side of a cut z lies.
  Complex OnePlus(Complex z) { return {Add(Constant(1), z.re), z.im}; }
  Complex Add(Complex x, Complex y) { return {Add(x.re, y.re), Add(x.im, y.im)}; }
  Complex Mul(Complex x, Complex y) {
    return {Sub(Mul(x.re, y.re), Mul(x.im, y.im)), Add(Mul(x.re, y.im), Mul(x.im, y.re))};
  }
  Complex Neg(Complex z) { return {Neg(z.re), Neg(z.im)}; }
  Complex TimesI(Complex z) { return {Neg(z.im), z.re}; }
  Complex OverI(Complex z) { return {z.im, Neg(z.re)}; }

  Value Length(Complex z);
  Complex Div(Complex x, Complex y);
  Complex Exp(Complex z);
  Complex Expm1(Complex z);
  Complex Log(Complex z);
  Complex Log1p(Complex z);
  Complex Sqrt(Complex z);
  Complex Sinh(Complex z);
  Complex Cosh(Complex z);
  Complex Tanh(Complex z);
  Complex Acos(Complex z);
  Complex Acosh(Complex z);
  Complex Asin(Complex z);
  Complex Atanh(Complex z);
  Complex Power(Complex z, Complex w);
  Complex Sign(Complex z);
  Complex Atan2(Complex y, Complex x) {
    Complex squares = Add(Mul(x, x), Mul(y, y));
    return OverI(Log(Div(Add(x, TimesI(y)), Sqrt(squares))));
  }

 private:
  Value Max(Value x, Value y) { return arith::MaximumFOp::create(b_, x, y); }
  Value Min(Value x, Value y) { return arith::MinimumFOp::create(b_, x, y); }
  Value Sin(Value x) { return math::SinOp::create(b_, x); }
  Value Cos(Value x) { return math::CosOp::create(b_, x); }
  Value Exp(Value x) { return math::ExpOp::create(b_, x); }
  Value Asinh(Value x) { return math::AsinhOp::create(b_, x); }
  Value Atan2(Value y, Value x) { return emit::Atan2(b_, y, x); }
  Complex FromOne(Complex z) { return {Sub(Constant(1), z.re), Neg(z.im)}; }
  // x times the conjugate of y.
  Complex MulConjugate(Complex x, Complex y) { return Mul(x, {y.re, Neg(y.im)}); }
  Value CopySign(Value x, Value sign) { return math::CopySignOp::create(b_, x, sign); }
  Value IsInfinite(Value x) { return Is(arith::CmpFPredicate::OEQ, Abs(x), Constant(HUGE_VAL)); }
  Value IsNan(Value x) { return Is(arith::CmpFPredicate::UNO, x, x); }
  Value IsFinite(Value x) { return Is(arith::CmpFPredicate::OLT, Abs(x), Constant(HUGE_VAL)); }
  Value Either(Value x, Value y) { return arith::OrIOp::create(b_, x, y); }
  Value Not(Value c) { return arith::XOrIOp::create(b_, c, IntConstant(b_, b_.getI1Type(), 1)); }
  // Where exp(-|x|) is negligible beside exp(|x|).
  Value IsFarOut(Complex z) { return Is(arith::CmpFPredicate::OGT, Abs(z.re), Constant(22)); }
  Value Boxed(Value x);
  Complex ArcLimits(Complex z, Complex arc, Value at_zero, Value at_infinity);
  Complex Exp(Complex z, double factor);

  Builder& b_;
};

// Takes the larger part out, so that no square overflows.
Value ComplexEmitter::Length(Complex z) {
  Value x = Abs(z.re), y = Abs(z.im);
  Value large = Max(x, y), ratio = Div(Min(x, y), large);
  Value length = Mul(large, Sqrt(Add(Constant(1), Mul(ratio, ratio))));
  Value infinity = Constant(HUGE_VAL);
  Value infinite = arith::OrIOp::create(b_, Is(arith::CmpFPredicate::OEQ, x, infinity),
                                        Is(arith::CmpFPredicate::OEQ, y, infinity));
  return Select(infinite, infinity, Select(IsZero(large), large, length));
}

// copysign(1, x) if x is infinite, else copysign(0, x).
Value ComplexEmitter::Boxed(Value x) {
  return CopySign(Select(IsInfinite(x), Constant(1), Constant(0)), x);
}

// Smith's algorithm: first divides both parts by the larger part of the divisor. Other cases are as
// in C (annex G.5.1): infinite / finite is infinite, finite / infinite is 0, and nonzero / 0 is
// infinite.
Complex ComplexEmitter::Div(Complex x, Complex y) {
  Value x_infinite = Either(IsInfinite(x.re), IsInfinite(x.im));
  Value y_infinite = Either(IsInfinite(y.re), IsInfinite(y.im));
  Value x_finite = Both(IsFinite(x.re), IsFinite(x.im));
  Value y_finite = Both(IsFinite(y.re), IsFinite(y.im));
  auto times = [&](Complex z, Value by) { return Complex{Mul(z.re, by), Mul(z.im, by)}; };
  Complex far = times(MulConjugate({Boxed(x.re), Boxed(x.im)}, y), Constant(HUGE_VAL));
  Complex none = times(MulConjugate(x, {Boxed(y.re), Boxed(y.im)}), Constant(0));
  Complex over_zero = times(x, CopySign(Constant(HUGE_VAL), y.re));
  Value y_zero = IsZero(y);

  // The divisor below is at most twice the larger part.
  Value huge = Is(arith::CmpFPredicate::OGT, Max(Abs(y.re), Abs(y.im)), Constant(0x1p1000));
  Value down = Select(huge, Constant(0x1p-4), Constant(1));
  x = times(x, down), y = times(y, down);
  Value swap = Is(arith::CmpFPredicate::OLT, Abs(y.re), Abs(y.im));
  Value large = Select(swap, y.im, y.re), small = Select(swap, y.re, y.im);
  Value ratio = Div(small, large);
  Value divisor = Add(large, Mul(small, ratio));
  // (a + ib) / (c + id) is (b - ia) / (d - ic).
  Complex top = Select(swap, {x.im, Neg(x.re)}, x);
  ratio = Select(swap, Neg(ratio), ratio);
  Complex quotient = {Div(Add(top.re, Mul(top.im, ratio)), divisor),
                      Div(Sub(top.im, Mul(top.re, ratio)), divisor)};
  quotient = Select(Both(x_infinite, y_finite), far, quotient);
  quotient = Select(Both(x_finite, y_infinite), none, quotient);
  return Select(y_zero, over_zero, quotient);
}

// factor * exp(z). Half of the exponential is multiplied last, so that neither overflows before a
// small sine makes the product finite.
Complex ComplexEmitter::Exp(Complex z, double factor) {
  Value half = Exp(Mul(z.re, Constant(0.5)));
  auto times = [&](Value x) { return Mul(Mul(Mul(half, Constant(factor)), x), half); };
  Value zero = Constant(0), infinity = Constant(HUGE_VAL);
  // With an infinite angle, the quadrant of the 0 or the infinity is open.
  Value open = Both(IsInfinite(z.re), Not(IsFinite(z.im)));
  Value vanishes = Is(arith::CmpFPredicate::OLT, z.re, zero);
  Value real = Select(open, Select(vanishes, zero, infinity), times(Cos(z.im)));
  Value imaginary = Select(Both(open, vanishes), zero, times(Sin(z.im)));
  return {real, Select(IsZero(z.im), z.im, imaginary)};
}

Complex ComplexEmitter::Exp(Complex z) { return Exp(z, 1); }

// Near 0 the real part is expm1(x) cos y - 2 sin^2(y/2), which keeps the digits that exp(z) - 1
// loses. Elsewhere exp(z) - 1 keeps them, and the parts of infinities.
Complex ComplexEmitter::Expm1(Complex z) {
  Complex exp = Exp(z);
  Value half = Sin(Mul(z.im, Constant(0.5)));
  Value less = Mul(Constant(2), Mul(half, half));
  Value shifted = math::ExpM1Op::create(b_, z.re);
  Value is_near = Is(arith::CmpFPredicate::OLT, Abs(z.re), Constant(1));
  return {Select(is_near, Sub(Mul(shifted, Cos(z.im)), less), Sub(exp.re, Constant(1))), exp.im};
}

// Near the unit circle, log |z| is small, and is computed as log1p(|z|^2 - 1) / 2.
Complex ComplexEmitter::Log(Complex z) {
  Value x = Abs(z.re), y = Abs(z.im);
  Value large = Max(x, y), small = Min(x, y);
  Value above = Add(Mul(Sub(large, Constant(1)), Add(large, Constant(1))), Mul(small, small));
  Value near = Mul(Constant(0.5), math::Log1pOp::create(b_, above));
  // A length may overflow although its logarithm does not.
  constexpr double kHuge = 0x1p1000, kDown = 0x1p-4;
  Value huge = Both(Is(arith::CmpFPredicate::OGT, large, Constant(kHuge)), IsFinite(large));
  Value scale = Select(huge, Constant(kDown), Constant(1));
  Value scaled = math::LogOp::create(b_, Length({Mul(z.re, scale), Mul(z.im, scale)}));
  Value far = Add(scaled, Select(huge, Constant(-std::log(kDown)), Constant(0)));
  Value is_near = Both(Is(arith::CmpFPredicate::OGT, large, Constant(0.5)),
                       Is(arith::CmpFPredicate::OLT, large, Constant(2)));
  return {Select(is_near, near, far), Atan2(z.im, z.re)};
}

// Near 0, |1 + z|^2 - 1 is x (x + 2) + y^2, which is computed without rounding 1 + x.
Complex ComplexEmitter::Log1p(Complex z) {
  Complex far = Log(OnePlus(z));
  Value above = Add(Mul(z.re, Add(z.re, Constant(2))), Mul(z.im, z.im));
  Value near = Mul(Constant(0.5), math::Log1pOp::create(b_, above));
  Value is_near = Both(Is(arith::CmpFPredicate::OLT, Abs(z.re), Constant(0.5)),
                       Is(arith::CmpFPredicate::OLT, Abs(z.im), Constant(0.5)));
  return {Select(is_near, near, far.re), far.im};
}

// The root of (|x| + |z|) / 2 is one part, up to sign; the other follows from the product.
Complex ComplexEmitter::Sqrt(Complex z) {
  Value half = Constant(0.5);
  // Scales z so that its length does not overflow. An infinite imaginary part makes the real part
  // infinite.
  Value infinite = IsInfinite(z.im), infinity = Constant(HUGE_VAL), im = z.im;
  Value huge = Is(arith::CmpFPredicate::OGT, Max(Abs(z.re), Abs(z.im)), Constant(0x1p1000));
  Value down = Select(huge, Constant(0x1p-4), Constant(1)),
        up = Select(huge, Constant(4), Constant(1));
  z = {Mul(z.re, down), Mul(z.im, down)};
  Value length = Mul(Length(z), half);
  Value root = Sqrt(Add(Mul(Abs(z.re), half), length));
  Value other = Div(z.im, Mul(Constant(2), root));
  Value right = Is(arith::CmpFPredicate::OGE, z.re, Constant(0));
  Complex result = {Select(right, root, Abs(other)), Select(right, other, CopySign(root, z.im))};
  result = Select(IsZero(z), {Constant(0), z.im}, {Mul(result.re, up), Mul(result.im, up)});
  return Select(infinite, {infinity, im}, result);
}

// For large |x|, sinh |x| and cosh x are exp |x| / 2.
Complex ComplexEmitter::Sinh(Complex z) {
  Value sinh = math::SinhOp::create(b_, z.re), cosh = math::CoshOp::create(b_, z.re);
  Complex half = Exp({Abs(z.re), z.im}, 0.5);
  Complex near = {Select(IsZero(z.re), z.re, Mul(sinh, Cos(z.im))),
                  Select(IsZero(z.im), z.im, Mul(cosh, Sin(z.im)))};
  Complex far = {Mul(CopySign(Constant(1), z.re), half.re), half.im};
  return Select(IsFarOut(z), far, near);
}

Complex ComplexEmitter::Cosh(Complex z) {
  Value sinh = math::SinhOp::create(b_, z.re), cosh = math::CoshOp::create(b_, z.re);
  Value sign = CopySign(Constant(1), z.re);
  Complex half = Exp({Abs(z.re), z.im}, 0.5);
  Value zero = Mul(sign, CopySign(Constant(0), z.im));
  Complex near = {Mul(cosh, Cos(z.im)),
                  Select(Either(IsZero(z.re), IsZero(z.im)), zero, Mul(sinh, Sin(z.im)))};
  return Select(IsFarOut(z), {half.re, Mul(sign, half.im)}, near);
}

// With t = tan y, s = sinh x: (s sqrt(1 + s^2) (1 + t^2) + i t) / (1 + s^2 (1 + t^2)). For large
// |x| the real part is 1 or -1, and the other is 4 sin y cos y exp(-2 |x|).
Complex ComplexEmitter::Tanh(Complex z) {
  Value t = math::TanOp::create(b_, z.im), s = math::SinhOp::create(b_, z.re);
  Value one = Constant(1);
  Value beta = Add(one, Mul(t, t)), square = Mul(s, s);
  Value divisor = Add(one, Mul(beta, square));
  Complex near = {Div(Mul(beta, Mul(s, Sqrt(Add(one, square)))), divisor), Div(t, divisor)};
  Value decay = Exp(Mul(Constant(-2), Abs(z.re)));
  Value product = Mul(Sin(z.im), Cos(z.im));
  // The tangent of an infinite angle is NaN, unless x is infinite too.
  Value defined = Add(CopySign(one, z.re), Mul(Constant(0), product));
  Complex far = {defined, Mul(Mul(Constant(4), product), decay)};
  Complex limit = {CopySign(one, z.re), CopySign(Constant(0), product)};
  Complex result = Select(IsInfinite(z.re), limit, Select(IsFarOut(z), far, near));
  return {Select(IsZero(z.re), z.re, result.re), Select(IsZero(z.im), z.im, result.im)};
}

// The inverses are Kahan's ("Branch cuts for complex elementary functions"): products of roots of
// 1 - z and 1 + z lose no digits near the ends of the cuts, and nothing is squared. For infinite
// and NaN parts, the values are those of C, annex G.
Complex ComplexEmitter::Acos(Complex z) {
  Complex less = Sqrt(FromOne(z)), more = Sqrt(OnePlus(z));
  return ArcLimits(z,
                   {Mul(Constant(2), Atan2(less.re, more.re)), Asinh(MulConjugate(less, more).im)},
                   Constant(M_PI_2), CopySign(Constant(HUGE_VAL), Neg(z.im)));
}

Complex ComplexEmitter::Asin(Complex z) {
  Complex less = Sqrt(FromOne(z)), more = Sqrt(OnePlus(z));
  // If a part is infinite, the product is infinity times 0.
  Value root = Select(Either(IsInfinite(z.re), IsInfinite(z.im)), Abs(z.im), Mul(less, more).re);
  return ArcLimits(z, {Atan2(z.re, root), Asinh(MulConjugate(more, less).im)}, z.re,
                   CopySign(Constant(HUGE_VAL), z.im));
}

// Acos, rotated by a quarter turn to the side where the real part is not negative.
Complex ComplexEmitter::Acosh(Complex z) {
  Complex less = Sqrt(Neg(FromOne(z))), more = Sqrt(OnePlus(z));
  Complex turned =
      ArcLimits(z, {Mul(Constant(2), Atan2(less.im, more.re)), Asinh(MulConjugate(more, less).re)},
                Constant(M_PI_2), Constant(HUGE_VAL));
  return {turned.im, turned.re};
}

// The angle is NaN if the real part is NaN, and `at_zero` for 0 + i NaN. The other part of an
// infinite number is `at_infinity`, whatever its angle.
Complex ComplexEmitter::ArcLimits(Complex z, Complex arc, Value at_zero, Value at_infinity) {
  Value infinite = Either(IsInfinite(z.re), IsInfinite(z.im));
  Value angle = Select(Both(IsZero(z.re), IsNan(z.im)), at_zero, arc.re);
  return {Select(IsNan(z.re), z.re, angle), Select(infinite, at_infinity, arc.im)};
}

// Atanh is odd. For x >= 0 the argument of log1p is at least 0. For large |z| the value is 1 / z
// plus a quarter turn.
Complex ComplexEmitter::Atanh(Complex z) {
  Value x = Abs(z.re), square = Mul(z.im, z.im), less = Sub(Constant(1), x);
  Value above = Div(Mul(Constant(4), x), Add(Mul(less, less), square));
  Value half = Mul(Constant(0.25), math::Log1pOp::create(b_, above));
  // Close to 1 the square underflows, but the logarithm, log(2 / distance), does not.
  Value distance = Length({less, z.im});
  Value beside = Mul(Constant(0.5), Sub(Constant(M_LN2), math::LogOp::create(b_, distance)));
  half = Select(Is(arith::CmpFPredicate::OLT, distance, Constant(0x1p-100)), beside, half);
  Value turn = Sub(Mul(less, Add(Constant(1), x)), square);
  Complex near = {CopySign(half, z.re), Mul(Constant(0.5), Atan2(Mul(Constant(2), z.im), turn))};
  Complex inverse = Div(One(), z);
  Value quarter = CopySign(Constant(M_PI_2), z.im);
  Complex far = {inverse.re, Select(IsNan(z.im), z.im, Add(quarter, inverse.im))};
  Value y = Abs(z.im), large = Constant(0x1p40);
  Value is_far =
      Either(Is(arith::CmpFPredicate::OGT, x, large), Is(arith::CmpFPredicate::OGT, y, large));
  Complex result = Select(is_far, far, near);
  return {Select(IsZero(z.re), z.re, result.re), result.im};
}

Complex ComplexEmitter::Power(Complex z, Complex w) {
  Complex power = Exp(Mul(w, Log(z)));
  // 0 to a positive real power is 0, to others not a number.
  Value vanishes = Both(Is(arith::CmpFPredicate::OGT, w.re, Constant(0)),
                        Is(arith::CmpFPredicate::OEQ, w.im, Constant(0)));
  Value nan = Constant(std::numeric_limits<double>::quiet_NaN());
  Complex of_zero = Select(vanishes, Zero(), {nan, nan});
  return Select(IsZero(w), One(), Select(IsZero(z), of_zero, power));
}

Complex ComplexEmitter::Sign(Complex z) {
  Value length = Length(z);
  return Select(IsZero(length), z, {Div(z.re, length), Div(z.im, length)});
}

llvm::Expected<Complex> Function(Builder& b, const hlo::Instruction& op,
                                 llvm::ArrayRef<Complex> v) {
  ComplexEmitter e(b);
  switch (op.opcode) {
    case Opcode::kAcos:
      return e.Acos(v[0]);
    case Opcode::kAcosh:
      return e.Acosh(v[0]);
    case Opcode::kAsin:
      return e.Asin(v[0]);
    case Opcode::kAsinh:
      return e.OverI(e.Asin(e.TimesI(v[0])));
    case Opcode::kAtan2:
      return e.Atan2(v[0], v[1]);
    case Opcode::kAtanh:
      return e.Atanh(v[0]);
    case Opcode::kCosh:
      return e.Cosh(v[0]);
    case Opcode::kCosine:
      return e.Cosh(e.TimesI(v[0]));
    case Opcode::kDivide:
      return e.Div(v[0], v[1]);
    case Opcode::kExponential:
      return e.Exp(v[0]);
    case Opcode::kExponentialMinusOne:
      return e.Expm1(v[0]);
    case Opcode::kLog:
      return e.Log(v[0]);
    case Opcode::kLogPlusOne:
      return e.Log1p(v[0]);
    case Opcode::kLogistic:
      return e.Div(e.One(), e.OnePlus(e.Exp(e.Neg(v[0]))));
    case Opcode::kPower:
      return e.Power(v[0], v[1]);
    case Opcode::kRsqrt:
      return e.Div(e.One(), e.Sqrt(v[0]));
    case Opcode::kSign:
      return e.Sign(v[0]);
    case Opcode::kSine:
      return e.OverI(e.Sinh(e.TimesI(v[0])));
    case Opcode::kSinh:
      return e.Sinh(v[0]);
    case Opcode::kSqrt:
      return e.Sqrt(v[0]);
    case Opcode::kTan:
      return e.OverI(e.Tanh(e.TimesI(v[0])));
    case Opcode::kTanh:
      return e.Tanh(v[0]);
    default:
      return Unsupported(op, "the op has no emission for complex numbers");
  }
}

Value ToF64(Builder& b, Value x) {
  return x.getType().isF64() ? x : Value(arith::ExtFOp::create(b, b.getF64Type(), x));
}

}  // namespace

llvm::Expected<Value> EmitComplex(Builder& b, const hlo::Instruction& op, llvm::ArrayRef<Value> v) {
  Value re = Real(b, v[0]), im = Imag(b, v[0]);
  mlir::Type part = re.getType();
  switch (op.opcode) {
    case Opcode::kReal:
      return re;
    case Opcode::kImag:
      return im;
    case Opcode::kNegate:
      return MakeComplex(b, arith::NegFOp::create(b, re), arith::NegFOp::create(b, im));
    case Opcode::kAdd:
      return Add(b, v[0], v[1]);
    case Opcode::kMultiply:
      return Multiply(b, v[0], v[1]);
    case Opcode::kSubtract:
      return MakeComplex(b, arith::SubFOp::create(b, re, Real(b, v[1])),
                         arith::SubFOp::create(b, im, Imag(b, v[1])));
    case Opcode::kAbs:
      return Narrow(b, ComplexEmitter(b).Length({ToF64(b, re), ToF64(b, im)}), part);
    default:
      break;
  }
  llvm::SmallVector<Complex, 2> wide;
  for (Value z : v) wide.push_back({ToF64(b, Real(b, z)), ToF64(b, Imag(b, z))});
  llvm::Expected<Complex> result = Function(b, op, wide);
  if (!result) return result.takeError();
  return MakeComplex(b, Narrow(b, result->re, part), Narrow(b, result->im, part));
}

}  // namespace affirm::emit
