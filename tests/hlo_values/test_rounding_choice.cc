// Roundings that a proof knows only by their numbers.
#include <gtest/gtest.h>

#include <string>

#include "core/hlo/float_format.h"
#include "tests/parse_module.h"
#include "verify/hlo/values/rounding_choice.h"

namespace affirm::hlo_values {
namespace {

using hlo::PrimitiveType;
using terms::Term;

class RoundingChoice : public ::testing::Test {
 protected:
  Term Rounded(int choice, Term value) {
    hlo::Instruction& op = Operation();
    op.attributes.extra.emplace_back(kRoundingChoice.str(), std::to_string(choice));
    return RoundedByChoice(pool_, op, value);
  }
  hlo::Instruction& Operation() {
    module_ = testing::ParseOrFail(
        "ENTRY e { x = f32[] parameter(0) ROOT r = f32[] reduce-precision(x), exponent_bits=8, "
        "mantissa_bits=10 }");
    return *module_->entry->root;
  }
  Term Number(double value) {
    return pool_.Literal(PrimitiveType::kF32, hlo::EncodeFloat(PrimitiveType::kF32, value));
  }

  terms::Pool pool_;
  std::unique_ptr<hlo::Module> module_;
  const Term x_ = pool_.Load(0, pool_.Number(0), PrimitiveType::kF32);
  const Term y_ = pool_.Load(1, pool_.Number(0), PrimitiveType::kF32);
};

TEST_F(RoundingChoice, IsOneFunctionForEachNumber) {
  EXPECT_EQ(Rounded(0, x_), Rounded(0, x_));
  EXPECT_NE(Rounded(0, x_), Rounded(1, x_));
  EXPECT_NE(Rounded(0, x_), Rounded(0, y_));
  EXPECT_NE(Rounded(0, x_), x_);
  EXPECT_EQ(RoundedByChoice(pool_, Operation(), x_), nullptr);
}

TEST_F(RoundingChoice, KeepsNumbersOfFewBits) {
  for (const double value : {0.0, -0.0, 1.0, -0.5, 1.0 + 1.0 / 1024}) {
    EXPECT_EQ(Rounded(0, Number(value)), Number(value)) << value;
  }
  EXPECT_NE(Rounded(0, Number(1.0 + 1.0 / 2048)), Number(1.0 + 1.0 / 2048));
}

TEST_F(RoundingChoice, RoundsTheArmsOfAChoice) {
  const Term condition = pool_.AtLeast(pool_.Variable("i", {-8, 7}), pool_.Number(0));
  EXPECT_EQ(Rounded(0, pool_.Select(condition, x_, Number(0))),
            pool_.Select(condition, Rounded(0, x_), Number(0)));
}

}  // namespace
}  // namespace affirm::hlo_values
