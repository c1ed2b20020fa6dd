#include "verify/enclosure/elementwise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/hlo/float_format.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/reference/compare.h"
#include "verify/reference/elementwise_convert.h"

namespace affirm::enclosure {

using hlo::Instruction;
using hlo::IntType;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::ScalarKind;
using hlo::ScalarKindOf;

namespace {

// libm's functions of double are off by at most 2 last places (glibc manual, "Known Maximum Errors
// in Math Functions", x86_64), and the formulas below by a few more.
constexpr int kPlaces = 8;

bool IsFloatType(PrimitiveType type) { return ScalarKindOf(type) == ScalarKind::kFloat; }

// A function without steps, falls and ends of its own.
struct MonotoneRow {
  Opcode opcode;
  RealFunction function;
  Direction direction = Direction::kRises;
  double first = -kInfinity, last = kInfinity;  // where it is defined
  // Of its values.
  double least = -kInfinity, largest = kInfinity;
};

constexpr MonotoneRow kMonotone[] = {
    {Opcode::kAcos, [](double x) { return std::acos(x); }, Direction::kFalls, -1, 1},
    {Opcode::kAcosh, [](double x) { return std::acosh(x); }, Direction::kRises, 1},
    {Opcode::kAsin, [](double x) { return std::asin(x); }, Direction::kRises, -1, 1},
    {Opcode::kAsinh, [](double x) { return std::asinh(x); }},
    {Opcode::kAtanh, [](double x) { return std::atanh(x); }, Direction::kRises, -1, 1},
    {Opcode::kCbrt, [](double x) { return std::cbrt(x); }},
    {Opcode::kErf, [](double x) { return std::erf(x); }, Direction::kRises, -kInfinity, kInfinity,
     -1, 1},
    {Opcode::kExponential, [](double x) { return std::exp(x); }, Direction::kRises, -kInfinity,
     kInfinity, 0},
    {Opcode::kExponentialMinusOne, [](double x) { return std::expm1(x); }, Direction::kRises,
     -kInfinity, kInfinity, -1},
    {Opcode::kLog, [](double x) { return std::log(x); }, Direction::kRises, 0},
    {Opcode::kLogPlusOne, [](double x) { return std::log1p(x); }, Direction::kRises, -1},
    {Opcode::kLogistic, [](double x) { return 1 / (1 + std::exp(-x)); }, Direction::kRises,
     -kInfinity, kInfinity, 0, 1},
    {Opcode::kRsqrt, [](double x) { return 1 / std::sqrt(x); }, Direction::kFalls, 0, kInfinity, 0},
    {Opcode::kSinh, [](double x) { return std::sinh(x); }},
    {Opcode::kSqrt, [](double x) { return std::sqrt(x); }, Direction::kRises, 0, kInfinity, 0},
    {Opcode::kTanh, [](double x) { return std::tanh(x); }, Direction::kRises, -kInfinity, kInfinity,
     -1, 1},
};

// Within the numbers that a function has at all: no formula is off to the other side of these.
Interval Within(Interval a, double least, double largest) {
  if (!a.HasNumbers()) return a;
  a.lo = std::clamp(a.lo, least, largest);
  a.hi = std::clamp(a.hi, least, largest);
  return a;
}

// sin and cos do not change by more than their argument.
Interval Wave(RealFunction function, const Interval& a) {
  Interval result = {.nan = a.nan};
  if (!a.HasNumbers()) return result;
  result.nan = result.nan || std::isinf(a.lo) || std::isinf(a.hi);
  if (std::isinf(a.lo) && a.lo == a.hi) return Interval::NaN();
  const double middle = a.lo / 2 + a.hi / 2, half = std::nextafter(a.hi - middle, kInfinity);
  if (!(half < 2)) return {.lo = -1, .hi = 1, .nan = result.nan};
  const double value = function(middle);
  Interval values = Widened({.lo = value - half, .hi = value + half}, kPlaces);
  values.nan = result.nan;
  return values;
}

Interval Tangent(const Interval& a) {
  if (!a.HasNumbers()) return a;
  if (std::isinf(a.lo) || std::isinf(a.hi)) return Interval::Whole();
  // The number of the branch; near its ends it is not known.
  auto branch = [](double x) { return x / std::numbers::pi + 0.5; };
  const double from = branch(a.lo), to = branch(a.hi), slack = 1e-9 * (1 + std::fabs(from));
  if (std::floor(from - slack) != std::floor(to + slack)) return Interval::Whole();
  return Monotone([](double x) { return std::tan(x); }, a, Direction::kRises, -kInfinity, kInfinity,
                  kPlaces);
}

Interval Angle(const Interval& y, const Interval& x) {
  Interval result = {.nan = x.nan || y.nan};
  if (!x.HasNumbers() || !y.HasNumbers()) return result;
  // Across the cut, where zeros of both signs count too, both ends are among the angles.
  if (y.lo <= 0 && y.hi >= 0 && x.lo <= 0) {
    result.lo = -std::numbers::pi;
    result.hi = std::numbers::pi;
  } else {
    for (double of_y : {y.lo, y.hi}) {
      for (double of_x : {x.lo, x.hi}) {
        const double angle = std::atan2(of_y, of_x);
        result.lo = std::min(result.lo, angle);
        result.hi = std::max(result.hi, angle);
      }
    }
  }
  return Widened(result, kPlaces);
}

Interval Power(const Interval& x, const Interval& y) {
  if (!x.HasNumbers() || !y.HasNumbers()) return Interval::Whole();
  const bool points = x.lo == x.hi && y.lo == y.hi;
  if (!points && !(x.lo > 0)) return Interval::Whole();
  Interval result = {.nan = x.nan || y.nan};
  // Rises or falls in each of them, whatever the other is.
  for (double of_x : {x.lo, x.hi}) {
    for (double of_y : {y.lo, y.hi}) {
      const double power = std::pow(of_x, of_y);
      if (std::isnan(power)) return points ? Interval::NaN() : Interval::Whole();
      result.lo = std::min(result.lo, power);
      result.hi = std::max(result.hi, power);
    }
  }
  return Widened(result, kPlaces);
}

Interval Remainder(const Interval& x, const Interval& y) {
  if (!x.HasNumbers() || !y.HasNumbers()) return Interval::Whole();
  if (x.lo == x.hi && y.lo == y.hi) {
    Interval rest = Interval::Of(std::fmod(x.lo, y.lo));
    rest.nan = rest.nan || x.nan || y.nan;
    return rest;
  }
  const Interval divisor = Magnitude(y);
  if (divisor.lo == 0 || std::isinf(x.lo) || std::isinf(x.hi)) return Interval::Whole();
  const double times = std::trunc(x.lo / y.lo);
  // What is taken off is the same everywhere, well within the divisor.
  const Interval rest = Difference(x, Product(Interval::Of(times), y));
  const double taken = times * y.lo;
  if (y.lo == y.hi && rest.lo * taken > 0 && rest.hi * taken > 0 && Magnitude(rest).hi < divisor.lo)
    return rest;
  const double bound = std::min(divisor.hi, Magnitude(x).hi);
  return {
      .lo = x.hi <= 0 || x.lo < 0 ? -bound : 0, .hi = x.hi > 0 ? bound : 0, .nan = x.nan || y.nan};
}

// Functions with steps do not fall, and are exact.
Interval Steps(RealFunction function, const Interval& a) {
  return Monotone(function, a, Direction::kRises, -kInfinity, kInfinity, 0);
}

// Rounds to few bits whatever a compiler does: of numbers of the type.
Interval ReducedPrecision(const hlo::ScalarOp& exact, const Interval& a) {
  if (!a.HasNumbers()) return a;
  auto value = [&](double x) {
    const hlo::Scalar operand = {.re = x};
    return exact(&operand).re;
  };
  const double lo = value(a.lo), hi = value(a.hi);
  if (std::isnan(lo) || std::isnan(hi)) return Interval::Whole();
  return {.lo = lo, .hi = hi, .nan = a.nan};
}

double SignOf(double x) { return x == 0 ? x : std::copysign(1, x); }

std::optional<Interval> Unary(Opcode opcode, const Interval& a, const hlo::ScalarOp& exact) {
  switch (opcode) {
    case Opcode::kAbs:
      return Magnitude(a);
    case Opcode::kNegate:
      return Negated(a);
    case Opcode::kCopy:
      return a;
    case Opcode::kCeil:
      return Steps([](double x) { return std::ceil(x); }, a);
    case Opcode::kFloor:
      return Steps([](double x) { return std::floor(x); }, a);
    case Opcode::kReducePrecision:
      return ReducedPrecision(exact, a);
    case Opcode::kRoundNearestAfz:
      return Steps([](double x) { return std::round(x); }, a);
    case Opcode::kRoundNearestEven:
      return Steps([](double x) { return std::nearbyint(x); }, a);
    case Opcode::kSign:
      return Steps(SignOf, a);
    case Opcode::kCosine:
      return Wave([](double x) { return std::cos(x); }, a);
    case Opcode::kSine:
      return Wave([](double x) { return std::sin(x); }, a);
    case Opcode::kTan:
      return Tangent(a);
    case Opcode::kCosh:
      return Monotone([](double x) { return std::cosh(x); }, Magnitude(a), Direction::kRises, 0,
                      kInfinity, kPlaces);
    default:
      break;
  }
  for (const MonotoneRow& row : kMonotone) {
    if (row.opcode != opcode) continue;
    // A zero of either sign is the end of these: 1 / sqrt(-0) is -infinity.
    if (opcode == Opcode::kRsqrt && a.HasNumbers() && a.lo <= 0 && a.hi >= 0) {
      Interval at_zero = Monotone(row.function, a, row.direction, row.first, row.last, kPlaces);
      return Hull(at_zero, {.lo = -kInfinity, .hi = -kInfinity});
    }
    const Interval values = Monotone(row.function, a, row.direction, row.first, row.last,
                                     opcode == Opcode::kSqrt ? 1 : kPlaces);
    return Within(values, row.least, row.largest);
  }
  return std::nullopt;
}

std::optional<Interval> Binary(Opcode opcode, const Interval& a, const Interval& b) {
  switch (opcode) {
    case Opcode::kAdd:
      return Sum(a, b);
    case Opcode::kSubtract:
      return Difference(a, b);
    case Opcode::kMultiply:
      return Product(a, b);
    case Opcode::kDivide:
      return Quotient(a, b);
    case Opcode::kMaximum:
      return Largest(a, b);
    case Opcode::kMinimum:
      return Smallest(a, b);
    case Opcode::kRemainder:
      return Remainder(a, b);
    case Opcode::kPower:
      return Power(a, b);
    case Opcode::kAtan2:
      return Angle(a, b);
    default:
      return std::nullopt;
  }
}

// Operations whose result is a number of the type, of operands that are.
bool IsExact(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kCeil:
    case Opcode::kClamp:
    case Opcode::kCopy:
    case Opcode::kFloor:
    case Opcode::kImag:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kNegate:
    case Opcode::kReal:
    case Opcode::kReducePrecision:
    case Opcode::kRemainder:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kSelect:
    case Opcode::kSign:
      return true;
    default:
      return false;
  }
}

// How two values may lie: each of these is whether some of the values do.
struct Order {
  bool less = false, equal = false, greater = false;
  bool unordered = false;  // one is NaN
};

// Whether a comparison holds, of some and of all values.
Enclosure Compared(const std::string& direction, const Order& order) {
  const bool is_equality = direction == "EQ" || direction == "NE";
  const bool holds_less = direction == "LT" || direction == "LE" || direction == "NE";
  const bool holds_greater = direction == "GT" || direction == "GE" || direction == "NE";
  const bool holds_equal = direction == "EQ" || (!is_equality && direction[1] == 'E');
  const bool holds_unordered = direction == "NE";
  auto some = [&](bool wanted) {
    return (order.less && holds_less == wanted) || (order.equal && holds_equal == wanted) ||
           (order.greater && holds_greater == wanted) ||
           (order.unordered && holds_unordered == wanted);
  };
  return Enclosure::Integers(some(false) ? 0 : 1, some(true) ? 1 : 0);
}

Order OrderOf(const Interval& a, const Interval& b) {
  Order order = {.unordered = a.nan || b.nan};
  if (!a.HasNumbers() || !b.HasNumbers()) return order;
  order.less = a.lo < b.hi;
  order.equal = std::max(a.lo, b.lo) <= std::min(a.hi, b.hi);
  order.greater = a.hi > b.lo;
  return order;
}

Order OrderOf(IntType of, const Enclosure& a, const Enclosure& b) {
  return {.less = of.Less(a.lo, b.hi),
          .equal = !of.Less(a.hi, b.lo) && !of.Less(b.hi, a.lo),
          .greater = of.Less(b.lo, a.hi)};
}

// A float or an integer as a number of a float type.
Enclosure ConvertedToFloat(PrimitiveType from, PrimitiveType to, const Enclosure& a,
                           Freedom freedom) {
  // Nothing is kept in a wider type than f32: the nearest number, and of no operation's result.
  auto converted = [&](const Interval& exact) -> Interval {
    const bool is_narrow = to != PrimitiveType::kF32 && to != PrimitiveType::kF64;
    if (is_narrow || !exact.HasNumbers())
      return Rounded(exact, to, {.excess = freedom.excess_precision});
    return Flushed(
        {.lo = hlo::RoundTo(to, exact.lo), .hi = hlo::RoundTo(to, exact.hi), .nan = exact.nan}, to);
  };
  if (IsFloatType(from)) {
    const bool is_wider =
        to == PrimitiveType::kF64 || (to == PrimitiveType::kF32 && from != PrimitiveType::kF64);
    return Enclosure::Real(is_wider ? Flushed(a.real, from) : converted(a.real));
  }
  auto number = [&](int64_t i) -> Interval {
    const bool is_unsigned = !IntType::Of(from).is_signed;
    const double nearest =
        is_unsigned ? static_cast<double>(static_cast<uint64_t>(i)) : static_cast<double>(i);
    const bool is_exact = std::fabs(nearest) <= 0x1p53;
    return is_exact ? Interval::Of(nearest) : Widened(Interval::Of(nearest), 1);
  };
  return Enclosure::Real(converted(Hull(number(a.lo), number(a.hi))));
}

Enclosure ConvertedToInteger(PrimitiveType from, PrimitiveType to, const Enclosure& a) {
  if (to == PrimitiveType::kPred) {
    if (!IsFloatType(from)) return Enclosure::Whole(to);
    return Compared("NE", OrderOf(a.real, Interval::Of(0)));
  }
  if (!IsFloatType(from)) return Enclosure::Whole(to);
  const auto of = IntType::Of(to);
  Enclosure result = Enclosure::Integers(0, 0);
  if (!a.real.HasNumbers()) return result;
  result =
      Enclosure::Integers(hlo::SaturateToInt(a.real.lo, of), hlo::SaturateToInt(a.real.hi, of));
  return a.real.nan ? Hull(to, result, Enclosure::Integers(0, 0)) : result;
}

Enclosure Converted(PrimitiveType from, PrimitiveType to, const Enclosure& a, Freedom freedom) {
  if (IsFloatType(to)) return ConvertedToFloat(from, to, a, freedom);
  if (ScalarKindOf(to) == ScalarKind::kInt) return ConvertedToInteger(from, to, a);
  return Enclosure::Whole(to);
}

Enclosure Complexes(const Instruction& op, llvm::ArrayRef<Enclosure> operands) {
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
      return Enclosure::Whole(type);
  }
}

Enclosure Predicates(Opcode opcode, llvm::ArrayRef<Enclosure> operands) {
  const Enclosure& a = operands[0];
  switch (opcode) {
    case Opcode::kNot:
      return Enclosure::Integers(1 - a.hi, 1 - a.lo);
    case Opcode::kAnd:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
      return Enclosure::Integers(a.lo & operands[1].lo, a.hi & operands[1].hi);
    case Opcode::kAdd:
    case Opcode::kMaximum:
    case Opcode::kOr:
      return Enclosure::Integers(a.lo | operands[1].lo, a.hi | operands[1].hi);
    default:
      return Enclosure::Integers(0, 1);
  }
}

// Integers some of which are not known: bounds of the operations that have simple ones.
Enclosure OfIntegers(const Instruction& op, llvm::ArrayRef<Enclosure> operands) {
  const PrimitiveType type = op.shape.type;
  if (type == PrimitiveType::kPred) return Predicates(op.opcode, operands);
  const auto of = IntType::Of(type);
  auto number = [&](int64_t i) {
    return of.is_signed ? static_cast<__int128>(i)
                        : static_cast<__int128>(static_cast<uint64_t>(i));
  };
  auto bounds = [&](__int128 lo, __int128 hi) {
    if (lo < number(of.Min()) || hi > number(of.Max())) return Enclosure::Whole(type);
    return Enclosure::Integers(static_cast<int64_t>(lo), static_cast<int64_t>(hi));
  };
  const __int128 a_lo = number(operands[0].lo), a_hi = number(operands[0].hi);
  const bool is_binary = operands.size() == 2;
  const __int128 b_lo = is_binary ? number(operands[1].lo) : 0;
  const __int128 b_hi = is_binary ? number(operands[1].hi) : 0;
  switch (op.opcode) {
    case Opcode::kAdd:
      return bounds(a_lo + b_lo, a_hi + b_hi);
    case Opcode::kSubtract:
      return bounds(a_lo - b_hi, a_hi - b_lo);
    case Opcode::kMaximum:
      return bounds(std::max(a_lo, b_lo), std::max(a_hi, b_hi));
    case Opcode::kMinimum:
      return bounds(std::min(a_lo, b_lo), std::min(a_hi, b_hi));
    case Opcode::kNegate:
      return of.is_signed ? bounds(-a_hi, -a_lo) : Enclosure::Whole(type);
    default:
      return Enclosure::Whole(type);
  }
}

// What all of the values agree in, one after the other: select, clamp, compare, convert.
std::optional<Enclosure> OfAnyType(const Instruction& op, llvm::ArrayRef<Enclosure> operands,
                                   Freedom freedom) {
  const PrimitiveType type = op.shape.type, from = op.operands[0]->shape.type;
  switch (op.opcode) {
    case Opcode::kSelect: {
      if (operands[0].lo == operands[0].hi) return operands[operands[0].lo != 0 ? 1 : 2];
      return Hull(type, operands[1], operands[2]);
    }
    case Opcode::kClamp: {
      if (!IsFloatType(type)) return std::nullopt;
      return Enclosure::Real(
          Smallest(Largest(operands[1].real, operands[0].real), operands[2].real));
    }
    case Opcode::kCompare: {
      const std::string& direction = op.attributes.comparison_direction;
      if (ScalarKindOf(from) == ScalarKind::kInt)
        return Compared(direction, OrderOf(IntType::Of(from), operands[0], operands[1]));
      if (!IsFloatType(from) || op.attributes.comparison_type == "TOTALORDER")
        return Enclosure::Whole(type);
      return Compared(direction,
                      OrderOf(Flushed(operands[0].real, from), Flushed(operands[1].real, from)));
    }
    case Opcode::kConvert:
      return Converted(from, type, operands[0], freedom);
    case Opcode::kIsFinite: {
      if (!IsFloatType(from)) return std::nullopt;
      const Interval& a = operands[0].real;
      const bool infinite = a.HasNumbers() && (std::isinf(a.lo) || std::isinf(a.hi));
      const bool finite = a.HasNumbers() && !(std::isinf(a.lo) && a.lo == a.hi);
      return Enclosure::Integers(infinite || a.nan ? 0 : 1, finite ? 1 : 0);
    }
    case Opcode::kReal:
      return Enclosure::Real(operands[0].real);
    case Opcode::kImag:
      return Enclosure::Real(ScalarKindOf(from) == ScalarKind::kComplex ? operands[0].imaginary
                                                                        : Interval::Of(0));
    default:
      return std::nullopt;
  }
}

}  // namespace

double UlpOf(Opcode opcode) {
  constexpr double kFormulas = 4, kDivide = 2, kRsqrt = 2;
  if (opcode == Opcode::kDivide) return kDivide;
  if (opcode == Opcode::kRsqrt) return kRsqrt;
  const auto measured = static_cast<double>(hlo::MathBoundOf(opcode));
  return measured > 0 ? measured + kFormulas : 0.5;
}

Enclosure Elementwise(const Instruction& op, llvm::ArrayRef<Enclosure> operands,
                      const hlo::ScalarOp& exact, Freedom freedom) {
  const PrimitiveType type = op.shape.type;
  const bool is_point = llvm::all_of(llvm::zip(op.operands, operands), [](const auto& pair) {
    return IsPoint(std::get<0>(pair)->shape.type, std::get<1>(pair));
  });
  const bool is_integer = ScalarKindOf(type) == ScalarKind::kInt;
  const bool compares_floats =
      op.opcode == Opcode::kCompare && IsFloatType(op.operands[0]->shape.type);
  if (is_point && !compares_floats && (is_integer || IsExact(op.opcode))) {
    llvm::SmallVector<hlo::Scalar, 3> values;
    for (auto [operand, of] : llvm::zip(op.operands, operands))
      values.push_back(ValueOf(operand->shape.type, of));
    const Enclosure result = Enclosure::Of(type, exact(values.data()));
    return IsFloatType(type) ? Enclosure::Real(Flushed(result.real, type)) : result;
  }
  if (auto result = OfAnyType(op, operands, freedom)) return *result;
  if (is_integer) return OfIntegers(op, operands);
  if (!IsFloatType(type)) return Complexes(op, operands);
  // Operands of another type than the result's: the magnitude of a complex number, random bits.
  for (const Instruction* operand : op.operands) {
    if (operand->shape.type != type) return Enclosure::Whole(type);
  }
  const bool is_exact = IsExact(op.opcode);
  auto operand = [&](size_t k) {
    return is_exact ? operands[k].real : Flushed(operands[k].real, type);
  };
  std::optional<Interval> value;
  if (operands.size() == 1) value = Unary(op.opcode, operand(0), exact);
  if (operands.size() == 2) value = Binary(op.opcode, operand(0), operand(1));
  if (!value) return Enclosure::Whole(type);
  // f8e8m0fnu has no zero and no negative numbers, f4e2m1fn no NaN.
  const bool has_all = hlo::RoundTo(type, 0) == 0 && std::isnan(hlo::RoundTo(type, std::nan("")));
  if (is_exact) return Enclosure::Real(has_all ? Flushed(*value, type) : Rounded(*value, type));
  // A quotient by a power of two is exact, also as a product with its reciprocal; and so is zero.
  double ulp = UlpOf(op.opcode);
  if (op.opcode == Opcode::kDivide) {
    int exponent = 0;
    const Interval& divisor = operands[1].real;
    const bool is_power = divisor.IsPoint() && std::fabs(std::frexp(divisor.lo, &exponent)) == 0.5;
    if (is_power || (value->lo == 0 && value->hi == 0)) ulp = 0.5;
  }
  return Enclosure::Real(Rounded(*value, type,
                                 {.ulp = ulp,
                                  .excess = freedom.excess_precision,
                                  .contracted = op.opcode == Opcode::kMultiply}));
}

}  // namespace affirm::enclosure
