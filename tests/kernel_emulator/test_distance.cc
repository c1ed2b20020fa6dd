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
