// Tests of the rule language: rules print and read back, and errors name their location.
#include "core/simplify/rule.h"
#include "core/simplify/rule_table.h"
#include "gtest/gtest.h"

namespace affirm {
namespace {

TEST(RuleTable, EveryBuiltinRuleCanBeMatched) {
  for (const CompiledRule& rule : RuleTable::Builtin().compiled()) {
    EXPECT_EQ(rule.problem, "") << rule.rule->name;
  }
  // The form of a problem.
  auto rules = ParseRules("rule r: x * y => y * x\n  why products commute\n", "r.rules");
  ASSERT_TRUE(static_cast<bool>(rules)) << llvm::toString(rules.takeError());
  RuleTable table(std::move(*rules));
  EXPECT_NE(table.compiled()[0].problem, "");
  EXPECT_TRUE(table.ForHead(ExprKind::kMul).entries.empty());
}

TEST(RuleText, BuiltinRulesPrintAndReadBack) {
  ASSERT_GT(RuleTable::Builtin().rules().size(), 25u);
  for (const Rule& rule : RuleTable::Builtin().rules()) {
    std::string text = ToString(rule);
    auto back = ParseRules(text, "printed");
    ASSERT_TRUE(static_cast<bool>(back)) << text << llvm::toString(back.takeError());
    ASSERT_EQ(back->size(), 1u);
    EXPECT_EQ(ToString(back->front()), text);
    EXPECT_EQ(back->front().metavariables, rule.metavariables) << text;
    EXPECT_FALSE(rule.why.empty());
  }
}

struct BadRule {
  const char* text;
  const char* error;
};

class RuleErrors : public testing::TestWithParam<BadRule> {};

TEST_P(RuleErrors, NameTheirLocation) {
  auto rules = ParseRules(GetParam().text, "f.rules");
  ASSERT_FALSE(static_cast<bool>(rules));
  EXPECT_EQ(llvm::toString(rules.takeError()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    All, RuleErrors,
    testing::Values(BadRule{"x", "f.rules:1:1: error: expected 'rule' at the start of a rule"},
                    BadRule{"rule a: x mod m",
                            "f.rules:1:16: error: expected '=>' or 'in' after the left side"},
                    BadRule{"rule a: x => x",
                            "f.rules:1:15: error: expected 'why' and a line that says why the "
                            "rule holds"},
                    BadRule{"rule a: x => x\n  when\n  why y",
                            "f.rules:3:3: error: 'why' is a word of the language"},
                    BadRule{"rule a: x => x why y\nrule a: x => x why y",
                            "f.rules:2:1: error: rule 'a' is defined twice"},
                    BadRule{"rule a: x mod 99999999999999999999 => x why y",
                            "f.rules:1:15: error: the integer leaves 64 bits"},
                    BadRule{"rule a: foo(x) => x why y",
                            "f.rules:1:9: error: unknown function 'foo'"},
                    BadRule{"rule a: x in [0, 1 => true why y",
                            "f.rules:1:20: error: expected ']' to close the bounds"}));

// A constant is expected, and the name of an expression stands there.
INSTANTIATE_TEST_SUITE_P(
    ExpressionsForConstants, RuleErrors,
    testing::Values(
        BadRule{"rule a: x floordiv c => 0 when x >= 0, x < c why y",
                "f.rules:1:32: error: 'x' stands for an expression, expected constants around "
                "'>='; range(x) within [a, b] bounds an expression"},
        BadRule{"rule a: x floordiv c => 0 when c > 0,\n 0 <= c - 2 * x why y",
                "f.rules:2:15: error: 'x' stands for an expression, expected constants around "
                "'<='; range(x) within [a, b] bounds an expression"},
        BadRule{"rule a: x floordiv c => 0 when c divides x why y",
                "f.rules:1:42: error: 'x' stands for an expression, expected constants around "
                "'divides'; range(x) within [a, b] bounds an expression"},
        BadRule{"rule a: min(x, y) => k when let k = min(x, y) why y",
                "f.rules:1:41: error: 'x' stands for an expression, expected a constant in a "
                "'let'"},
        BadRule{"rule a: min(x, y) => k when let x = 1 why y",
                "f.rules:1:33: error: 'let' defines the name of a constant"},
        BadRule{"rule a: min(x, y) => x when range(x) within [y, inf] why y",
                "f.rules:1:46: error: 'y' stands for an expression, expected a constant as the "
                "lower end"},
        BadRule{"rule a: min(x, y) => x when range(x) within [-inf, 3 * y] why y",
                "f.rules:1:56: error: 'y' stands for an expression, expected a constant as the "
                "upper end"},
        BadRule{"rule a: x in [y, h] => true why y",
                "f.rules:1:15: error: 'y' stands for an expression, expected a constant as the "
                "lower end"},
        BadRule{"rule a: x + y in [l, h] => x in [l, h - y] why y",
                "f.rules:1:41: error: 'y' stands for an expression, expected a constant as the "
                "upper end"},
        BadRule{"rule a: x mod m => 0 when gcd(x, m) == m why y",
                "f.rules:1:31: error: 'x' stands for an expression, expected constants as operands "
                "of gcd"},
        BadRule{"rule a: x mod m => abs(x) why y",
                "f.rules:1:24: error: 'x' stands for an expression, expected constants as operands "
                "of abs"},
        BadRule{"rule a: x mod m => lower(x) why y",
                "f.rules:1:20: error: the end of a range can't stand here, expected it as a "
                "constant in a condition or a 'let'"},
        BadRule{"rule a: x in [lower(x), h] => true why y",
                "f.rules:1:15: error: the end of a range can't stand here, expected it as a "
                "constant in a condition or a 'let'"},
        BadRule{"rule a: x in [l, h] => true when range(x - lower(x)) within [0, h] why y",
                "f.rules:1:44: error: the end of a range can't stand here, expected it as a "
                "constant in a condition or a 'let'"},
        BadRule{"rule a: x mod m => 0 when x - lower(x) is y why y",
                "f.rules:1:31: error: the end of a range can't stand here, expected it as a "
                "constant in a condition or a 'let'"},
        BadRule{"rule a: x mod m => 0 when lower(x - lower(x)) == 0 why y",
                "f.rules:1:37: error: the end of a range can't stand here, expected it as a "
                "constant in a condition or a 'let'"}));

// Ends of ranges are constants in conditions, alone or in terms.
TEST(RuleText, ReadsEndsOfRangesAsConstants) {
  auto rules = ParseRules(
      "rule a: x mod m => k when lower(x) >= 0, gcd(upper(x - y), m) < 2 * m - lower(y),\n"
      "  range(y) within [lower(x), 3 + upper(x)], m divides upper(x),\n"
      "  let k = min(lower(x), 3) why y",
      "f.rules");
  ASSERT_TRUE(static_cast<bool>(rules)) << llvm::toString(rules.takeError());
  EXPECT_FALSE(rules->front().when.back().defines);
}

// a / b / c is ((a / b) / c): nested although no brackets say so.
TEST(RuleText, ChainsAreNested) {
  for (const char* link : {" floordiv c", " mod c * x", " ceildiv (1 - c)"}) {
    std::string text = "rule a: x";
    for (int i = 0; i < 100'000; ++i) text += link;
    auto rules = ParseRules(text + " => x\n  why 'x'\n", "f.rules");
    ASSERT_FALSE(static_cast<bool>(rules)) << link;
    EXPECT_NE(llvm::toString(rules.takeError()).find("nested too deeply"), std::string::npos);
  }
}

}  // namespace
}  // namespace affirm
