// The reduction order: built-in rules lower it, and rules that could be applied forever do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/simplify/rule_table.h"
#include "llvm/Support/FormatVariadic.h"
#include "tests/rules/rule_files.h"
#include "verify/rules/reduction_order.h"

namespace affirm {
namespace {

ReductionOrderResult ReductionOrderOf(llvm::StringRef text) {
  std::vector<Rule> rules = Parse(text);
  EXPECT_EQ(rules.size(), 1u);
  return rules.empty() ? ReductionOrderResult() : CheckReductionOrder(rules[0]);
}

TEST(ReductionOrder, EveryBuiltinRuleLowersIt) {
  for (const Rule& rule : RuleTable::Builtin().rules()) {
    ReductionOrderResult v = CheckReductionOrder(rule);
    EXPECT_TRUE(v.lowers) << rule.where << ": " << rule.name << ": " << v.reason;
  }
}

TEST(ReductionOrder, FewerDivisionsLowerItForAllInstances) {
  ReductionOrderResult v =
      ReductionOrderOf("rule r: (x floordiv a) floordiv b => x floordiv (a * b) when b > 0 why w");
  EXPECT_TRUE(v.lowers);
  EXPECT_TRUE(v.by_interpretation);
}

TEST(ReductionOrder, ARuleAndItsReverseDontBothLowerIt) {
  for (const Rule& rule : RuleTable::Builtin().rules()) {
    if (rule.is_constraint_rule) continue;
    Rule reverse = rule;
    std::swap(reverse.lhs, reverse.rhs);
    EXPECT_FALSE(CheckReductionOrder(reverse).lowers) << rule.name;
  }
}

TEST(ReductionOrder, ExchangingOperandsDoesNotLowerIt) {
  EXPECT_FALSE(ReductionOrderOf("rule r: x + y => y + x why w").lowers);
  EXPECT_FALSE(ReductionOrderOf("rule r: min(x, y) => min(y, x) why w").lowers);
}

// 5 * d0 is 4 * d0 + d0: the left side has d0 once, a right side that keeps both parts has it
// twice.
TEST(ReductionOrder, NearestMultiplesShareTermsWithTheirRest) {
  constexpr const char* kSplit =
      "rule r: (m * x + y) {0} m => {1} when m > 1, range(y) within [0, m - 1] why w";
  auto split = [&](const char* op, const char* to) {
    return ReductionOrderOf(llvm::formatv(kSplit, op, to).str());
  };
  EXPECT_TRUE(split("mod", "y").by_interpretation);
  EXPECT_TRUE(split("floordiv", "x").by_interpretation);
  ReductionOrderResult v = split("floordiv", "x + y floordiv m");
  EXPECT_FALSE(v.lowers);
  EXPECT_THAT(v.reason, testing::HasSubstr("M(left) - M(right)"));
  EXPECT_FALSE(split("mod", "y mod m").lowers);
}

TEST(ReductionOrder, ConstantsMayFallInstead) {
  ReductionOrderResult v =
      ReductionOrderOf("rule r: x + k in [l, h] => x in [l - k, h - k] when k != 0 why w");
  EXPECT_TRUE(v.lowers);
  EXPECT_FALSE(v.by_interpretation);
  ReductionOrderResult zero =
      ReductionOrderOf("rule r: x + k in [l, h] => x in [l - k, h - k] why w");
  EXPECT_FALSE(zero.lowers);
  EXPECT_THAT(zero.reason, testing::HasSubstr("k = 0"));
}

TEST(ReductionOrder, DivisorsCountBeforeOtherConstants) {
  EXPECT_TRUE(
      ReductionOrderOf("rule r: x floordiv c => (-x) floordiv (-c) when c < 0 why w").lowers);
  EXPECT_FALSE(
      ReductionOrderOf("rule r: x floordiv c => (-x) floordiv (-c) when c > 0 why w").lowers);
}

// The constant of a numerator may grow when the numerator then starts in the first period.
TEST(ReductionOrder, UnnormalizedOffsetsCountBeforeConstants) {
  constexpr const char* kMoves =
      "rule r: (x + k) floordiv c => (x + r) floordiv c + (k - r) / c when k != 0, c > 1, "
      "let r = (lower(x) + k) mod c - lower(x), c divides k - r, r != k{0} why w";
  EXPECT_TRUE(ReductionOrderOf(llvm::formatv(kMoves, ", k mod c != 0").str()).lowers);
  ReductionOrderResult v = ReductionOrderOf(llvm::formatv(kMoves, "").str());
  EXPECT_FALSE(v.lowers);
  EXPECT_THAT(v.reason, testing::HasSubstr("unnormalized offsets 1"));
  // Without a condition on the least value either side may have the unnormalized offset.
  EXPECT_FALSE(
      ReductionOrderOf("rule r: (x + k) mod c => (x + k - c) mod c when k > c, c > 1 why w")
          .lowers);
}

TEST(ReductionOrder, FactsMayNarrow) {
  EXPECT_TRUE(ReductionOrderOf("rule r: x in [l, h] => x in [l + 1, h] when l < 0 why w").lowers);
  EXPECT_FALSE(ReductionOrderOf("rule r: x in [l, h] => x in [l - 1, h] when l < 0 why w").lowers);
}

TEST(ReductionOrder, AnInstanceShowsTheRise) {
  ReductionOrderResult v =
      ReductionOrderOf("rule r: k * (x + y) => k * x + k * (y floordiv 7) why w");
  EXPECT_FALSE(v.lowers);
  EXPECT_THAT(v.reason, testing::HasSubstr("M(y) = 1"));
}

// A term k * x costs nothing on the left side, where it is found by subtraction; on the right side
// it is as large as x.
TEST(ReductionOrder, MultiplesCountOnTheRightSide) {
  std::vector<Rule> rules = Parse("rule r: min(x, y, z) => 2 * x + x mod m why w");
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_FALSE(CheckReductionOrder(rules[0]).lowers);
}

}  // namespace
}  // namespace affirm
