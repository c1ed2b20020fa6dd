// How far a kernel's results may lie from the interpreter's, of elements that are not finite.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
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

// Of 1 - tanh(y) near 1 a place of the tangent is a good part of the result: few sets leave some of
// such elements where they are, among many that hardly move. What no place explains is judged.
TEST(Distance, FewSetsDoNotShowHowFarElementsMove) {
  constexpr int64_t kElements = 1 << 16, kEach = 16;
  auto module = hlo::ParseModule(R"(
HloModule m
ENTRY e {
  y = f32[65536] parameter(0)
  c = f32[] constant(1)
  one = f32[65536] broadcast(c), dimensions={}
  t = f32[65536] tanh(y)
  ROOT s = f32[65536] subtract(one, t)
})",
                                 "m.hlo");
  std::vector<float> y(kElements, 0.25f);
  for (int64_t i = 0; i < kElements; i += kEach) y[i] = 7.5f + static_cast<float>(i) * 1e-5f;
  const std::vector<hlo::Literal> arguments = {Floats(y)};
  auto expected = hlo::Interpret(*(*module)->entry, arguments, nullptr);
  const Distance distance(*(*module)->entry);
  auto is_difference = [&](float places) {
    std::vector<float> actual;
    for (int64_t i = 0; i < kElements; ++i) {
      const auto right = static_cast<float>(expected->GetFloat(i));
      const float place = std::ldexp(1.0f, -24);
      actual.push_back(i % kEach == 0 ? right + (right < 4 * place ? 1.0f : -1.0f) * places * place
                                      : right);
    }
    std::vector<hlo::Literal> got;
    got.push_back(Floats(actual));
    return distance.Compare(arguments, LeavesOf(*expected), got).first.has_value();
  };
  EXPECT_FALSE(is_difference(2));
  EXPECT_TRUE(is_difference(1 << 10));
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
