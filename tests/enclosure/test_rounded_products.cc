// Products of f32 in less than the highest precision: a device may round their operands.
#include <gtest/gtest.h>

#include <string>

#include "core/hlo/text.h"
#include "verify/enclosure/compare.h"
#include "verify/reference/interpreter.h"

namespace affirm::enclosure {
namespace {

constexpr Freedom kRoundsProducts = {.rounds_products = true};

hlo::Literal Of(float value) {
  hlo::Literal literal(hlo::Shape::Array(hlo::PrimitiveType::kF32, {1}));
  literal.Set<float>(0, value);
  return literal;
}

// The result of x * 3, a dot of this precision, at x = 1.0001.
hlo::LiteralComparison Compared(ResultComparison& comparison, const hlo::Module& module,
                                float got) {
  const std::vector<hlo::Literal> arguments = {Of(1.0001f), Of(3)};
  auto expected = hlo::Interpret(*module.entry, arguments, nullptr);
  EXPECT_TRUE(!!expected);
  hlo::Literal actual = *expected;
  actual.Set<float>(0, got);
  return comparison.Compare(arguments, *expected, actual);
}

std::unique_ptr<hlo::Module> Product(const std::string& precision, const std::string& rest) {
  auto module = hlo::ParseModule(
      "HloModule m\nENTRY e { x = f32[1] parameter(0) y = f32[1] parameter(1)\n"
      "d = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}" +
          precision + "\n" + rest + " }",
      "m.hlo");
  EXPECT_TRUE(!!module);
  return std::move(*module);
}

TEST(RoundedProducts, AResultInTf32IsNoMismatch) {
  const auto module = Product("", "ROOT r = f32[] negate(d)");
  ResultComparison comparison(*module->entry, kRoundsProducts);
  // In ten bits of mantissa 1.0001 is 1.
  const auto rounded = Compared(comparison, *module, -3);
  EXPECT_FALSE(rounded.first);
  EXPECT_GT(rounded.within, 1e-3);
  EXPECT_LT(rounded.within, 0.1);
  EXPECT_EQ(comparison.WhyNotTested(), "");
  // Other roundings explain this element, so that its enclosure is as narrow as without products.
  EXPECT_LT(Compared(comparison, *module, -3.0003002f).within, 1e-5);
}

TEST(RoundedProducts, OtherResultsAreMismatches) {
  const auto module = Product("", "ROOT r = f32[] negate(d)");
  ResultComparison comparison(*module->entry, kRoundsProducts);
  for (const float wrong : {3.0f, -3.1f, -2.9f}) {
    const auto found = Compared(comparison, *module, wrong);
    ASSERT_TRUE(found.first) << wrong;
    EXPECT_NE(found.first->why.find("whatever is rounded"), std::string::npos);
  }
  // A kernel is held against what its instructions round.
  ResultComparison of_kernel(*module->entry, kKernelFreedom);
  EXPECT_TRUE(Compared(of_kernel, *module, -3).first);
}

TEST(RoundedProducts, HighestPrecisionRoundsNothing) {
  for (const char* precision : {"highest,highest", "highest,default", "default,highest"}) {
    const auto module =
        Product(std::string(", operand_precision={") + precision + "}", "ROOT r = f32[] negate(d)");
    ResultComparison comparison(*module->entry, kRoundsProducts);
    const bool rounds_x = llvm::StringRef(precision).starts_with("default");
    EXPECT_EQ(!Compared(comparison, *module, -3).first, rounds_x) << precision;
  }
}

// Cancelled digits of a product are noise where its operands are rounded.
TEST(RoundedProducts, NoiseIsNotTested) {
  const auto module =
      Product("", "c = f32[] constant(3) s = f32[] subtract(d, c) ROOT r = f32[] negate(s)");
  ResultComparison comparison(*module->entry, kRoundsProducts);
  EXPECT_FALSE(Compared(comparison, *module, 0).first);
  EXPECT_NE(comparison.WhyNotTested().find("roundings move it by more than a tenth"),
            std::string::npos);
}

}  // namespace
}  // namespace affirm::enclosure
