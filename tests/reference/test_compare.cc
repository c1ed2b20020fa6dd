// Distances between floats in units in the last place, and comparison of tuples.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "verify/reference/compare.h"

namespace affirm::hlo {
namespace {

Literal Of(PrimitiveType type, double value) {
  Literal literal(Shape::Array(type, {}));
  literal.SetFloat(0, value);
  return literal;
}

int64_t Distance(float a, float b) {
  return UlpDistance(Of(PrimitiveType::kF32, a), Of(PrimitiveType::kF32, b), 0);
}

TEST(CompareTest, SpecialValues) {
  float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  EXPECT_EQ(Distance(0.0f, -0.0f), 0);
  EXPECT_EQ(Distance(nan, -nan), 0);
  EXPECT_EQ(Distance(nan, 1), kFarApart);
  EXPECT_EQ(Distance(inf, std::numeric_limits<float>::max()), 1);
  EXPECT_EQ(
      Distance(std::numeric_limits<float>::denorm_min(), -std::numeric_limits<float>::denorm_min()),
      2);
  EXPECT_GT(Distance(inf, -inf), int64_t{1} << 31);
}

TEST(CompareTest, FloatsOfFourBits) {
  auto distance = [](double a, double b) {
    return UlpDistance(Of(PrimitiveType::kF4E2M1FN, a), Of(PrimitiveType::kF4E2M1FN, b), 0);
  };
  EXPECT_EQ(distance(0, -0.0), 0);
  EXPECT_EQ(distance(2, 3), 1);
  EXPECT_EQ(distance(-0.5, 0.5), 2);
  EXPECT_EQ(distance(6, -6), 14);
}

TEST(CompareTest, PowersOfTwoAlone) {
  auto distance = [](double a, double b) {
    return UlpDistance(Of(PrimitiveType::kF8E8M0FNU, a), Of(PrimitiveType::kF8E8M0FNU, b), 0);
  };
  EXPECT_EQ(distance(1, 1), 0);
  EXPECT_EQ(distance(2, 4), 1);
  EXPECT_EQ(distance(0.5, 4), 3);
  EXPECT_EQ(distance(std::nan(""), std::nan("")), 0);
  EXPECT_EQ(distance(std::nan(""), 4), kFarApart);
}

RC_GTEST_PROP(CompareTest, NeighboursAreOneApart, (float x)) {
  RC_PRE(std::isfinite(x) && x != 0);
  float next = std::nextafter(x, std::numeric_limits<float>::infinity());
  RC_PRE(next != 0);
  RC_ASSERT(Distance(x, next) == 1);
  RC_ASSERT(Distance(next, x) == 1);
}

RC_GTEST_PROP(CompareTest, TheFirstMismatchIsReported, (const std::vector<int32_t>& values)) {
  RC_PRE(!values.empty());
  int64_t n = static_cast<int64_t>(values.size());
  Literal a(Shape::Array(PrimitiveType::kS32, {n})), b = a;
  for (int64_t i = 0; i < n; ++i) {
    a.SetInt(i, values[i]);
    b.SetInt(i, values[i]);
  }
  RC_ASSERT(!Compare(a, b, 0).first);
  int64_t at = *rc::gen::inRange<int64_t>(0, n);
  b.SetInt(at, a.GetInt(at) ^ 1);
  LiteralComparison comparison = Compare(a, b, 1000);
  RC_ASSERT(comparison.elements == n);
  RC_ASSERT(comparison.mismatches == 1);
  RC_ASSERT(comparison.first->index == std::vector<int64_t>{at});
  RC_ASSERT(comparison.first->expected == std::to_string(a.GetInt(at)));
}

TEST(CompareTest, TuplesAreComparedLeafByLeaf) {
  Literal a = Literal::MakeTuple({Of(PrimitiveType::kF32, 1), Of(PrimitiveType::kF64, 2)});
  Literal b = Literal::MakeTuple({Of(PrimitiveType::kF32, 1), Of(PrimitiveType::kF64, 3)});
  LiteralComparison comparison = Compare(a, b, 0);
  EXPECT_EQ(comparison.elements, 2);
  ASSERT_TRUE(comparison.first);
  EXPECT_EQ(comparison.first->leaf, 1);
  EXPECT_EQ(comparison.max_absolute, 1);
}

}  // namespace
}  // namespace affirm::hlo
