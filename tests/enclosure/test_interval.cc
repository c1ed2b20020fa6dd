// Intervals hold what exact arithmetic gives, and are no wider than one rounding where one is.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "verify/enclosure/interval.h"
#include "verify/scalar/scalar.h"

namespace affirm::enclosure {
namespace {

using hlo::PrimitiveType;

// A number of few or many bits, of any magnitude that a product of two does not leave.
double AnyNumber() {
  const auto mantissa = *rc::gen::inRange<int64_t>(-(int64_t{1} << 53), int64_t{1} << 53);
  const int dropped = *rc::gen::element(0, 20, 45, 51);
  const double cut = static_cast<double>(mantissa >> dropped);
  return std::ldexp(cut, *rc::gen::inRange(-80, 80));
}

struct Sample {
  Interval interval;
  double inside;
};
Sample AnySample() {
  const double a = AnyNumber(), b = *rc::gen::element(0, 1) == 0 ? a : AnyNumber();
  const double inside = *rc::gen::element(a, b, a / 2 + b / 2);
  return {Hull(Interval::Of(a), Interval::Of(b)), inside};
}

// Long double has 11 more bits than double: sums and products of numbers of few bits are exact.
RC_GTEST_PROP(Intervals, HoldResultsOfWhatIsInside, ()) {
  const Sample x = AnySample(), y = AnySample();
  const long double a = x.inside, b = y.inside;
  auto holds = [](const Interval& interval, long double value) {
    return interval.lo <= value && value <= interval.hi;
  };
  RC_ASSERT(holds(Sum(x.interval, y.interval), a + b));
  RC_ASSERT(holds(Difference(x.interval, y.interval), a - b));
  RC_ASSERT(holds(Product(x.interval, y.interval), a * b));
  if (b != 0) RC_ASSERT(holds(Quotient(x.interval, y.interval), a / b));
  RC_ASSERT(holds(Largest(x.interval, y.interval), std::max(a, b)));
  RC_ASSERT(holds(Smallest(x.interval, y.interval), std::min(a, b)));
  RC_ASSERT(holds(Magnitude(x.interval), std::fabs(a)));
}

TEST(Intervals, AreExactWhereOperationsAre) {
  const Interval third = Quotient(Interval::Of(1), Interval::Of(3));
  EXPECT_LT(third.lo, third.hi);
  EXPECT_TRUE(Quotient(Interval::Of(3), Interval::Of(4)).IsPoint());
  EXPECT_TRUE(Sum(Interval::Of(0.25), Interval::Of(1024)).IsPoint());
  EXPECT_FALSE(Sum(Interval::Of(1), Interval::Of(0x1p-60)).IsPoint());
  EXPECT_TRUE(Product(Interval::Of(-3), Interval::Of(0.5)).IsPoint());
  EXPECT_FALSE(Product(Interval::Of(1 + 0x1p-52), Interval::Of(1 + 0x1p-52)).IsPoint());
}

TEST(Intervals, KnowInfinitiesAndNaN) {
  const Interval infinity = Interval::Of(kInfinity), zero = Interval::Of(0);
  EXPECT_EQ(Sum(infinity, Negated(infinity)), Interval::NaN());
  EXPECT_EQ(Product(infinity, zero), Interval::NaN());
  EXPECT_EQ(Quotient(zero, zero), Interval::NaN());
  EXPECT_EQ(Quotient(infinity, infinity), Interval::NaN());
  EXPECT_TRUE(Quotient(Interval::Of(1), zero).Has(-kInfinity));
  EXPECT_TRUE(Sum({.lo = 0, .hi = kInfinity}, Negated(infinity)).nan);
  EXPECT_TRUE(Sum({.lo = 0, .hi = kInfinity}, Negated(infinity)).Has(-kInfinity));
  EXPECT_EQ(Sum(Interval::NaN(), zero), Interval::NaN());
  EXPECT_FALSE(Meet(Interval::NaN(), Interval::Of(1)));
  EXPECT_TRUE(Meet(Interval::NaN(), Interval::Whole()));
}

// A result rounded to the type, in either direction, and the exact one.
RC_GTEST_PROP(Roundings, HoldTheNearestAndTheExactNumber, ()) {
  const PrimitiveType type =
      *rc::gen::element(PrimitiveType::kF64, PrimitiveType::kF32, PrimitiveType::kF16,
                        PrimitiveType::kBF16, PrimitiveType::kF8E4M3FN, PrimitiveType::kF8E5M2,
                        PrimitiveType::kF4E2M1FN, PrimitiveType::kF8E8M0FNU);
  const double exact = AnyNumber();
  const Interval rounded = Rounded(Interval::Of(exact), type);
  const double nearest = hlo::RoundTo(type, exact);
  RC_ASSERT(rounded.Has(nearest));
  if (std::isfinite(nearest)) RC_ASSERT(rounded.Has(exact) || std::fabs(exact) < 0x1p-120);
  // No wider than three places, where the numbers of the type are normal.
  const double u = UnitRoundoff(type), magnitude = std::fabs(exact);
  if (magnitude > 16 && magnitude < 200 && type != PrimitiveType::kF4E2M1FN)
    RC_ASSERT(rounded.hi - rounded.lo <= 6 * u * magnitude);
  if (nearest == exact) RC_ASSERT(rounded.IsPoint() || std::fabs(exact) < 0x1p-120);
}

TEST(Roundings, KnowTheirTypes) {
  EXPECT_EQ(UnitRoundoff(PrimitiveType::kF64), 0x1p-53);
  EXPECT_EQ(UnitRoundoff(PrimitiveType::kF32), 0x1p-24);
  EXPECT_EQ(UnitRoundoff(PrimitiveType::kBF16), 0x1p-8);
  EXPECT_EQ(UnitRoundoff(PrimitiveType::kF8E5M2), 0x1p-3);
  EXPECT_EQ(UnitRoundoff(PrimitiveType::kF8E8M0FNU), 0.5);
  EXPECT_EQ(Rounded(Interval::Of(1e39), PrimitiveType::kF32), Interval::Of(kInfinity));
  EXPECT_TRUE(Rounded(Interval::Of(1e6), PrimitiveType::kF16).Has(1e6));  // kept in f32
  // A product that is added to, as one operation, does not overflow.
  EXPECT_TRUE(Rounded(Interval::Of(1e39), PrimitiveType::kF32, {.contracted = true}).Has(1e39));
  EXPECT_TRUE(Rounded(Interval::Of(0x1p-140), PrimitiveType::kF32).Has(0));
  EXPECT_FALSE(Rounded(Interval::Of(0x1p-20), PrimitiveType::kF16).Has(0));
}

// All binary trees over the summands, each rounded after every addition.
void AddTrees(PrimitiveType type, const std::vector<double>& summands, std::vector<double>& sums) {
  if (summands.size() == 1) return sums.push_back(summands[0]);
  for (size_t a = 0; a < summands.size(); ++a) {
    for (size_t b = a + 1; b < summands.size(); ++b) {
      std::vector<double> rest = {hlo::RoundTo(type, summands[a] + summands[b])};
      for (size_t k = 0; k < summands.size(); ++k) {
        if (k != a && k != b) rest.push_back(summands[k]);
      }
      AddTrees(type, rest, sums);
    }
  }
}

RC_GTEST_PROP(Sums, HoldEveryOrder, ()) {
  const PrimitiveType type = *rc::gen::element(PrimitiveType::kF32, PrimitiveType::kBF16,
                                               PrimitiveType::kF16, PrimitiveType::kF8E5M2);
  const int count = *rc::gen::inRange(1, 6);
  std::vector<double> summands, sums;
  AnyOrderSum sum(type);
  for (int k = 0; k < count; ++k) {
    const int exponent = *rc::gen::inRange(-6, 6);
    const double number =
        hlo::RoundTo(type, std::ldexp(*rc::gen::inRange(-(1 << 24), 1 << 24), exponent - 24));
    summands.push_back(number);
    sum.Add(Interval::Of(number));
  }
  AddTrees(type, summands, sums);
  const Interval result = sum.Result();
  for (double each : sums) RC_ASSERT(result.Has(each));
}

TEST(Sums, AreExactWhereNoOrderRounds) {
  AnyOrderSum small(PrimitiveType::kF32);
  for (int k = 0; k < 1000; ++k) small.Add(Interval::Of(k % 7 - 3 + 0.25));
  EXPECT_TRUE(small.Result().IsPoint());
  AnyOrderSum cancels(PrimitiveType::kF32);
  for (double each : {1e8, 1.0, -1e8}) cancels.Add(Interval::Of(each));
  EXPECT_TRUE(cancels.Result().Has(0));
  EXPECT_TRUE(cancels.Result().Has(1));
  EXPECT_FALSE(cancels.Result().Has(64));
  AnyOrderSum overflows(PrimitiveType::kF32);
  for (double each : {3e38, 3e38, -3e38}) overflows.Add(Interval::Of(each));
  EXPECT_TRUE(overflows.Result().Has(kInfinity));
  EXPECT_TRUE(overflows.Result().Has(3e38));
  AnyOrderSum infinite(PrimitiveType::kF32);
  for (double each : {kInfinity, 1.0, -kInfinity}) infinite.Add(Interval::Of(each));
  EXPECT_TRUE(infinite.Result().nan);
  EXPECT_EQ(AnyOrderSum(PrimitiveType::kF32).Result(), Interval::Of(0));
}

}  // namespace
}  // namespace affirm::enclosure
