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

// XLA has no reduce-precision of narrower floats than f16, and goes through that.
TEST(Elementwise, ReducePrecisionOfNarrowFloats) {
  const auto reduced = [](const std::string& type, const std::string& bits) {
    return IntValues(RunHlo(
        "ENTRY e { b = u8[8] iota(), iota_dimension=0 x = " + type + "[8] bitcast-convert(b) r = " +
            type + "[8] reduce-precision(x), exponent_bits=" + bits.substr(0, 1) +
            ", mantissa_bits=" + bits.substr(2) + " ROOT u = u8[8] bitcast-convert(r) }",
        {}));
  };
  EXPECT_EQ(reduced("f8e5m2", "5,2"), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(reduced("f8e5m2", "4,2"), (std::vector<int64_t>(8, 0)));
  EXPECT_EQ(reduced("f8e4m3fn", "4,3"), (std::vector<int64_t>(8, 0)));
  EXPECT_EQ(reduced("f8e4m3fn", "5,3"), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

// IEEE 754, 5.10: NaNs that signal are below quiet ones. XLA compares the bits as they are.
TEST(Elementwise, TotalOrderIsOfTheBits) {
  const auto less = [](const std::string& type, const std::string& bits, const std::string& a,
                       const std::string& b) {
    return IntValues(RunHlo("ENTRY e { a = " + bits + "[] constant(" + a + ") b = " + bits +
                                "[] constant(" + b + ") x = " + type +
                                "[] bitcast-convert(a) y = " + type +
                                "[] bitcast-convert(b) "
                                "ROOT r = pred[] compare(x, y), direction=LT, type=TOTALORDER }",
                            {}))[0] != 0;
  };
  for (const auto& [type, bits, signaling, quiet] :
       {std::tuple("f32", "s32", "2139095041", "2143289344"),
        {"f16", "s16", "31745", "32256"},
        {"f8e5m2", "s8", "125", "126"},
        {"f64", "s64", "9218868437227405313", "9221120237041090560"}}) {
    EXPECT_TRUE(less(type, bits, signaling, quiet)) << type;
    EXPECT_FALSE(less(type, bits, quiet, signaling)) << type;
    EXPECT_TRUE(less(type, bits, "-1", "0")) << type;
    EXPECT_TRUE(less(type, bits, "-1", "-2")) << type;
    EXPECT_FALSE(less(type, bits, "-2", "-1")) << type;
  }
  // Their NaN is below all numbers, of which that of the bits -1 is the least.
  for (const char* type : {"f8e4m3fnuz", "f8e5m2fnuz", "f8e4m3b11fnuz"}) {
    EXPECT_TRUE(less(type, "s8", "-128", "0")) << type;
    EXPECT_TRUE(less(type, "s8", "-128", "-1")) << type;
    EXPECT_TRUE(less(type, "s8", "-128", "-127")) << type;
    EXPECT_FALSE(less(type, "s8", "-1", "-128")) << type;
    EXPECT_FALSE(less(type, "s8", "-128", "-128")) << type;
    EXPECT_TRUE(less(type, "s8", "-1", "-127")) << type;
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
