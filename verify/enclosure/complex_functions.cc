#include "verify/enclosure/complex_functions.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "verify/enclosure/real_functions.h"

namespace affirm::enclosure {

using hlo::Opcode;
using hlo::PrimitiveType;

namespace {

// std::hypot is off by at most one last place, and products of these by one each.
constexpr int kPlacesOfHypot = 2;

struct Box {
  Interval real, imaginary;
};

Interval Real(Opcode opcode, const Interval& a) {
  return RealFunctionOf(opcode, a).value_or(Interval::Whole());
}
Interval HypotOf(const Box& a) {
  const Interval x = Magnitude(a.real), y = Magnitude(a.imaginary);
  // The length is infinite if a part is, whatever the other part is (C11, F.10.4.3).
  for (const Interval& part : {x, y}) {
    if (part.lo == kInfinity && part.HasNumbers() && !part.nan) return part;
  }
  if (!x.HasNumbers() || !y.HasNumbers()) return Interval::Whole();
  Interval result = Widened({.lo = std::hypot(x.lo, y.lo), .hi = std::hypot(x.hi, y.hi)},
                            x.hi == 0 && y.hi == 0 ? 0 : kPlacesOfHypot);
  result.lo = std::max(result.lo, 0.0);
  result.nan = x.nan || y.nan;
  return result;
}
Interval AngleOf(const Box& a) {
  return RealFunctionOf(Opcode::kAtan2, a.imaginary, a.real).value_or(Interval::Whole());
}
Box Polar(const Interval& radius, const Interval& angle) {
  return {Product(radius, Real(Opcode::kCosine, angle)),
          Product(radius, Real(Opcode::kSine, angle))};
}
Interval Times(const Interval& a, double factor) { return Product(a, Interval::Of(factor)); }
Box Times(const Box& a, double factor) {
  return {Times(a.real, factor), Times(a.imaginary, factor)};
}

Box ExpOf(const Box& a) { return Polar(Real(Opcode::kExponential, a.real), a.imaginary); }
Box ReciprocalOf(const Box& a) {
  const Interval square = Sum(Product(Magnitude(a.real), Magnitude(a.real)),
                              Product(Magnitude(a.imaginary), Magnitude(a.imaginary)));
  return {Quotient(a.real, square), Quotient(Negated(a.imaginary), square)};
}
Box ProductOf(const Box& a, const Box& b) {
  return {Difference(Product(a.real, b.real), Product(a.imaginary, b.imaginary)),
          Sum(Product(a.real, b.imaginary), Product(a.imaginary, b.real))};
}
// sinh(x + iy) = sinh x cos y + i cosh x sin y
Box SinhOf(const Box& a) {
  return {Product(Real(Opcode::kSinh, a.real), Real(Opcode::kCosine, a.imaginary)),
          Product(Real(Opcode::kCosh, a.real), Real(Opcode::kSine, a.imaginary))};
}
Box CoshOf(const Box& a) {
  return {Product(Real(Opcode::kCosh, a.real), Real(Opcode::kCosine, a.imaginary)),
          Product(Real(Opcode::kSinh, a.real), Real(Opcode::kSine, a.imaginary))};
}
// tanh(x + iy) = (sinh 2x + i sin 2y) / (cosh 2x + cos 2y)
Box TanhOf(const Box& a) {
  const Box twice = Times(a, 2);
  const Interval divisor =
      Sum(Real(Opcode::kCosh, twice.real), Real(Opcode::kCosine, twice.imaginary));
  return {Quotient(Real(Opcode::kSinh, twice.real), divisor),
          Quotient(Real(Opcode::kSine, twice.imaginary), divisor)};
}
// i (x + iy) = -y + ix
Box TimesI(const Box& a) { return {Negated(a.imaginary), a.real}; }
Box TimesMinusI(const Box& a) { return {a.imaginary, Negated(a.real)}; }
// `root` of the magnitude, and the angle divided by `parts`.
Box RootOf(const Box& a, Opcode root, double parts) {
  return Polar(Real(root, HypotOf(a)), Quotient(AngleOf(a), Interval::Of(parts)));
}

bool IsBounded(const Interval& a) {
  return a.HasNumbers() && !a.nan && std::isfinite(a.lo) && std::isfinite(a.hi);
}
bool IsBounded(const Box& a) { return IsBounded(a.real) && IsBounded(a.imaginary); }

// One kind of float, and what formulas in it may be of.
class Formulas {
 public:
  explicit Formulas(PrimitiveType part)
      : part_(part),
        error_(kComplexRoundings * UnitRoundoff(part)),
        // Squares of these, and their quotients, are normal numbers.
        largest_(part == PrimitiveType::kF64 ? 0x1p400 : 0x1p50) {}

  bool IsModerate(const Box& a) const { return IsBounded(a) && HypotOf(a).hi <= largest_; }
  // Moderate, and far enough from zero.
  bool IsNormal(const Box& a) const { return IsModerate(a) && HypotOf(a).lo >= 1 / largest_; }
  // The parts of `exact`, off by the error of formulas relative to `scale` and to the magnitude.
  std::optional<Box> Spread(const Box& exact, double scale = 0) const {
    if (!IsModerate(exact)) return std::nullopt;
    const double error = std::max(scale, HypotOf(exact).hi) * error_;
    auto part = [&](const Interval& a) {
      const Interval spread = Sum(a, {.lo = -error, .hi = error});
      return Rounded(spread, part_);
    };
    return Box{part(exact.real), part(exact.imaginary)};
  }

  // A tangent, whose formulas cancel both near zero and in a divisor that is at least about
  // 1 / |w|^2.
  std::optional<Box> NearPoles(const Box& exact) const {
    const double size = HypotOf(exact).hi;
    return Spread(exact, std::max(1.0, size + size * size * size));
  }

  std::optional<Box> Unary(Opcode opcode, const Box& z) const {
    const Box one = {Interval::Of(1), Interval::Of(0)};
    switch (opcode) {
      case Opcode::kExponential:
        return Spread(ExpOf(z));
      case Opcode::kExponentialMinusOne: {
        const Box power = ExpOf(z);
        return Spread({Difference(power.real, one.real), power.imaginary}, HypotOf(power).hi);
      }
      case Opcode::kLogistic: {
        const Box power = ExpOf({Negated(z.real), Negated(z.imaginary)});
        const auto divisor =
            Spread({Sum(one.real, power.real), power.imaginary}, HypotOf(power).hi);
        if (!divisor || !IsNormal(*divisor)) return std::nullopt;
        return Spread(ReciprocalOf(*divisor));
      }
      case Opcode::kCosine:
        return Spread(CoshOf(TimesI(z)));
      case Opcode::kSine:
        return Spread(TimesMinusI(SinhOf(TimesI(z))));
      case Opcode::kCosh:
        return Spread(CoshOf(z));
      case Opcode::kSinh:
        return Spread(SinhOf(z));
      case Opcode::kTan:
        return NearPoles(TimesMinusI(TanhOf(TimesI(z))));
      case Opcode::kTanh:
        return NearPoles(TanhOf(z));
      case Opcode::kLogPlusOne: {
        const Box above = {Sum(z.real, one.real), z.imaginary};
        if (!IsNormal(above)) return std::nullopt;
        return Spread({Real(Opcode::kLog, HypotOf(above)), AngleOf(above)}, 1);
      }
      default:
        break;
    }
    if (!IsNormal(z)) return std::nullopt;
    switch (opcode) {
      case Opcode::kLog:
        return Spread({Real(Opcode::kLog, HypotOf(z)), AngleOf(z)}, 1);
      case Opcode::kSqrt:
        return Spread(RootOf(z, opcode, 2));
      case Opcode::kRsqrt:
        return Spread(RootOf(z, opcode, -2));
      case Opcode::kSign:
        return Spread({Quotient(z.real, HypotOf(z)), Quotient(z.imaginary, HypotOf(z))});
      default:
        return std::nullopt;
    }
  }

  std::optional<Box> Binary(Opcode opcode, const Box& a, const Box& b) const {
    if (opcode == Opcode::kDivide) {
      if (!IsModerate(a) || !IsNormal(b)) return std::nullopt;
      return Spread(ProductOf(a, ReciprocalOf(b)));
    }
    if (opcode != Opcode::kPower || !IsNormal(a) || !IsModerate(b)) return std::nullopt;
    // The error of b log a is one of the logarithm of the result.
    const Box logarithm = {Real(Opcode::kLog, HypotOf(a)), AngleOf(a)};
    const Box power = ExpOf(ProductOf(b, logarithm));
    if (!IsBounded(power)) return std::nullopt;
    const double size = HypotOf(b).hi * (1 + HypotOf(logarithm).hi);
    return Spread(power, (1 + size) * HypotOf(power).hi);
  }

 private:
  PrimitiveType part_;
  double error_, largest_;
};

}  // namespace

Interval ComplexMagnitude(PrimitiveType part, const Enclosure& a) {
  return Rounded(HypotOf({Flushed(a.real, part), Flushed(a.imaginary, part)}), part,
                 {.ulp = kComplexRoundings / 4});
}

Enclosure ComplexQuotient(PrimitiveType part, const Enclosure& a, const Enclosure& b) {
  const auto value =
      Formulas(part).Binary(Opcode::kDivide, {a.real, a.imaginary}, {b.real, b.imaginary});
  if (!value) return {.real = Interval::Whole(), .imaginary = Interval::Whole()};
  return {.real = value->real, .imaginary = value->imaginary};
}

Enclosure EncloseComplex(const hlo::Instruction& op, llvm::ArrayRef<Enclosure> operands) {
  const PrimitiveType type = op.shape.type, part = hlo::PartType(type);
  auto rounded = [&](const Interval& real, const Interval& imaginary) -> Enclosure {
    return {.real = Rounded(real, part), .imaginary = Rounded(imaginary, part)};
  };
  const Enclosure& a = operands[0];
  switch (op.opcode) {
    case Opcode::kComplex:
      return {.real = a.real, .imaginary = operands[1].real};
    case Opcode::kCopy:
      return a;
    case Opcode::kNegate:
      return {.real = Negated(a.real), .imaginary = Negated(a.imaginary)};
    case Opcode::kAdd:
      return rounded(Sum(a.real, operands[1].real), Sum(a.imaginary, operands[1].imaginary));
    case Opcode::kSubtract:
      return rounded(Difference(a.real, operands[1].real),
                     Difference(a.imaginary, operands[1].imaginary));
    case Opcode::kMultiply: {
      const Enclosure& b = operands[1];
      auto product = [&](const Interval& x, const Interval& y) {
        return Rounded(Product(x, y), part);
      };
      return rounded(Difference(product(a.real, b.real), product(a.imaginary, b.imaginary)),
                     Sum(product(a.real, b.imaginary), product(a.imaginary, b.real)));
    }
    default:
      break;
  }
  const Formulas formulas(part);
  auto box = [&](const Enclosure& of) -> Box {
    return {Flushed(of.real, part), Flushed(of.imaginary, part)};
  };
  std::optional<Box> value;
  if (operands.size() == 1) value = formulas.Unary(op.opcode, box(a));
  if (operands.size() == 2) value = formulas.Binary(op.opcode, box(a), box(operands[1]));
  if (!value) return Enclosure::Whole(type);
  return {.real = value->real, .imaginary = value->imaginary};
}

}  // namespace affirm::enclosure
