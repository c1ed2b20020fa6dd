// Compares the results of a program with the enclosures of the computation's results.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "core/hlo/text.h"
#include "verify/enclosure/compare.h"
#include "verify/reference/interpreter.h"
#include "verify/scalar/scalar.h"

namespace affirm::enclosure {
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

// Compares a result of one array with the module's value on the arguments.
hlo::LiteralComparison Compared(ResultComparison& comparison, const hlo::Module& module,
                                const std::vector<hlo::Literal>& arguments,
                                const hlo::Literal& actual) {
  auto expected = hlo::Interpret(*module.entry, arguments, nullptr);
  EXPECT_TRUE(!!expected);
  return comparison.Compare(arguments, {&*expected}, {&actual});
}
std::optional<hlo::Mismatch> FirstApart(const hlo::Module& module,
                                        const std::vector<hlo::Literal>& arguments,
                                        const hlo::Literal& actual) {
  ResultComparison comparison(*module.entry, {});
  return Compared(comparison, module, arguments, actual).first;
}
bool IsApart(const hlo::Module& module, const std::vector<hlo::Literal>& arguments,
             const hlo::Literal& actual) {
  return FirstApart(module, arguments, actual).has_value();
}

// Whether `actual` is a wrong value of x * (1 - tanh(y)).
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
  return IsApart(**module, arguments, Floats({actual}));
}

TEST(ResultComparison, AnInfinityThatDependsOnTheLastPlaceOfAFunctionIsNotJudged) {
  // The hyperbolic tangent lies between 1 and the float before it, and an approximation may give
  // either: then the difference is 0, and the product with an infinity NaN.
  EXPECT_FALSE(IsDifference(kInfinity, 8.7f, kNan));
  EXPECT_FALSE(IsDifference(-kInfinity, 8.7f, kNan));
  EXPECT_FALSE(IsDifference(kInfinity, 8.7f, -kInfinity));
}

// Whether `actual` is a wrong value of log(sum of exp(x)).
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
  hlo::Literal got(hlo::Shape::Array(hlo::PrimitiveType::kF32, {}));
  got.Set<float>(0, actual);
  return IsApart(**module, arguments, got);
}

// Whether `actual` is a wrong value of the product of x.
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
  hlo::Literal got(hlo::Shape::Array(hlo::PrimitiveType::kF32, {}));
  got.Set<float>(0, actual);
  return IsApart(**module, arguments, got);
}

// A product depends on the order of its factors if a partial product is subnormal.
RC_GTEST_PROP(ResultComparison, ProductsMayBeTakenInAnyOrder, (uint64_t seed)) {
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

TEST(ResultComparison, ProductsOfModerateNumbersAreJudged) {
  EXPECT_FALSE(IsDifferenceOfProduct({3, 5, 0.25f, 7}, 26.25f));
  EXPECT_TRUE(IsDifferenceOfProduct({3, 5, 0.25f, 7}, 26.26f));
  EXPECT_TRUE(IsDifferenceOfProduct({3e-18f, 5e-18f, 7e25f, 2}, 2.2e-9f));
}

// If a sum may overflow in another order, any value is right. A sum of a few small numbers cannot
// overflow, and one that is infinite in every order has one value.
TEST(ResultComparison, NonFiniteResultsAreJudgedUnlessASumMayOverflow) {
  EXPECT_TRUE(IsDifferenceOfSum({1, 2, 3}, kNan));
  EXPECT_TRUE(IsDifferenceOfSum({1, 2, 3}, kInfinity));
  EXPECT_TRUE(IsDifferenceOfSum({1, 2, 3}, -kInfinity));
  EXPECT_FALSE(
      IsDifferenceOfSum({1, 2, 3}, std::log(std::exp(1.0f) + std::exp(2.0f) + std::exp(3.0f))));
  EXPECT_TRUE(IsDifferenceOfSum({88, 88, 1}, kInfinity));
  EXPECT_FALSE(IsDifferenceOfSum({88.7f, 88.7f, 1}, kInfinity));
  EXPECT_TRUE(IsDifferenceOfSum({88, 1, 1}, kNan));
  EXPECT_TRUE(IsDifferenceOfSum({kInfinity, 1, 1}, kNan));
  EXPECT_FALSE(IsDifferenceOfSum({kInfinity, 1, 1}, kInfinity));
  EXPECT_TRUE(IsDifferenceOfSum({80, 1, 1}, kNan));
}

// In the derivative of GELU near -5, errors in the last places of tanh nearly cancel. A result that
// such an error explains is accepted, and one that none explains is judged.
TEST(ResultComparison, ErrorsThatNearlyCancelAreAccepted) {
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
  // With values of tanh that are `places` floats nearer to zero.
  auto is_difference = [&](int places) {
    std::vector<float> actual;
    for (int64_t i = 0; i < kElements; ++i) {
      const float v = x[i], inner = v + v * v * v * 0.044715f;
      float t = std::tanh(inner * 0.797884583f);
      for (int k = 0; k < places && i % kEach == 0; ++k) t = std::nextafter(t, 0.0f);
      const float xl = v * 0.5f * (1 - t), sum = xl + xl * t;
      actual.push_back((t + 1) * 0.5f + sum * 0.797884583f);
    }
    return IsApart(**module, arguments, Floats(actual));
  };
  EXPECT_FALSE(is_difference(3));
  EXPECT_TRUE(is_difference(1 << 12));
}

// A quotient of equal numbers is 1 or, in an approximation, the float next to 1. So whether it is
// less than 1 is open.
TEST(ResultComparison, PredicatesNearABoundAreNotJudged) {
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
  auto differs = [&](float of_first) {
    std::vector<float> x(512, 3), y(512, 3);
    x[0] = of_first;
    const std::vector<hlo::Literal> arguments = {Floats(x), Floats(y)};
    auto expected = hlo::Interpret(*(*module)->entry, arguments, nullptr);
    hlo::Literal got = *expected;
    for (int64_t i = 0; i < 512; ++i) got.SetInt(i, 1 - got.GetInt(i));
    return FirstApart(**module, arguments, got);
  };
  EXPECT_FALSE(differs(3).has_value());
  const auto first = differs(2);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->element, 0);
}

// An argmax that takes the first of equal elements has one value in every order.
TEST(ResultComparison, AnArgmaxHasOneValue) {
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
  for (int64_t row : {0, 1}) {
    hlo::Literal got = *expected;
    got.SetInt(row, 2);
    const auto first = FirstApart(**module, arguments, got);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->element, row);
  }
}

// An argmax without a rule for ties may take any of the equal elements.
TEST(ResultComparison, AnArgmaxWithoutATieRuleIsOpen) {
  auto module = hlo::ParseModule(R"(
HloModule m
larger {
  a = s32[] parameter(0)
  i = s32[] parameter(1)
  b = s32[] parameter(2)
  j = s32[] parameter(3)
  gt = pred[] compare(a, b), direction=GE
  v = s32[] select(gt, a, b)
  k = s32[] select(gt, i, j)
  ROOT r = (s32[], s32[]) tuple(v, k)
}
ENTRY e {
  x = s32[3] parameter(0)
  n = s32[3] iota(), iota_dimension=0
  low = s32[] constant(-100)
  zero = s32[] constant(0)
  m = (s32[], s32[]) reduce(x, n, low, zero), dimensions={0}, to_apply=larger
  ROOT r = s32[] get-tuple-element(m), index=1
})",
                                 "m.hlo");
  ASSERT_TRUE(!!module) << llvm::toString(module.takeError());
  auto is_apart = [&](std::vector<int64_t> x, int64_t index) {
    hlo::Literal argument(hlo::Shape::Array(hlo::PrimitiveType::kS32, {3}));
    for (int64_t i = 0; i < 3; ++i) argument.SetInt(i, x[static_cast<size_t>(i)]);
    hlo::Literal got(hlo::Shape::Array(hlo::PrimitiveType::kS32, {}));
    got.SetInt(0, index);
    return IsApart(**module, {argument}, got);
  };
  EXPECT_FALSE(is_apart({5, 5, 1}, 1));
  EXPECT_TRUE(is_apart({5, 4, 1}, 1));
}

// Operands of dots are split into parts of bf16 by cutting digits off.
RC_GTEST_PROP(ResultComparison, ConversionsMayCutOff, (uint32_t digits)) {
  auto module = hlo::ParseModule(
      "HloModule m\nENTRY e { x = f32[1] parameter(0) ROOT c = bf16[1] convert(x) }", "m.hlo");
  const float x = std::bit_cast<float>(0x3f800000 | (digits & 0x7fffff));
  hlo::Literal got(hlo::Shape::Array(hlo::PrimitiveType::kBF16, {1}));
  got.SetFloat(0, std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0xffff0000));
  RC_ASSERT(!IsApart(**module, {Floats({x})}, got));
  got.SetFloat(0, hlo::RoundTo(hlo::PrimitiveType::kBF16, 1.02 * x));
  RC_ASSERT(IsApart(**module, {Floats({x})}, got));
}

// XLA may compute x / y in f16 as x * (1 / y), with both operations rounded to f16.
RC_GTEST_PROP(ResultComparison, QuotientsOfNarrowTypesMayBeProducts, (uint16_t x, uint16_t y)) {
  auto module = hlo::ParseModule(
      "HloModule m\nENTRY e { x = f16[] parameter(0) y = f16[] parameter(1) ROOT q = f16[] "
      "divide(x, "
      "y) }",
      "m.hlo");
  const hlo::PrimitiveType f16 = hlo::PrimitiveType::kF16;
  auto of = [&](double value) {
    hlo::Literal literal(hlo::Shape::Array(f16, {}));
    literal.SetFloat(0, hlo::RoundTo(f16, value));
    return literal;
  };
  const double a = 1 + x / 65536.0, b = 1 + y / 65536.0;
  const hlo::Literal of_a = of(a), of_b = of(b);
  const double reciprocal = hlo::RoundTo(f16, 1 / of_b.GetFloat(0));
  RC_ASSERT(!IsApart(**module, {of_a, of_b}, of(of_a.GetFloat(0) * reciprocal)));
  RC_ASSERT(IsApart(**module, {of_a, of_b}, of(1.01 * of_a.GetFloat(0) / of_b.GetFloat(0))));
}

// 1 / (-0 + -0) is an infinity of either sign; 1 / -0 is -infinity.
TEST(ResultComparison, TheSignOfAZeroSumIsOpen) {
  auto is_apart = [](const std::string& divisor, float actual) {
    auto module = hlo::ParseModule(
        "HloModule m\nadd { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = f32[] add(p, q) "
        "}\nENTRY e { x = f32[2] parameter(0) z = f32[] constant(-0) h = f32[1] slice(x), "
        "slice={[0:1]} first = f32[] reshape(h) sum = f32[] reduce(x, z), dimensions={0}, "
        "to_apply=add one = f32[] constant(1) ROOT r = f32[] divide(one, " +
            divisor + ") }",
        "m.hlo");
    EXPECT_TRUE(!!module);
    const std::vector<hlo::Literal> arguments = {Floats({-0.0f, -0.0f})};
    auto expected = hlo::Interpret(*(*module)->entry, arguments, nullptr);
    hlo::Literal got(expected->shape());
    got.Set<float>(0, actual);
    ResultComparison comparison(*(*module)->entry,
                                {.excess_precision = false, .either_zero = false});
    return comparison.Compare(arguments, *expected, got).first.has_value();
  };
  EXPECT_FALSE(is_apart("sum", kInfinity));
  EXPECT_FALSE(is_apart("first", -kInfinity));
  EXPECT_TRUE(is_apart("first", kInfinity));
}

TEST(ResultComparison, OtherInfinitiesAreJudged) {
  EXPECT_FALSE(IsDifference(kInfinity, 1, kInfinity));
  EXPECT_TRUE(IsDifference(kInfinity, 1, kNan));
  EXPECT_TRUE(IsDifference(kInfinity, 1, -kInfinity));
  EXPECT_TRUE(IsDifference(kInfinity, 1, 3e38f));
  EXPECT_TRUE(IsDifference(-kInfinity, -8.7f, kNan));
  EXPECT_TRUE(IsDifference(3e38f, 1, kInfinity));
  EXPECT_TRUE(IsDifference(kNan, 1, kInfinity));
}

// A window sum in f16, in which each operand and result is converted to f4e2m1fn and back.
constexpr const char* kWindowSum = R"(
HloModule m
add {
  p = f16[] parameter(0)
  p4 = f4e2m1fn[] convert(p)
  pw = f16[] convert(p4)
  q = f16[] parameter(1)
  q4 = f4e2m1fn[] convert(q)
  qw = f16[] convert(q4)
  s = f16[] add(pw, qw)
  s4 = f4e2m1fn[] convert(s)
  ROOT r = f16[] convert(s4)
}
ENTRY e {
  x = f4e2m1fn[2,3] parameter(0)
  w = f16[2,3] convert(x)
  z = f16[] constant(0)
  s = f16[1,2] reduce-window(w, z), window={size=2x3 pad=0_0x0_1}, to_apply=add
  ROOT r = f4e2m1fn[1,2] convert(s)
})";
// 2 + 2 - 2 + 2 + 2 + 1 is 6 from left to right. It is 4 if the columns of the window that may lie
// in the padding come last. Orders of 6 + 6 - 6 + 1 + 1 + 1 give 0, 1, 2, 3, 4 and 6.
TEST(ResultComparison, AWindowMayBeSummedInAnyOrder) {
  auto module = hlo::ParseModule(kWindowSum, "m.hlo");
  auto of = [&](const std::vector<double>& values, const std::vector<int64_t>& dims) {
    hlo::Literal literal(hlo::Shape::Array(hlo::PrimitiveType::kF4E2M1FN, dims));
    for (size_t i = 0; i < values.size(); ++i) literal.SetFloat(static_cast<int64_t>(i), values[i]);
    return literal;
  };
  for (double sum : {6, 4})
    EXPECT_FALSE(IsApart(**module, {of({2, 2, -2, 2, 2, 1}, {2, 3})}, of({sum, 3}, {1, 2})));
  for (double sum : {0, 1, 2, 3, 4, 6})
    EXPECT_FALSE(IsApart(**module, {of({6, 6, -6, 1, 1, 1}, {2, 3})}, of({sum, 2}, {1, 2})));
}

// 4 + 4 - 4 is 4, or 2 if 4 + 4 saturates at 6, the largest number. Products saturate too.
TEST(ResultComparison, PartsOfFoldsMayEndAtTheLargestNumber) {
  auto is_apart = [](const std::string& operation, const std::vector<double>& x, double actual) {
    const std::string n = std::to_string(x.size());
    auto module = hlo::ParseModule(
        "HloModule m\nf { p = f4e2m1fn[] parameter(0) q = f4e2m1fn[] parameter(1) ROOT s = "
        "f4e2m1fn[] " +
            operation + "(p, q) }\nENTRY e { x = f4e2m1fn[" + n +
            "] parameter(0) z = f4e2m1fn[] constant(" + (operation == "add" ? "0" : "1") +
            ") ROOT r = f4e2m1fn[] reduce(x, z), dimensions={0}, to_apply=f }",
        "m.hlo");
    EXPECT_TRUE(!!module);
    hlo::Literal argument(hlo::Shape::Array(hlo::PrimitiveType::kF4E2M1FN, {std::ssize(x)}));
    for (size_t i = 0; i < x.size(); ++i) argument.SetFloat(static_cast<int64_t>(i), x[i]);
    hlo::Literal got(hlo::Shape::Array(hlo::PrimitiveType::kF4E2M1FN, {}));
    got.SetFloat(0, actual);
    return IsApart(**module, {argument}, got);
  };
  for (double sum : {4, 2}) EXPECT_FALSE(is_apart("add", {-4, 4, 4}, sum)) << sum;
  for (double product : {4.0, 1.5}) EXPECT_FALSE(is_apart("multiply", {0.5, 0.5, 4, 4}, product));
  EXPECT_TRUE(is_apart("add", {1, 2}, 2));
}

// An enclosure wider than a tenth of the value tests nothing; other arguments may test the element.
TEST(ResultComparison, AWideEnclosureTestsNothing) {
  auto module = hlo::ParseModule(R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  t = f32[2] tanh(x)
  c = f32[] constant(0.76159424)
  b = f32[2] broadcast(c), dimensions={}
  ROOT r = f32[2] subtract(t, b)
})",
                                 "m.hlo");
  ResultComparison comparison(*(*module)->entry, {});
  auto compare = [&](float x, float changed) {
    const std::vector<hlo::Literal> arguments = {Floats({x, 3})};
    auto expected = hlo::Interpret(*(*module)->entry, arguments, nullptr);
    hlo::Literal got = *expected;
    got.Set<float>(0, got.Get<float>(0) + changed);
    return Compared(comparison, **module, arguments, got);
  };
  EXPECT_FALSE(compare(1, 1e-7f).first);
  EXPECT_EQ(comparison.WhyNotTested(),
            "element 0 was not tested: roundings move it by more than a tenth, from subtract r on");
  // Equal values test the element only where they are no accident, which this one may be.
  EXPECT_FALSE(compare(1, 0).first);
  EXPECT_NE(comparison.WhyNotTested(), "");
  const auto agreed = compare(2, 6e-8f);
  EXPECT_FALSE(agreed.first);
  EXPECT_GT(agreed.within, 1e-7);
  EXPECT_LT(agreed.within, 1e-4);
  EXPECT_EQ(comparison.WhyNotTested(), "");
  const auto wrong = compare(2, 1e-5f);
  ASSERT_TRUE(wrong.first);
  EXPECT_EQ(wrong.first->element, 0);
  EXPECT_EQ(wrong.mismatches, 1);
  EXPECT_NE(wrong.first->why.find("whatever is rounded"), std::string::npos) << wrong.first->why;
}

// Arguments before the first ones with a wide enclosure count as well.
TEST(ResultComparison, EarlierAgreementTests) {
  auto module = hlo::ParseModule(
      "HloModule m\nENTRY e { x = f32[1] parameter(0) t = f32[1] tanh(x) c = f32[] constant(0.5) "
      "b = f32[1] broadcast(c), dimensions={} ROOT r = f32[1] subtract(t, b) }",
      "m.hlo");
  ResultComparison comparison(*(*module)->entry, {});
  auto compare = [&](float x, float changed) {
    const std::vector<hlo::Literal> arguments = {Floats({x})};
    auto expected = hlo::Interpret(*(*module)->entry, arguments, nullptr);
    const float value = expected->Get<float>(0) + changed;
    return Compared(comparison, **module, arguments, Floats({value})).first.has_value();
  };
  EXPECT_FALSE(compare(2, 0));
  EXPECT_FALSE(compare(0.54930615f, 6e-8f));
  EXPECT_EQ(comparison.WhyNotTested(), "");
}

// Enclosures take 64 bytes an element. A result that needs more than a gigabyte is not tested.
TEST(ResultComparison, LargeResultsAreNotTested) {
  auto module = hlo::ParseModule(
      "HloModule m\nENTRY e { x = f32[16777217] parameter(0) ROOT r = f32[16777217] add(x, x) }",
      "m.hlo");
  const std::vector<hlo::Literal> arguments = {
      hlo::Literal(hlo::Shape::Array(hlo::PrimitiveType::kF32, {(1 << 24) + 1}))};
  hlo::Literal got = arguments[0];
  got.Set<float>(7, 1);
  ResultComparison comparison(*(*module)->entry, {});
  EXPECT_FALSE(Compared(comparison, **module, arguments, got).first);
  EXPECT_NE(comparison.WhyNotTested().find("too many steps"), std::string::npos);
}

// An element that HLO leaves open is no mismatch.
TEST(ResultComparison, AnOpenElementIsNoMismatch) {
  auto module = hlo::ParseModule(R"(HloModule m
less { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT }
ENTRY e { k = s32[3] parameter(0) v = s32[3] parameter(1)
  s = (s32[3], s32[3]) sort(k, v), dimensions={0}, to_apply=less
  ROOT r = s32[3] get-tuple-element(s), index=1 })",
                                 "m.hlo");
  auto of = [](std::vector<int64_t> values) {
    hlo::Literal literal(hlo::Shape::Array(hlo::PrimitiveType::kS32, {3}));
    for (int64_t i = 0; i < 3; ++i) literal.SetInt(i, values[static_cast<size_t>(i)]);
    return literal;
  };
  ResultComparison comparison(*(*module)->entry, {});
  const auto swapped =
      Compared(comparison, **module, {of({5, 1, 1}), of({7, 8, 9})}, of({9, 8, 7}));
  EXPECT_EQ(swapped.left_open, 2);
  EXPECT_FALSE(swapped.first);
  const auto wrong = Compared(comparison, **module, {of({5, 1, 1}), of({7, 8, 9})}, of({9, 8, 6}));
  ASSERT_TRUE(wrong.first);
  EXPECT_EQ(wrong.first->element, 2);
}

}  // namespace
}  // namespace affirm::enclosure
