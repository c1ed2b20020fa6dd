// Modules of few arguments are decided by all of them.
#include <gtest/gtest.h>

#include <string>

#include "core/hlo/text.h"
#include "driver/equivalence/all_arguments.h"
#include "tests/equivalence/compare_modules.h"

namespace affirm::driver {
namespace {

TEST(AllArguments, DecideModulesOfFewBits) {
  auto of = [](const std::string& type, const std::string& body) {
    return Entry("x = " + type + "[] parameter(0) " + body);
  };
  auto verdict = [](const std::string& a, const std::string& b) {
    return Compare("HloModule a\n" + a, "HloModule b\n" + b).verdict;
  };
  const std::string square = of("u8",
                                "p = u8[] multiply(x, x) c = u8[] constant(9) "
                                "ROOT k = pred[] compare(p, c), direction=EQ");
  const std::string three =
      of("u8", "c = u8[] constant(3) ROOT k = pred[] compare(x, c), direction=EQ");
  const ModuleEquivalence squares = Compare("HloModule a\n" + square, "HloModule b\n" + three);
  ASSERT_TRUE(squares.difference);
  EXPECT_EQ(squares.difference->set, kEnumeratedSet);
  EXPECT_EQ(squares.difference->arguments[0].second, "125");
  EXPECT_EQ(squares.difference->a, "true");
  // They differ on one of 65,536 arguments.
  EXPECT_EQ(verdict(of("s16",
                       "c = s16[] constant(12345) d = s16[] constant(77) m = s16[] multiply(x, d)"
                       " n = s16[] multiply(c, d) ROOT k = pred[] compare(m, n), direction=NE"),
                    of("s16", "ROOT k = pred[] constant(true)")),
            Verdict::kRefuted);
  EXPECT_EQ(verdict(of("f16",
                       "c = f16[] constant(0.3335) m = f16[] multiply(x, c) "
                       "d = f16[] constant(3) ROOT k = f16[] multiply(m, d)"),
                    of("f16", "ROOT k = f16[] copy(x)")),
            Verdict::kRefuted);
}

TEST(AllArguments, ProveWhereTheResultsAreDefinedToTheBit) {
  auto proves = [](const std::string& a, const std::string& b) {
    const ModuleEquivalence result = Compare("HloModule a\n" + a, "HloModule b\n" + b);
    return result.verdict == Verdict::kProved;
  };
  // The product of two numbers that follow each other is even.
  auto product = [](const std::string& result) {
    return Entry(
        "x = u8[] parameter(0) one = u8[] constant(1) n = u8[] add(x, one) "
        "m = u8[] multiply(x, n) c = u8[] constant(7) d = u8[] multiply(m, c) "
        "ROOT r = u8[] " +
        result);
  };
  EXPECT_TRUE(proves(product("and(d, one)"), product("xor(one, one)")));
  // The sign of a zero counts; of NaN it does not.
  auto of = [](const std::string& rest) {
    return Entry("x = f16[] parameter(0) z = f16[] constant(0) " + rest);
  };
  EXPECT_FALSE(proves(of("ROOT r = f16[] copy(x)"), of("ROOT r = f16[] add(x, z)")));
  // Devices need not agree to the bit on approximated functions.
  EXPECT_FALSE(proves(of("e = f16[] exponential(x) l = f16[] log(e) ROOT r = pred[] is-finite(l)"),
                      of("e = f16[] exponential(x) ROOT r = pred[] is-finite(e)")));
}

// Each target has a formula of its own for functions of complex numbers.
TEST(AllArguments, FunctionsOfComplexNumbersAreNotDefinedToTheBit) {
  auto is_defined = [](const std::string& operation) {
    auto module = hlo::ParseModule(
        "HloModule m\nENTRY e { x = s8[1] parameter(0) f = f32[1] convert(x) "
        "z = c64[1] complex(f, f) " +
            operation + " }",
        "t");
    EXPECT_TRUE(static_cast<bool>(module)) << operation;
    return module && IsDefinedToTheBit(*(*module)->entry);
  };
  EXPECT_TRUE(is_defined("ROOT r = f32[1] sign(f)"));
  EXPECT_TRUE(is_defined("ROOT r = f32[1] abs(f)"));
  EXPECT_TRUE(is_defined("ROOT r = c64[1] add(z, z)"));
  for (const char* function : {"sign", "sqrt", "rsqrt", "exponential", "tanh"})
    EXPECT_FALSE(is_defined(std::string("ROOT r = c64[1] ") + function + "(z)")) << function;
  EXPECT_FALSE(is_defined("ROOT r = f32[1] abs(z)"));
}

}  // namespace
}  // namespace affirm::driver
