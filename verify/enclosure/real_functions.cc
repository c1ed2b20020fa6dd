#include "verify/enclosure/real_functions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace affirm::enclosure {

using hlo::Opcode;

namespace {

// libm's functions of double are off by at most 2 last places (glibc manual, "Known Maximum Errors
// in Math Functions", x86_64), and the formulas below by a few more.
constexpr int kPlaces = 8;

// A function without steps, falls and ends of its own.
struct MonotoneRow {
  Opcode opcode;
  RealFunction function;
  Direction direction = Direction::kRises;
  double first = -kInfinity, last = kInfinity;  // where it is defined
  // The bounds of its values.
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
  // The number of the branch; near its ends it is not known. One number has one branch.
  auto branch = [](double x) { return x / std::numbers::pi + 0.5; };
  const double from = branch(a.lo), to = branch(a.hi), slack = 1e-12 * (1 + std::fabs(from));
  if (a.lo != a.hi && std::floor(from - slack) != std::floor(to + slack)) return Interval::Whole();
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
  // The subtrahend is the same everywhere, well within the divisor.
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

double SignOf(double x) { return x == 0 ? x : std::copysign(1, x); }

}  // namespace

std::optional<Interval> RealFunctionOf(Opcode opcode, const Interval& a) {
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
      return Hull(at_zero, {.lo = -kInfinity, .hi = kInfinity});
    }
    const Interval values = Monotone(row.function, a, row.direction, row.first, row.last,
                                     opcode == Opcode::kSqrt ? 1 : kPlaces);
    return Within(values, row.least, row.largest);
  }
  return std::nullopt;
}

std::optional<Interval> RealFunctionOf(Opcode opcode, const Interval& a, const Interval& b) {
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

}  // namespace affirm::enclosure
