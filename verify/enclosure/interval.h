// Sets of real numbers and NaN that enclose what floating-point operations give: closed intervals
// of extended reals, with outward rounding (IEEE Std 1788-2015, clause 7, without its
// decorations).
//
//   Sum({1, 1}, {0x1p-60, 0x1p-60})   // {1, the double above 1}
//
// Bounds are doubles, which have all numbers of f32 and narrower types. Zeros of both signs are one
// number; the bounds of zero alone say which of them it may be.
#ifndef AFFIRM_VERIFY_ENCLOSURE_INTERVAL_H_
#define AFFIRM_VERIFY_ENCLOSURE_INTERVAL_H_

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/hlo/shape.h"

namespace affirm::enclosure {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Interval {
  // No number is in it where lo > hi.
  double lo = kInfinity, hi = -kInfinity;
  bool nan = false;

  static Interval Of(double value);
  static Interval Whole();  // every number, and NaN
  static Interval NaN() { return {.nan = true}; }
  bool HasNumbers() const { return lo <= hi; }
  // One value: a number, or a zero of one sign, or NaN.
  bool IsPoint() const {
    return lo == hi ? !nan && std::signbit(lo) == std::signbit(hi) : !HasNumbers() && nan;
  }
  bool Has(double value) const;
  friend bool operator==(const Interval&, const Interval&) = default;
};

Interval Hull(const Interval& a, const Interval& b);
bool Meet(const Interval& a, const Interval& b);

// The operations on exact numbers.
Interval Negated(const Interval& a);
Interval Sum(const Interval& a, const Interval& b);
Interval Difference(const Interval& a, const Interval& b);
Interval Product(const Interval& a, const Interval& b);
Interval Quotient(const Interval& a, const Interval& b);
Interval Largest(const Interval& a, const Interval& b);   // NaN where one is NaN
Interval Smallest(const Interval& a, const Interval& b);  // NaN where one is NaN
Interval Magnitude(const Interval& a);

// A function that does not fall, or does not rise, between its ends, where it is defined; NaN where
// it is not. `function` is exact but for `places` last places of double.
using RealFunction = double (*)(double);
enum class Direction : uint8_t { kRises, kFalls };
Interval Monotone(RealFunction function, const Interval& a, Direction direction, double first,
                  double last, int places);

// Bounds moved outward by `places` last places of double.
Interval Widened(const Interval& a, int places);

// How an operation of a type may be off the exact result.
struct Rounding {
  // Units in the last place of the type, 0.5 where it is correctly rounded; of f32 where the type
  // is narrower, before the result is rounded to the type.
  double ulp = 0.5;
  // A result of a narrow type may be kept in f32 (XLA's xla_allow_excess_precision).
  bool excess = true;
  // A narrow type may be reached by cutting digits off, as XLA does where it splits the operands of
  // a dot into parts.
  bool cut_off = false;
  // A product may be added to without being rounded, and then does not overflow.
  bool contracted = false;
};
// The possible results of an operation of the type, whose exact result is in `exact`. Rounding is
// in either direction, and includes the exact result: operations may be contracted, and narrow
// types may be kept in f32 (XLA's xla_allow_excess_precision). If the operation is correctly
// rounded, a result that the type has is not rounded. Subnormal numbers of f32, bf16 and f64 may be
// zero: XLA:CPU and some kernels of XLA:GPU flush them.
Interval Rounded(const Interval& exact, hlo::PrimitiveType type, Rounding rounding = {});
// The values that an operation may take its operand for: subnormal numbers for zero.
Interval Flushed(const Interval& a, hlo::PrimitiveType type);

// Half of the distance from 1 to the next number of a type.
double UnitRoundoff(hlo::PrimitiveType type);
// The least positive number of a type.
double LeastNumber(hlo::PrimitiveType type);

// The sum of numbers of a type in any order, each partial sum rounded once: within (n - 1) u of the
// sum of their magnitudes for n summands (Higham, Accuracy and Stability of Numerical Algorithms,
// 2nd edition, section 4.2). Exact where no order rounds: the magnitudes add up to less than 1 / u
// times the last place that any summand has.
class AnyOrderSum {
 public:
  explicit AnyOrderSum(hlo::PrimitiveType type) : type_(type) {}
  // `roundings`: of the summand itself, as of a product, each of at most u.
  void Add(const Interval& summand, int roundings = 0);
  Interval Result() const;

 private:
  hlo::PrimitiveType type_;
  Interval sum_ = {.lo = 0, .hi = 0};
  double magnitude_ = 0;  // of the finite bounds
  double last_place_ = kInfinity;
  bool points_ = true, positive_infinity_ = false, negative_infinity_ = false;
  int64_t count_ = 0;
  int roundings_ = 0;
};

// The product of numbers of a type in any order, each partial product rounded once: within (n - 1)
// u of it, relative (Higham, section 3.1), where no partial product leaves the normal numbers.
// Exact where no order rounds: the digits of all factors together are no more than the type has.
class AnyOrderProduct {
 public:
  explicit AnyOrderProduct(hlo::PrimitiveType type) : type_(type) {}
  void Add(const Interval& factor);
  Interval Result() const;

 private:
  hlo::PrimitiveType type_;
  Interval product_ = {.lo = 1, .hi = 1};
  int64_t count_ = 0;
  double grows_ = 0, shrinks_ = 0;  // binary orders of magnitude of the factors, from 1
};

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_INTERVAL_H_
