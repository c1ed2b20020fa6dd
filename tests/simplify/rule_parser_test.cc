// The rule language: print and read back, and errors with their place.
#include "core/simplify/rule.h"
#include "core/simplify/rule_table.h"
#include "gtest/gtest.h"

namespace affirm {
namespace {

TEST(RuleTable, EveryBuiltinRuleCanBeMatched) {
  for (const CompiledRule& rule : RuleTable::Builtin().compiled()) {
    EXPECT_EQ(rule.problem, "") << rule.rule->name;
  }
  // What a problem looks like.
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
    EXPECT_EQ(back->front().slots, rule.slots) << text;
    EXPECT_FALSE(rule.why.empty());
  }
}

struct BadRule {
  const char* text;
  const char* error;
};

class RuleErrors : public testing::TestWithParam<BadRule> {};

TEST_P(RuleErrors, NameTheirPlace) {
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
