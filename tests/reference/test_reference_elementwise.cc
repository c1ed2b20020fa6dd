// Elementwise ops, select and map on arrays; of their values on single elements: tests/scalar.
#include <gtest/gtest.h>

#include "tests/reference/run.h"

namespace affirm::hlo {
namespace {

TEST(Clamp, TakesBoundsOfAllElements) {
  const Literal r = RunHlo(
      "ENTRY e { l = s32[] parameter(0) x = s32[5] parameter(1) h = s32[] parameter(2) "
      "ROOT r = s32[5] clamp(l, x, h) }",
      {S32({}, {3}), S32({5}, {-9, 2, 4, 6, 9}), S32({}, {6})});
  EXPECT_EQ(IntValues(r), (std::vector<int64_t>{3, 3, 4, 6, 6}));
  const Literal crossed = RunHlo(
      "ENTRY e { l = s32[2] parameter(0) x = s32[2] parameter(1) h = s32[2] parameter(2) "
      "ROOT r = s32[2] clamp(l, x, h) }",
      {S32({2}, {5, 5}), S32({2}, {0, 9}), S32({2}, {2, 2})});
  EXPECT_EQ(IntValues(crossed), (std::vector<int64_t>{2, 2}));
}

TEST(Select, TakesWholeElements) {
  const Literal r = RunHlo(
      "ENTRY e { p = pred[3] parameter(0) a = s32[3] parameter(1) b = s32[3] parameter(2) "
      "ROOT r = s32[3] select(p, a, b) }",
      {Ints(PrimitiveType::kPred, {3}, {1, 0, 1}), S32({3}, {1, 2, 3}), S32({3}, {4, 5, 6})});
  EXPECT_EQ(IntValues(r), (std::vector<int64_t>{1, 5, 3}));
}

TEST(Elementwise, EmptyArrays) {
  for (const char* op : {"add", "divide", "maximum"}) {
    const Literal empty(Shape::Array(PrimitiveType::kF32, {3, 0}));
    const std::string text =
        "ENTRY e { a = f32[3,0] parameter(0) ROOT r = f32[3,0] " + std::string(op) + "(a, a) }";
    EXPECT_EQ(RunHlo(text, {empty}).NumElements(), 0);
  }
}

TEST(Elementwise, TakesElementsAtTheSameIndex) {
  const Literal r = RunHlo(
      "ENTRY e { a = s32[2,2] parameter(0) b = s32[2,2] parameter(1) "
      "ROOT r = s32[2,2] subtract(a, b) }",
      {S32({2, 2}, {10, 20, 30, 40}), S32({2, 2}, {1, 2, 3, 4})});
  EXPECT_EQ(IntValues(r), (std::vector<int64_t>{9, 18, 27, 36}));
}

}  // namespace
}  // namespace affirm::hlo
