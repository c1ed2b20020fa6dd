// Proofs and refutations of whole rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "core/simplify/rule_table.h"
#include "tests/rules/rule_files.h"
#include "verify/rules/evaluate.h"
#include "verify/rules/prove.h"
#include "verify/rules/search.h"

namespace affirm {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

Rule One(llvm::StringRef text) {
  std::vector<Rule> rules = Parse(text);
  EXPECT_THAT(rules, SizeIs(1));
  return rules.empty() ? Rule() : rules[0];
}

RuleProofResult VerdictOf(llvm::StringRef text) { return ProveRule(One(text)); }

std::vector<int128> ValuesOf(const RuleCounterexample& c) {
  std::vector<int128> values;
  values.reserve(c.values.size());
  for (const auto& [name, value] : c.values) values.push_back(std::stoll(value));
  return values;
}

TEST(ProveRule, ProvesTheBuiltinTable) {
  for (const Rule& rule : RuleTable::Builtin().rules()) {
    RuleProofResult v = ProveRule(rule);
    EXPECT_EQ(v.verdict, Verdict::kProved) << rule.where << ": " << rule.name << ": " << v.reason;
    EXPECT_FALSE(v.vacuous) << rule.name;
    EXPECT_THAT(FindUnmatchable(rule), IsEmpty()) << rule.name;
  }
}

TEST(ProveRule, ProvesRightRules) {
  std::vector<Rule> rules = RulesIn("corpus/rules/right");
  EXPECT_GE(rules.size(), 40u);
  for (const Rule& rule : rules) {
    RuleProofResult v = ProveRule(rule);
    EXPECT_EQ(v.verdict, Verdict::kProved) << rule.name << ": " << v.reason;
    EXPECT_FALSE(v.vacuous) << rule.name;
  }
}

TEST(ProveRule, RefutesWrongRulesWithAnInstance) {
  std::vector<Rule> rules = RulesIn("corpus/rules/wrong");
  EXPECT_GE(rules.size(), 40u);
  for (const Rule& rule : rules) {
    RuleProofResult v = ProveRule(rule);
    ASSERT_EQ(v.verdict, Verdict::kRefuted) << rule.name << ": " << v.reason;
    ASSERT_TRUE(v.counterexample) << rule.name;
    EXPECT_EQ(rules::Check(rule, ValuesOf(*v.counterexample)), rules::InstanceState::kBroken)
        << rule.name << ": " << v.counterexample->ToString();
    EXPECT_NE(v.counterexample->left, v.counterexample->right) << rule.name;
  }
}

// Wrong rules have no proof, also where no search for counterexamples comes first.
TEST(ProveRule, WrongRulesHaveNoProof) {
  Budget budget;
  budget.z3_rlimit = 1'000'000;
  for (const Rule& rule : RulesIn("corpus/rules/wrong"))
    EXPECT_EQ(ProveWithoutSearch(rule, budget).verdict, Verdict::kUnknown) << rule.name;
}

// The theorem leaves the name of such a `let` free; but what no range has is no counterexample.
TEST(ProveRule, RefutationsHoldOfRangeEndsInLets) {
  for (const char* right : {R"(
    rule min.constant: min(x, c)  =>  c
      when let l = lower(x), l > c
      why  x is never below l)",
                            R"(
    rule max.constant: max(x, c)  =>  c
      when let d = upper(x), d < c
      why  x is never above d)",
                            R"(
    rule quotient.one: x floordiv m  =>  k
      when m > 0, let k = lower(x) floordiv m, upper(x) floordiv m == k
      why  both ends of the range have one quotient)",
                            R"(
    rule known: x + a in [b, c]  =>  false
      when let l = lower(x), l > c - a
      why  the sum is above the bound)"}) {
    const RuleProofResult v = VerdictOf(right);
    ASSERT_EQ(v.verdict, Verdict::kUnknown) << right;
    EXPECT_FALSE(v.vacuous) << right;
    EXPECT_TRUE(v.holds_of_ranges) << right;
    EXPECT_THAT(v.reason, testing::HasSubstr("though they are for those that ranges have"))
        << right;
  }
  // One that no range of x makes apply.
  const RuleProofResult never = VerdictOf(
      "rule r: min(x, c) => 0 when let l = lower(x), range(x) within [l, c], l > c why w");
  EXPECT_EQ(never.verdict, Verdict::kProved);
  EXPECT_TRUE(never.vacuous);
  const RuleProofResult nowhere =
      VerdictOf("rule r: min(x, c) => 0 when let l = lower(x), range(x) within [c, l - 1] why w");
  EXPECT_NE(nowhere.verdict, Verdict::kRefuted);
  EXPECT_TRUE(nowhere.vacuous);
  // Without a name it is the theorem that knows the range.
  EXPECT_EQ(VerdictOf("rule r: min(x, c) => c when lower(x) > c why w").verdict, Verdict::kProved);
  // Wrong ones have an instance, in which lower(x) <= x <= upper(x).
  for (const char* wrong :
       {"rule r: x => c when let c = lower(x) why w",
        "rule r: min(x, c) => c when let l = lower(x), l >= c - 1 why w",
        "rule r: x floordiv m => k when m > 0, let k = lower(x) floordiv m why w",
        "rule r: x => d when let l = lower(x), let d = upper(x), d - l <= 1 why w"}) {
    const RuleProofResult v = VerdictOf(wrong);
    ASSERT_EQ(v.verdict, Verdict::kRefuted) << wrong << v.reason;
    std::map<std::string, int64_t> at;
    for (const auto& [name, value] : v.counterexample->values) at[name] = std::stoll(value);
    EXPECT_LE(at.at("lower(x)"), at.at("x")) << wrong << v.counterexample->ToString();
    EXPECT_TRUE(!at.count("upper(x)") || at.at("x") <= at.at("upper(x)")) << wrong;
  }
}

TEST(ProveRule, TheDivisorOfTheRightSideIsAnObligation) {
  // Equal wherever both sides have values.
  RuleProofResult v = VerdictOf(R"(
    rule r: 0 * x  =>  0 * (x floordiv c)
      why  the right side has no value for c = 0)");
  ASSERT_EQ(v.verdict, Verdict::kRefuted);
  EXPECT_EQ(v.counterexample->right, "undefined");
  EXPECT_EQ(VerdictOf(R"(
    rule r: 0 * x  =>  0 * (x mod c)
      when c != 0
      why  a modulus must be positive)")
                .verdict,
            Verdict::kRefuted);
}

TEST(ProveRule, TheDivisorOfTheLeftSideIsAHypothesis) {
  EXPECT_EQ(VerdictOf(R"(
    rule r: (c * x) mod c  =>  0
      why  the modulus is positive because the left side has a value)")
                .verdict,
            Verdict::kProved);
}

TEST(ProveRule, ConclusionsMustHaveValuesEvenWherePremisesFail) {
  RuleProofResult v = VerdictOf(R"(
    rule r: c * x in [1, 1]  =>  c * x in [1, 1] and x mod (c * c) in [0, c * c]
      why  for c = 0 the premise is false, and the conclusion has no value)");
  EXPECT_EQ(v.verdict, Verdict::kRefuted);
}

TEST(ProveRule, NamesWithoutDefinitionAreFree) {
  // `let` with lower() finds a constant; the theorem must hold for whatever it is.
  EXPECT_EQ(VerdictOf(R"(
    rule r: x floordiv c  =>  k
      when c > 0, let k = lower(x) floordiv c
      why  nothing ties k to x)")
                .verdict,
            Verdict::kRefuted);
}

TEST(ProveRule, EndsOfRangesBoundTheirExpressions) {
  EXPECT_EQ(VerdictOf("rule r: x floordiv c => 0 when lower(x) >= 0, upper(x) < c why w").verdict,
            Verdict::kProved);
  RuleProofResult v =
      VerdictOf("rule r: x floordiv c => 0 when lower(x) >= 0, upper(x) <= c why w");
  ASSERT_EQ(v.verdict, Verdict::kRefuted);
  EXPECT_THAT(v.counterexample->ToString(), testing::HasSubstr("upper(x) = 1"));
  // lower(x) and upper(x) are bounds of x, not values that x takes.
  EXPECT_EQ(VerdictOf("rule r: x mod m => m - 1 when upper(x mod m) == m - 1 why w").verdict,
            Verdict::kRefuted);
}

TEST(ProveRule, NoticesVacuousConditions) {
  RuleProofResult v = VerdictOf(R"(
    rule r: x + c  =>  x
      when c > 3, c < 4
      why  there is no integer in between)");
  EXPECT_EQ(v.verdict, Verdict::kProved);
  EXPECT_TRUE(v.vacuous);
}

TEST(ProveRule, NumbersNearTheLimitsDoNotWrap) {
  EXPECT_EQ(VerdictOf(R"(
    rule r: x * 9223372036854775807 + x * 9223372036854775807  =>  x * 9223372036854775807 * 2
      why  values are mathematical integers)")
                .verdict,
            Verdict::kProved);
  EXPECT_EQ(VerdictOf(R"(
    rule r: x + 9223372036854775807 + 1  =>  x - 9223372036854775807 - 1
      why  nothing wraps)")
                .verdict,
            Verdict::kRefuted);
}

TEST(ProveRule, HugePowersEndInUnknownOrAVerdict) {
  RuleProofResult v = VerdictOf(R"(
    rule r: x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x + y  =>  y + x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x
      why  degree past the limits of the prover)");
  EXPECT_NE(v.verdict, Verdict::kRefuted);
}

// Powers and products past the limits of the prover and of machine integers: a polynomial that is
// too large must not be taken for a smaller one.
TEST(ProveRule, LargePolynomialsAreNotTruncated) {
  auto power = [](const std::string& name, int n) {
    std::string text = name;
    for (int i = 1; i < n; ++i) text += " * " + name;
    return text;
  };
  auto verdict_of = [](const std::string& rule) {
    Budget budget;
    budget.z3_rlimit = 400'000;
    // Without the search, which would keep a wrong proof from being seen.
    return ProveWithoutSearch(One("rule r: " + rule + " why w"), budget).verdict;
  };
  for (int n : {2, 11, 12, 13, 25}) {
    std::string p = power("a", n);
    for (const std::string& rule :
         {"x floordiv (" + p + " + m) => x floordiv 4096 when a == 2, m == -4095",
          "x floordiv (" + p + " - 2) => x floordiv (" + power("a", n + 1) + ") when a == 2",
          "x + " + p + " * (b - c) => x when a == 2, b > c", "x + " + p + " => x when a == 2",
          "min(x, y - " + p + ") => x when a == 3, range(y - x) within [0, inf]",
          "x mod m => x when m > 0, range(x) within [0, " + p + " - m], a == 2",
          "x floordiv c => 0 when range(x) within [0, c + " + p + "], a == 3, c > 0",
          "x in [l, h] => false when l == " + p + ", h == l, a == 5"}) {
      EXPECT_NE(verdict_of(rule), Verdict::kProved) << rule;
    }
  }
  // Coefficients past 2^64, 2^127 and 2^256.
  for (int n : {2, 3, 5}) {
    std::string big = power("9223372036854775807", n);
    EXPECT_NE(verdict_of("x + " + big + " * a => x"), Verdict::kProved);
    EXPECT_NE(verdict_of("x => 0 when range(" + big + " * x) within [0, " + big + "]"),
              Verdict::kProved);
    bool small = n < 5;
    EXPECT_EQ(verdict_of("x + " + big + " * a => a * " + big + " + x"),
              small ? Verdict::kProved : Verdict::kUnknown);
  }
}

TEST(ProveRule, IsDeterministic) {
  for (const Rule& rule : RulesIn("corpus/rules/wrong")) {
    RuleProofResult a = ProveRule(rule), b = ProveRule(rule);
    EXPECT_EQ(a.verdict, b.verdict);
    EXPECT_EQ(a.cases, b.cases);
    ASSERT_TRUE(a.counterexample && b.counterexample);
    EXPECT_EQ(a.counterexample->ToString(), b.counterexample->ToString());
  }
}

TEST(FindUnmatchable, NamesThatNothingBinds) {
  EXPECT_THAT(FindUnmatchable(One("rule r: x floordiv c => y why w")), SizeIs(1));
  EXPECT_THAT(FindUnmatchable(One("rule r: x floordiv c => x when k > 0 why w")), SizeIs(1));
  EXPECT_THAT(FindUnmatchable(One("rule r: x floordiv c => k when let k = c + 1 why w")),
              IsEmpty());
  EXPECT_THAT(FindUnmatchable(One("rule r: x floordiv c => c when let c = 1 why w")), SizeIs(1));
}

TEST(FindUnmatchable, SidesThatMatchNothingOrEverything) {
  EXPECT_THAT(FindUnmatchable(One("rule r: x => x + 0 why w")), SizeIs(1));
  EXPECT_THAT(FindUnmatchable(One("rule r: x => 0 when range(x) within [0, 0] why w")), IsEmpty());
  EXPECT_THAT(FindUnmatchable(One("rule r: c floordiv 2 => c why w")), SizeIs(1));
  EXPECT_THAT(FindUnmatchable(One("rule r: 7 => 7 why w")), SizeIs(1));
}

// A proved rule holds at any instance, large ones included.
RC_GTEST_PROP(ProveRule, ProvedRulesHoldEverywhere, ()) {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> list = RulesIn("corpus/rules/right");
    const std::vector<Rule>& builtin = RuleTable::Builtin().rules();
    list.insert(list.end(), builtin.begin(), builtin.end());
    return list;
  }();
  const Rule& rule = *rc::gen::elementOf(all);
  std::vector<int128> values;
  values.reserve(rule.metavariables.size());
  for (size_t i = 0; i < rule.metavariables.size(); ++i)
    values.push_back(*rc::gen::oneOf(rc::gen::inRange<int64_t>(-30, 31),
                                     rc::gen::inRange<int64_t>(-1'000'000, 1'000'000)));
  RC_ASSERT(rules::Check(rule, values) != rules::InstanceState::kBroken);
}

}  // namespace
}  // namespace affirm
