// Value rules over terms: what they are applied to, and what they are not.
#include <gtest/gtest.h>

#include "core/hlo/float_format.h"
#include "verify/logic/inference.h"
#include "verify/logic/term_rule.h"
#include "verify/terms/operations.h"
#include "verify/value_rules/instance.h"

namespace affirm::logic {
namespace {

using hlo::PrimitiveType;
using terms::Op;
using terms::Pool;
using terms::Scope;
using terms::Term;
using value_rules::ValueRule;

constexpr PrimitiveType kF32 = PrimitiveType::kF32, kF64 = PrimitiveType::kF64,
                        kBF16 = PrimitiveType::kBF16, kPred = PrimitiveType::kPred;

class TermRuleTest : public testing::Test {
 protected:
  // The rule at its first types.
  std::optional<TermRule> Make(const std::string& sides, const std::string& with,
                               const std::string& when = "") {
    const std::string text = "rule r: " + sides + "\n  with " + with + "\n" +
                             (when.empty() ? "" : "  when " + when + "\n") +
                             "  class exact\n  why for a test\n";
    rules_.push_back(std::make_unique<ValueRule>(
        llvm::cantFail(value_rules::ParseValueRules(text, "f.rules"))[0]));
    return TermRule::Create(patterns_, *rules_.back(), value_rules::TypesOf(*rules_.back())[0]);
  }
  Term Load(int64_t buffer, PrimitiveType type = kF32) {
    return pool_.Load(buffer, pool_.Number(3), type);
  }
  Term Number(double number, PrimitiveType type = kF32) {
    return pool_.Literal(type, hlo::EncodeFloat(type, number));
  }
  Term Apply(Op op, llvm::ArrayRef<Term> args, PrimitiveType type = kF32) {
    return pool_.Apply(op, type, args);
  }

  Pool patterns_, pool_;
  Scope scope_{pool_};
  std::vector<std::unique_ptr<ValueRule>> rules_;
};

TEST_F(TermRuleTest, VariablesAreOneValueEach) {
  const auto rule = Make("max(max(x, y), y)  =>  max(x, y)", "x, y : f32");
  Term a = Load(0), b = Load(1), c = Load(2);
  auto max = [&](Term x, Term y) { return Apply(Op::kMaximum, {x, y}); };
  // In any order of the operands.
  for (Term again : {a, b}) {
    EXPECT_EQ(rule->Apply(scope_, max(max(a, b), again)), max(a, b));
    EXPECT_EQ(rule->Apply(scope_, max(again, max(b, a))), max(a, b));
  }
  EXPECT_EQ(rule->Apply(scope_, max(max(a, b), c)), nullptr);
  EXPECT_EQ(rule->Apply(scope_, Apply(Op::kMinimum, {max(a, b), b})), nullptr);
  EXPECT_EQ(rule->Apply(scope_, a), nullptr);
  // Values of any form.
  Term sum = Apply(Op::kAdd, {a, b});
  EXPECT_EQ(rule->Apply(scope_, max(sum, max(sum, c))), max(sum, c));
}

TEST_F(TermRuleTest, VariablesAreOfTheirTypes) {
  const auto rule = Make("convert(convert(-x, f64), f32)  =>  -convert(x, f32)", "x : bf16");
  ASSERT_TRUE(rule.has_value());
  auto twice = [&](PrimitiveType type) {
    Term negated = Apply(Op::kNegate, {Load(0, type)}, type);
    return Apply(Op::kConvert, {Apply(Op::kConvert, {negated}, kF64)});
  };
  EXPECT_EQ(rule->Apply(scope_, twice(PrimitiveType::kF16)), nullptr);
  const auto any = Make("round_nearest_even(convert(x, f64))  =>  convert(x, f64)", "x : bf16");
  auto whole = [&](PrimitiveType type) {
    Term wide = Apply(Op::kConvert, {Load(0, type)}, kF64);
    return Apply(Op::kRoundNearestEven, {wide}, kF64);
  };
  EXPECT_NE(any->Apply(scope_, whole(kBF16)), nullptr);
  EXPECT_EQ(any->Apply(scope_, whole(PrimitiveType::kF16)), nullptr);
}

TEST_F(TermRuleTest, ConditionsAreOfNumbersOrDecided) {
  const auto by_number = Make("x / c  =>  x * (1.0 / c)", "x, c : f32",
                              "reduce_precision(c, 8, 0) == c && is_finite(1.0 / c)");
  Term x = Load(0);
  auto divide = [&](Term by) { return Apply(Op::kDivide, {x, by}); };
  EXPECT_EQ(by_number->Apply(scope_, divide(Number(-8))),
            Apply(Op::kMultiply, {x, Number(-0.125)}));
  EXPECT_EQ(by_number->Apply(scope_, divide(Number(3))), nullptr);
  EXPECT_EQ(by_number->Apply(scope_, divide(Number(0))), nullptr);
  EXPECT_EQ(by_number->Apply(scope_, divide(Load(1))), nullptr);
  const auto by_facts = Make("x - x  =>  0.0", "x : f32", "is_finite(x)");
  Term difference = Apply(Op::kSubtract, {x, x});
  EXPECT_EQ(by_facts->Apply(scope_, difference), nullptr);
  ASSERT_TRUE(scope_.Assume(pool_.Holds(Apply(Op::kIsFinite, {x}, kPred))));
  EXPECT_EQ(by_facts->Apply(scope_, difference), Number(0));
}

TEST_F(TermRuleTest, PredicatesAreAnyConditions) {
  const auto rule = Make("select(p, -x, -y)  =>  -select(p, x, y)", "p : pred, x, y : f32");
  Term a = Load(0), b = Load(1);
  Term inside = pool_.AtLeast(pool_.Variable("th_x", {0, 9}), pool_.Number(4));
  auto minus = [&](Term x) { return Apply(Op::kNegate, {x}); };
  EXPECT_EQ(rule->Apply(scope_, pool_.Select(inside, minus(a), minus(b))),
            minus(pool_.Select(inside, a, b)));
  EXPECT_EQ(rule->Apply(scope_, pool_.Select(inside, minus(a), b)), nullptr);
}

TEST_F(TermRuleTest, SomeRulesDoNothingToTerms) {
  EXPECT_FALSE(Make("x * 1.0  =>  x", "x : f32"));                 // as terms are built
  EXPECT_FALSE(Make("x  =>  x + -0.0", "x : f32"));                // of any value
  EXPECT_FALSE(Make("x + y  =>  y + x", "x, y : s32"));            // integers
  EXPECT_FALSE(Make("abs(x)  =>  abs(x) + y - y", "x, y : f32"));  // of which y?
  EXPECT_TRUE(Make("x + -0.0  =>  x", "x : f32"));
}

// The oracles and facts of an inference by a rule, and rules that make none.
TEST_F(TermRuleTest, InferencesAreByExactAndDefinedRules) {
  Inference infer(scope_);
  Term x = Load(0), zero = Apply(Op::kAdd, {x, Number(-0.0)});
  auto rule = Make("x + -0.0  =>  x", "x : f32");
  auto theorem = infer.OfRule(*rule, zero);
  ASSERT_TRUE(theorem.has_value());
  EXPECT_TRUE(theorem->States(zero, x));
  EXPECT_TRUE(theorem->oracles().empty());
  EXPECT_TRUE(theorem->facts().conditions().empty());
  // The bits of a NaN may differ.
  EXPECT_EQ(theorem->equality(), Equality::kNansAreOne);
  // But of one that both sides compute: HLO leaves these open.
  const auto computes = Make("x - y  =>  x + -y", "x, y : f32");
  Term y = Load(1);
  EXPECT_EQ(infer.OfRule(*computes, Apply(Op::kSubtract, {x, y}))->equality(), Equality::kBits);
  const auto gives = Make("max(x, x)  =>  x", "x : f64");
  const auto moves = Make("max(-x, -y)  =>  -min(x, y)", "x, y : f32");
  EXPECT_FALSE(gives);
  Term most = Apply(Op::kMaximum, {Apply(Op::kNegate, {x}), Apply(Op::kNegate, {y})});
  EXPECT_EQ(infer.OfRule(*moves, most)->equality(), Equality::kNansAreOne);
  EXPECT_FALSE(infer.OfRule(*rule, x));
  EXPECT_FALSE(infer.OfRule(*rule, Apply(Op::kAdd, {x, Number(0.0)})));
  rules_.front()->of_class = value_rules::RuleClass::kLicensed;
  EXPECT_FALSE(infer.OfRule(*rule, zero));
  rules_.front()->of_class = value_rules::RuleClass::kDefined;
  EXPECT_EQ(ToString(infer.OfRule(*rule, zero)->oracles()), "definitions");
  // A condition rests on the facts of now.
  rule = Make("x - x  =>  0.0", "x : f32", "is_finite(x)");
  Term finite = pool_.Holds(Apply(Op::kIsFinite, {x}, kPred));
  EXPECT_FALSE(infer.OfRule(*rule, Apply(Op::kSubtract, {x, x})));
  ASSERT_TRUE(scope_.Assume(finite));
  theorem = infer.OfRule(*rule, Apply(Op::kSubtract, {x, x}));
  EXPECT_EQ(theorem->facts(), Facts::One(finite));
  EXPECT_EQ(ToString(theorem->oracles()), "ranges");
}

TEST_F(TermRuleTest, RulesAreFoundByTheirOperation) {
  const TermRules& rules = TermRules::Builtin();
  Term x = Load(0);
  EXPECT_FALSE(rules.RulesFor(Apply(Op::kNegate, {x})).empty());
  EXPECT_TRUE(rules.RulesFor(x).empty());
  EXPECT_TRUE(rules.RulesFor(pool_.Number(1)).empty());
  for (const TermRule& rule : rules.RulesFor(Apply(Op::kAbs, {x})))
    EXPECT_EQ(rule.rule().lhs.opcode, hlo::Opcode::kAbs) << rule.rule().name;
}

}  // namespace
}  // namespace affirm::logic
