#include "verify/enclosure/interval.h"

#include <algorithm>
#include <cmath>

#include "core/hlo/float_format.h"
#include "verify/scalar/float_limits.h"
#include "verify/scalar/scalar.h"

namespace affirm::enclosure {

namespace {

double Below(double x) { return std::nextafter(x, -kInfinity); }
double Above(double x) { return std::nextafter(x, kInfinity); }

// Error-free transformations tell whether a double operation was exact (Dekker; Knuth, TAOCP 2,
// 4.2.2). Without finite operands and results nothing is rounded.
bool SumIsExact(double a, double b, double sum) {
  if (!std::isfinite(sum)) return !std::isfinite(a) || !std::isfinite(b);
  const double part = sum - a;
  return (a - (sum - part)) + (b - part) == 0;
}
bool ProductIsExact(double a, double b, double product) {
  if (!std::isfinite(product)) return !std::isfinite(a) || !std::isfinite(b);
  // The error itself must not fall below the subnormal numbers.
  if (product != 0 && std::fabs(product) < 0x1p-900) return false;
  if (product == 0) return a == 0 || b == 0;
  return std::fma(a, b, -product) == 0;
}
bool QuotientIsExact(double a, double b, double quotient) {
  if (!std::isfinite(quotient) || quotient == 0) return !std::isfinite(a) || a == 0;
  return std::fabs(quotient) > 0x1p-900 && std::fma(quotient, b, -a) == 0;
}

// The hull of some results, each with whether it is exact; NaN ones are left to the caller.
class Corners {
 public:
  void Add(double value, bool exact) {
    if (std::isnan(value)) return;
    // A value that overflows lies between the largest double and infinity.
    result_.lo = std::min(result_.lo, exact ? value : Below(value));
    result_.hi = std::max(result_.hi, exact ? value : Above(value));
  }
  const Interval& result() const { return result_; }

 private:
  Interval result_;
};

bool HasZero(const Interval& a) { return a.lo <= 0 && a.hi >= 0; }
bool HasInfinity(const Interval& a) {
  return a.HasNumbers() && (a.lo == -kInfinity || a.hi == kInfinity);
}

// The least positive normal and subnormal number of a type.
double LeastNormal(hlo::PrimitiveType type) {
  switch (type) {
    case hlo::PrimitiveType::kF64:
      return 0x1p-1022;
    case hlo::PrimitiveType::kF32:
    case hlo::PrimitiveType::kBF16:
      return 0x1p-126;
    default:
      return 0;  // no other is flushed
  }
}
bool IsNarrow(hlo::PrimitiveType type) {
  return type != hlo::PrimitiveType::kF32 && type != hlo::PrimitiveType::kF64;
}

// Moves a bound outward by an error relative to it and one that is absolute.
Interval Outward(const Interval& a, double relative, double absolute) {
  Interval result = a;
  if (!a.HasNumbers()) return result;
  if (std::isfinite(a.lo)) result.lo = Below(a.lo - Above(std::fabs(a.lo) * relative + absolute));
  if (std::isfinite(a.hi)) result.hi = Above(a.hi + Above(std::fabs(a.hi) * relative + absolute));
  return result;
}

// Rounds the bounds to the type: narrow types may also stay as they are, and others are rounded
// already, except for overflow.
Interval AsOfType(Interval a, hlo::PrimitiveType type, bool excess, bool contracted = false) {
  // A type without NaN has a number for it.
  if (const double of_nan = hlo::RoundTo(type, std::nan("")); a.nan && !std::isnan(of_nan))
    a = Hull(a, Interval::Of(of_nan));
  if (!a.HasNumbers()) return a;
  const double lo = hlo::RoundTo(type, a.lo), hi = hlo::RoundTo(type, a.hi);
  a.nan = a.nan || std::isnan(lo) || std::isnan(hi);  // of types without an infinity
  if (IsNarrow(type)) {
    if (!std::isnan(lo)) a.lo = excess ? std::min(a.lo, lo) : lo;
    if (!std::isnan(hi)) a.hi = excess ? std::max(a.hi, hi) : hi;
    return a;
  }
  if (std::isinf(lo) && !(contracted && lo > 0)) a.lo = lo;
  if (std::isinf(hi) && !(contracted && hi < 0)) a.hi = hi;
  return a;
}

}  // namespace

Interval Interval::Of(double value) {
  if (std::isnan(value)) return NaN();
  return {.lo = value, .hi = value};
}

Interval Interval::Whole() { return {.lo = -kInfinity, .hi = kInfinity, .nan = true}; }

bool Interval::Has(double value) const {
  return std::isnan(value) ? nan : lo <= value && value <= hi;
}

Interval Hull(const Interval& a, const Interval& b) {
  return {.lo = std::min(a.lo, b.lo), .hi = std::max(a.hi, b.hi), .nan = a.nan || b.nan};
}

bool Meet(const Interval& a, const Interval& b) {
  return (a.nan && b.nan) || std::max(a.lo, b.lo) <= std::min(a.hi, b.hi);
}

Interval Negated(const Interval& a) { return {.lo = -a.hi, .hi = -a.lo, .nan = a.nan}; }

Interval Sum(const Interval& a, const Interval& b) {
  Interval result = {.nan = a.nan || b.nan};
  if (!a.HasNumbers() || !b.HasNumbers()) return result;
  auto infinite = [](double x, double y) { return std::isinf(x) && x == -y; };
  result.nan = result.nan || infinite(a.lo, b.hi) || infinite(a.hi, b.lo) || infinite(a.lo, b.lo) ||
               infinite(a.hi, b.hi);
  const double lo = a.lo + b.lo, hi = a.hi + b.hi;
  // Opposite infinities give NaN alone if both are points; else all numbers are possible too.
  const bool points = a.lo == a.hi && b.lo == b.hi;
  if (points && std::isnan(lo)) return result;
  result.lo = std::isnan(lo) ? -kInfinity : SumIsExact(a.lo, b.lo, lo) ? lo : Below(lo);
  result.hi = std::isnan(hi) ? kInfinity : SumIsExact(a.hi, b.hi, hi) ? hi : Above(hi);
  return result;
}

Interval Difference(const Interval& a, const Interval& b) { return Sum(a, Negated(b)); }

Interval Product(const Interval& a, const Interval& b) {
  Interval result = {.nan = a.nan || b.nan};
  if (!a.HasNumbers() || !b.HasNumbers()) return result;
  result.nan = result.nan || (HasZero(a) && HasInfinity(b)) || (HasInfinity(a) && HasZero(b));
  Corners corners;
  for (double x : {a.lo, a.hi}) {
    for (double y : {b.lo, b.hi}) {
      const double product = x * y;
      // Zero times what is as large as one likes is zero; of two points it is NaN alone.
      const bool points = a.lo == a.hi && b.lo == b.hi;
      if (std::isnan(product) && !points) corners.Add(0, true);
      corners.Add(product, ProductIsExact(x, y, product));
    }
  }
  result.lo = corners.result().lo;
  result.hi = corners.result().hi;
  return result;
}

Interval Quotient(const Interval& a, const Interval& b) {
  Interval result = {.nan = a.nan || b.nan};
  if (!a.HasNumbers() || !b.HasNumbers()) return result;
  result.nan = result.nan || (HasZero(a) && HasZero(b)) || (HasInfinity(a) && HasInfinity(b));
  if (HasZero(b)) {
    // The sign of a zero is not known.
    if (a.lo == 0 && a.hi == 0 && b.lo == 0 && b.hi == 0) return result;
    result.lo = -kInfinity;
    result.hi = kInfinity;
    return result;
  }
  Corners corners;
  for (double x : {a.lo, a.hi}) {
    for (double y : {b.lo, b.hi}) {
      const double quotient = x / y;
      const bool points = a.lo == a.hi && b.lo == b.hi;
      // Infinity by what is as large as one likes.
      if (std::isnan(quotient) && !points) {
        corners.Add(0, true);
        corners.Add(std::signbit(x) == std::signbit(y) ? kInfinity : -kInfinity, true);
      }
      corners.Add(quotient, QuotientIsExact(x, y, quotient));
    }
  }
  result.lo = corners.result().lo;
  result.hi = corners.result().hi;
  return result;
}

Interval Largest(const Interval& a, const Interval& b) {
  const bool nan = a.nan || b.nan;
  if (!a.HasNumbers() || !b.HasNumbers()) return {.nan = nan};
  Interval result = {.lo = std::max(a.lo, b.lo), .hi = std::max(a.hi, b.hi), .nan = nan};
  // If zeros have both signs, either may be the larger one.
  if (a.lo == 0 && b.lo == 0) result.lo = std::signbit(a.lo) ? a.lo : b.lo;
  if (a.hi == 0 && b.hi == 0) result.hi = std::signbit(a.hi) ? b.hi : a.hi;
  return result;
}

Interval Smallest(const Interval& a, const Interval& b) {
  return Negated(Largest(Negated(a), Negated(b)));
}

Interval Magnitude(const Interval& a) {
  if (!a.HasNumbers() || a.lo >= 0) return a;
  if (a.hi <= 0) return Negated(a);
  return {.lo = 0, .hi = std::max(-a.lo, a.hi), .nan = a.nan};
}

Interval Widened(const Interval& a, int places) {
  Interval result = a;
  for (int k = 0; k < places && a.HasNumbers(); ++k) {
    if (std::isfinite(result.lo)) result.lo = Below(result.lo);
    if (std::isfinite(result.hi)) result.hi = Above(result.hi);
  }
  return result;
}

Interval Monotone(RealFunction function, const Interval& a, Direction direction, double first,
                  double last, int places) {
  Interval result = {.nan = a.nan};
  if (!a.HasNumbers()) return result;
  result.nan = result.nan || a.lo < first || a.hi > last;
  const double from = std::max(a.lo, first), to = std::min(a.hi, last);
  if (from > to) return result;
  const double x = function(from), y = function(to);
  Interval values = {.lo = direction == Direction::kRises ? x : y,
                     .hi = direction == Direction::kRises ? y : x};
  if (std::isnan(x) || std::isnan(y)) return Interval::Whole();
  values = Widened(values, places);
  result.lo = values.lo;
  result.hi = values.hi;
  return result;
}

double UnitRoundoff(hlo::PrimitiveType type) {
  return (hlo::DecodeFloat(type, hlo::EncodeFloat(type, 1) + 1) - 1) / 2;
}

double LeastNumber(hlo::PrimitiveType type) { return hlo::DecodeFloat(type, 1); }

Interval Flushed(const Interval& a, hlo::PrimitiveType type) {
  const double least = LeastNormal(type);
  if (!a.HasNumbers()) return a;
  const bool positive = a.hi > 0 && a.lo < least, negative = a.lo < 0 && a.hi > -least;
  if (!positive && !negative) return a;
  return Hull(a, Interval::Of(0));
}

Interval Rounded(const Interval& exact, hlo::PrimitiveType type, Rounding rounding) {
  const bool is_narrow = IsNarrow(type);
  const bool is_representable = exact.lo == exact.hi && hlo::RoundTo(type, exact.lo) == exact.lo;
  Interval result = exact;
  if (!is_representable || rounding.ulp > 0.5) {
    // A unit in the last place is at most 2 u times the number, and no less than the least one.
    const hlo::PrimitiveType computed = is_narrow ? hlo::PrimitiveType::kF32 : type;
    const double ulp = rounding.ulp;
    if (!is_narrow || ulp > 0.5)
      result = Outward(result, 2 * ulp * UnitRoundoff(computed), ulp * LeastNumber(computed));
    // A value that is kept in f32 is rounded there, and later to the nearest number of the type. A
    // formula, such as x * (1 / y) for a quotient, may round to the type once more.
    if (is_narrow && rounding.excess) {
      const hlo::PrimitiveType once_more = ulp == 0.5 && !rounding.cut_off ? computed : type;
      result = Outward(result, UnitRoundoff(once_more), LeastNumber(once_more) / 2);
    }
  }
  return Flushed(AsOfType(result, type, rounding.excess, rounding.contracted), type);
}

namespace {

// The value of the last place that is not zero; infinity of zero.
double LastPlaceOf(double x) {
  if (x == 0) return kInfinity;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);
  const auto bits = static_cast<uint64_t>(std::ldexp(fraction, 53));
  return std::ldexp(1.0, exponent - 53 + __builtin_ctzll(bits));
}

}  // namespace

void AnyOrderSum::Add(const Interval& given, int roundings) {
  const Interval summand = Flushed(given, type_);
  sum_ = Sum(sum_, summand);
  if (summand.lo == 0 && summand.hi == 0 && !summand.nan) return;  // rounds nothing
  ++count_;
  roundings_ = std::max(roundings_, roundings);
  points_ = points_ && summand.lo == summand.hi && std::isfinite(summand.lo) && !summand.nan;
  if (!summand.HasNumbers()) return;
  positive_infinity_ = positive_infinity_ || summand.hi == kInfinity;
  negative_infinity_ = negative_infinity_ || summand.lo == -kInfinity;
  double largest = 0;
  for (double bound : {std::fabs(summand.lo), std::fabs(summand.hi)}) {
    if (std::isfinite(bound)) largest = std::max(largest, bound);
  }
  magnitude_ = Above(magnitude_ + largest);
  if (points_) last_place_ = std::min(last_place_, LastPlaceOf(summand.lo));
}

Interval AnyOrderSum::Result() const {
  Interval result = sum_;
  // The sign of a zero depends on the order, and on zeros that were left out.
  if (result.lo == 0) result.lo = -0.0;
  if (result.hi == 0) result.hi = 0.0;
  if (!result.HasNumbers()) return result;
  result.nan = result.nan || (positive_infinity_ && negative_infinity_);
  const double u = UnitRoundoff(type_), least = LeastNumber(type_);
  const bool is_exact = points_ && magnitude_ * u <= last_place_ && last_place_ >= least;
  // A type without infinity may end at its largest number.
  const double largest = hlo::LargestFinite(type_);
  if (is_exact && magnitude_ <= largest) return Flushed(result, type_);
  // Without a limit where the roundings may add up to the whole.
  const double n = static_cast<double>(count_ - 1 + roundings_) * u;
  if (n >= 0.5) return Interval::Whole();
  const double relative = Above(n / (1 - n));
  const double error = Above(Above(relative * magnitude_) + static_cast<double>(count_) * least);
  // Some partial sum may leave the finite numbers, and the rest come back or not.
  if (magnitude_ + error > largest) return Interval::Whole();
  if (std::isfinite(result.lo)) result.lo = Below(result.lo - error);
  if (std::isfinite(result.hi)) result.hi = Above(result.hi + error);
  return Flushed(AsOfType(result, type_, /*excess=*/true), type_);
}

void AnyOrderProduct::Add(const Interval& given) {
  const Interval factor = Flushed(given, type_);
  product_ = Product(product_, factor);
  ++count_;
  const Interval magnitude = Magnitude(factor);
  if (!magnitude.HasNumbers()) return;
  // Next to zero nothing is known of what is left of the digits; zero itself has none to lose.
  if (magnitude.hi > 0) {
    grows_ += std::max(0.0, std::log2(magnitude.hi));
    shrinks_ += std::max(0.0, -std::log2(magnitude.lo));
  }
}

Interval AnyOrderProduct::Result() const {
  const double u = UnitRoundoff(type_);
  const double least_normal = LeastNumber(type_) / (2 * u);
  const bool leaves_range = std::exp2(std::ceil(grows_)) > hlo::LargestFinite(type_) ||
                            std::exp2(-std::ceil(shrinks_)) < least_normal;
  if (leaves_range) return Interval::Whole();
  // The digits of a partial product are no more than those of the product.
  const bool is_exact =
      product_.lo == product_.hi && hlo::RoundTo(type_, product_.lo) == product_.lo;
  if (is_exact || !product_.HasNumbers()) return Flushed(product_, type_);
  const double n = static_cast<double>(std::max<int64_t>(count_ - 1, 0)) * u;
  if (n >= 0.5) return Interval::Whole();
  const Interval result = Outward(product_, Above(n / (1 - n)), 0);
  return Flushed(AsOfType(result, type_, /*excess=*/true, /*contracted=*/false), type_);
}

}  // namespace affirm::enclosure
