// How far a kernel's results may lie from the interpreter's, of elements that are not finite.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "core/hlo/text.h"
#include "driver/validate/distance.h"
#include "verify/reference/interpreter.h"

namespace affirm::driver {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

hlo::Literal Floats(const std::vector<float>& values) {
  hlo::Literal literal(hlo::Shape::Array(hlo::PrimitiveType::kF32, {std::ssize(values)}));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.Set<float>(static_cast<int64_t>(i), values[i]);
  }
  return literal;
}

// Whether a kernel is wrong that computes `actual` of x * (1 - tanh(y)).
bool IsDifference(float x, float y, float actual) {
  auto module = hlo::ParseModule(R"(
HloModule m
ENTRY e {
  x = f32[1] parameter(0)
  y = f32[1] parameter(1)
  c = f32[] constant(1)
  one = f32[1] broadcast(c), dimensions={}
  t = f32[1] tanh(y)
  s = f32[1] subtract(one, t)
  ROOT r = f32[1] multiply(x, s)
})",
                                 "m.hlo");
  const std::vector<hlo::Literal> arguments = {Floats({x}), Floats({y})};
  auto expected = hlo::Interpret(*(*module)->entry, arguments, nullptr);
  std::vector<hlo::Literal> got;
  got.push_back(Floats({actual}));
  const Distance distance(*(*module)->entry);
  return distance.Compare(arguments, LeavesOf(*expected), got).first.has_value();
}

TEST(Distance, AnInfinityThatDependsOnTheLastPlaceOfAFunctionIsNotJudged) {
  // The hyperbolic tangent lies between 1 and the float before it, and an approximation may give
  // either: then the difference is 0, and the product with an infinity NaN.
  EXPECT_FALSE(IsDifference(kInfinity, 8.7f, kNan));
  EXPECT_FALSE(IsDifference(-kInfinity, 8.7f, kNan));
  EXPECT_FALSE(IsDifference(kInfinity, 8.7f, -kInfinity));
}

// Whether a kernel is wrong that computes `actual` of log(sum of exp(x)).
bool IsDifferenceOfSum(const std::vector<float>& x, float actual) {
  auto module = hlo::ParseModule(
      "HloModule m\n"
      "add { p = f32[] parameter(0) q = f32[] parameter(1) "
      "ROOT s = f32[] add(p, q) }\nENTRY e {\n  x = f32[" +
          std::to_string(x.size()) + "] parameter(0)\n  z = f32[] constant(0)\n  e = f32[" +
          std::to_string(x.size()) +
          "] exponential(x)\n  s = f32[] reduce(e, z), dimensions={0}, "
          "to_apply=add\n  ROOT r = f32[] log(s)\n}",
      "m.hlo");
  const std::vector<hlo::Literal> arguments = {Floats(x)};
  auto expected = hlo::Interpret(*(*module)->entry, arguments, nullptr);
  hlo::Literal got(hlo::Shape::Array(hlo::PrimitiveType::kF32, {}));
  got.Set<float>(0, actual);
  std::vector<hlo::Literal> actuals;
  actuals.push_back(std::move(got));
  const Distance distance(*(*module)->entry);
  return distance.Compare(arguments, LeavesOf(*expected), actuals).first.has_value();
}

// Whether a kernel is wrong that computes `actual` of the product of x.
bool IsDifferenceOfProduct(const std::vector<float>& x, float actual) {
  const std::string size = std::to_string(x.size());
  auto module = hlo::ParseModule(
      "HloModule m\nf { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = f32[] multiply(p, "
      "q) }\nENTRY e { x = f32[" +
          size +
          "] parameter(0) one = f32[] constant(1) ROOT r = f32[] reduce(x, one), dimensions={0}, "
          "to_apply=f }",
      "m.hlo");
  const std::vector<hlo::Literal> arguments = {Floats(x)};
  auto expected = hlo::Interpret(*(*module)->entry, arguments, nullptr);
  std::vector<hlo::Literal> actuals;
  actuals.emplace_back(hlo::Shape::Array(hlo::PrimitiveType::kF32, {}));
  actuals[0].Set<float>(0, actual);
  const Distance distance(*(*module)->entry);
  return distance.Compare(arguments, LeavesOf(*expected), actuals).first.has_value();
}

// What is left of a product whose parts are below the least normal number is a matter of order.
RC_GTEST_PROP(Distance, ProductsMayBeTakenInAnyOrder, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  std::vector<float> x(2 + random() % 7);
  for (float& factor : x) {
    const double digits = 1 + static_cast<double>(random() % 1000) / 1000;
    factor = static_cast<float>(std::ldexp(digits, static_cast<int>(random() % 160) - 80));
  }
  std::vector<float> ordered = x;
  std::shuffle(ordered.begin(), ordered.end(), random);
  float product = 1;
  for (float factor : ordered) product *= factor;
  RC_ASSERT(!IsDifferenceOfProduct(x, product));
}

TEST(Distance, ProductsOfModerateNumbersAreJudged) {
  EXPECT_FALSE(IsDifferenceOfProduct({3, 5, 0.25f, 7}, 26.25f));
  EXPECT_TRUE(IsDifferenceOfProduct({3, 5, 0.25f, 7}, 26.26f));
  EXPECT_TRUE(IsDifferenceOfProduct({3e-18f, 5e-18f, 7e25f, 2}, 2.2e-9f));
}

// A sum that may overflow in another order may be anything; one of a few numbers may not.
TEST(Distance, WhatIsNotFiniteIsJudgedWhereNoSumOverflows) {
  EXPECT_TRUE(IsDifferenceOfSum({1, 2, 3}, kNan));
  EXPECT_TRUE(IsDifferenceOfSum({1, 2, 3}, kInfinity));
  EXPECT_TRUE(IsDifferenceOfSum({1, 2, 3}, -kInfinity));
  EXPECT_FALSE(
      IsDifferenceOfSum({1, 2, 3}, std::log(std::exp(1.0f) + std::exp(2.0f) + std::exp(3.0f))));
  EXPECT_FALSE(IsDifferenceOfSum({88, 88, 1}, kInfinity));
  EXPECT_FALSE(IsDifferenceOfSum({88, 1, 1}, kNan));
  EXPECT_FALSE(IsDifferenceOfSum({kInfinity, 1, 1}, kNan));
  EXPECT_TRUE(IsDifferenceOfSum({80, 1, 1}, kNan));
}

// In the derivative of GELU near -5 places of the tangent nearly cancel: few sets leave some of
// such elements almost where they are, among many that hardly move. What no place explains is
// judged.
TEST(Distance, FewSetsDoNotShowHowFarElementsMove) {
  constexpr int64_t kElements = 1 << 14, kEach = 11;
  const std::string text = R"(
HloModule m
ENTRY e {
  x = f32[N] parameter(0)
  a = f32[] constant(0.044715)
  b = f32[] constant(0.797884583)
  half = f32[] constant(0.5)
  one = f32[] constant(1)
  as = f32[N] broadcast(a), dimensions={}
  bs = f32[N] broadcast(b), dimensions={}
  halves = f32[N] broadcast(half), dimensions={}
  ones = f32[N] broadcast(one), dimensions={}
  x2 = f32[N] multiply(x, x)
  x3 = f32[N] multiply(x2, x)
  cubed = f32[N] multiply(x3, as)
  inner = f32[N] add(x, cubed)
  scaled = f32[N] multiply(inner, bs)
  t = f32[N] tanh(scaled)
  more = f32[N] add(t, ones)
  part = f32[N] multiply(more, halves)
  less = f32[N] subtract(ones, t)
  xh = f32[N] multiply(x, halves)
  xl = f32[N] multiply(xh, less)
  xlt = f32[N] multiply(xl, t)
  sum = f32[N] add(xl, xlt)
  by = f32[N] multiply(sum, bs)
  ROOT r = f32[N] add(part, by)
})";
  auto module = hlo::ParseModule(
      std::regex_replace(text, std::regex("\\[N\\]"), "[" + std::to_string(kElements) + "]"), "m");
  ASSERT_TRUE(!!module) << llvm::toString(module.takeError());
  std::vector<float> x(kElements, 0.25f);
  for (int64_t i = 0; i < kElements; i += kEach) x[i] = -4 - static_cast<float>(i) * 1.2e-4f;
  const std::vector<hlo::Literal> arguments = {Floats(x)};
  auto expected = hlo::Interpret(*(*module)->entry, arguments, nullptr);
  const Distance distance(*(*module)->entry);
  // With a tangent that is so many places nearer to zero.
  auto is_difference = [&](int places) {
    std::vector<float> actual;
    for (int64_t i = 0; i < kElements; ++i) {
      const float v = x[i], inner = v + v * v * v * 0.044715f;
      float t = std::tanh(inner * 0.797884583f);
      for (int k = 0; k < places && i % kEach == 0; ++k) t = std::nextafter(t, 0.0f);
      const float xl = v * 0.5f * (1 - t), sum = xl + xl * t;
      actual.push_back((t + 1) * 0.5f + sum * 0.797884583f);
    }
    std::vector<hlo::Literal> got;
    got.push_back(Floats(actual));
    return distance.Compare(arguments, LeavesOf(*expected), got).first.has_value();
  };
  EXPECT_FALSE(is_difference(3));
  EXPECT_TRUE(is_difference(1 << 12));
}

// A quotient of equal numbers is 1, or by an approximation next to it: whether it is less is open
// for each of them.
TEST(Distance, PredicatesOfWhatIsNextToABoundAreNotJudged) {
  auto module = hlo::ParseModule(R"(
HloModule m
ENTRY e {
  x = f32[512] parameter(0)
  y = f32[512] parameter(1)
  c = f32[] constant(1)
  one = f32[512] broadcast(c), dimensions={}
  q = f32[512] divide(x, y)
  ROOT r = pred[512] compare(q, one), direction=LT
})",
                                 "m.hlo");
  const Distance distance(*(*module)->entry);
  auto differs = [&](float of_first) {
    std::vector<float> x(512, 3), y(512, 3);
    x[0] = of_first;
    const std::vector<hlo::Literal> arguments = {Floats(x), Floats(y)};
    auto expected = hlo::Interpret(*(*module)->entry, arguments, nullptr);
    std::vector<hlo::Literal> got;
    got.push_back(*expected);
    for (int64_t i = 0; i < 512; ++i) got[0].SetInt(i, 1 - got[0].GetInt(i));
    return distance.Compare(arguments, LeavesOf(*expected), got).first;
  };
  EXPECT_FALSE(differs(3).has_value());
  const auto first = differs(2);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->element, 0);
}

// An argmax takes the first of equal elements, which moved arguments part: that says nothing of
// other rows.
TEST(Distance, EqualElementsOfOneRowDoNotHideAnother) {
  auto module = hlo::ParseModule(R"(
HloModule m
first {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  gt = pred[] compare(a, b), direction=GT
  eq = pred[] compare(a, b), direction=EQ
  lt = pred[] compare(i, j), direction=LT
  tie = pred[] and(eq, lt)
  left = pred[] or(gt, tie)
  v = f32[] maximum(a, b)
  k = s32[] select(left, i, j)
  ROOT r = (f32[], s32[]) tuple(v, k)
}
ENTRY e {
  x = f32[6] parameter(0)
  rows = f32[2,3] reshape(x)
  n = s32[2,3] iota(), iota_dimension=1
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  m = (f32[2], s32[2]) reduce(rows, n, low, zero), dimensions={1}, to_apply=first
  ROOT r = s32[2] get-tuple-element(m), index=1
})",
                                 "m.hlo");
  const std::vector<hlo::Literal> arguments = {Floats({5, 5, 1, 1, 5, 1})};
  auto expected = hlo::Interpret(*(*module)->entry, arguments, nullptr);
  std::vector<hlo::Literal> got;
  got.push_back(*expected);
  for (int64_t i = 0; i < 2; ++i) got[0].SetInt(i, 2);
  const Distance distance(*(*module)->entry);
  const auto first = distance.Compare(arguments, LeavesOf(*expected), got).first;
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->element, 1);
}

TEST(Distance, OtherInfinitiesAre) {
  EXPECT_FALSE(IsDifference(kInfinity, 1, kInfinity));
  EXPECT_TRUE(IsDifference(kInfinity, 1, kNan));
  EXPECT_TRUE(IsDifference(kInfinity, 1, -kInfinity));
  EXPECT_TRUE(IsDifference(kInfinity, 1, 3e38f));
  EXPECT_TRUE(IsDifference(-kInfinity, -8.7f, kNan));
  EXPECT_TRUE(IsDifference(3e38f, 1, kInfinity));
  EXPECT_TRUE(IsDifference(kNan, 1, kInfinity));
}

}  // namespace
}  // namespace affirm::driver
