// Proved rules are applied only where they match: names that occur more than once, conditions, ends
// of ranges. Each rule is true, and each map is one to which a careless simplifier would apply it.
#include <gtest/gtest.h>

#include "core/simplify/simplify.h"
#include "fuzz/properties/enumerated_map.h"
#include "tests/rules/rule_files.h"
#include "verify/rules/prove.h"
#include "verify/rules/replay.h"

namespace affirm {
namespace {

struct Use {
  const char* rule;
  const char* map;
};

IndexingMap MapOf(llvm::StringRef text, Context& context) {
  auto map = ParseIndexingMap(text, context);
  if (!map) {
    ADD_FAILURE() << llvm::toString(map.takeError());
    return IndexingMap::Undefined();
  }
  return *map;
}

// Simplifies by the rule and returns the number of steps. The map must keep its sets, and the steps
// must replay.
size_t ExpectSameSets(const RuleTable& table, const IndexingMap& map) {
  Trace trace;
  IndexingMap after = Simplify(map, table, &trace);
  auto before = fuzz::Enumerate(map), now = fuzz::Enumerate(after);
  EXPECT_TRUE(before && now) << map.ToString();
  if (!before || !now) return 0;
  EXPECT_EQ(fuzz::Difference(*before, *now), "") << map.ToString() << "\n" << after.ToString();
  ReplayReport report = Replay(map, after, trace, table.rules());
  EXPECT_TRUE(report.ok()) << map.ToString() << "\n" << report.ToString();
  return trace.steps.size();
}

class ProvedRule : public testing::TestWithParam<Use> {};

TEST_P(ProvedRule, KeepsTheSets) {
  Context context;
  RuleTable table(Parse(GetParam().rule));
  for (const Rule& rule : table.rules()) {
    RuleProofResult v = ProveRule(rule);
    EXPECT_EQ(v.verdict, Verdict::kProved) << v.reason;
    EXPECT_FALSE(v.vacuous);
  }
  ExpectSameSets(table, MapOf(GetParam().map, context));
}

INSTANTIATE_TEST_SUITE_P(
    NamesThatStandTwice, ProvedRule,
    testing::Values(
        // x is the multiple and the rest of one sum.
        Use{"rule r: min(x + b * x, y) => y\n"
            "  when b >= 0, range(x) within [1, inf], range(y) within [-inf, 0]\n  why w",
            "(d0, d1, d2) -> (min(d0 * 4 + d1, d2)), domain: d0 in [-2, 0], d1 in [1, 3], d2 in "
            "[-3, 0]"},
        Use{"rule r: (c * x + x) floordiv c => x + x floordiv c\n  when c > 1\n  why w",
            "(d0, d1) -> ((d0 * 4 + d1) floordiv 4), domain: d0 in [0, 5], d1 in [0, 9]"},
        Use{"rule r: x + b * x in [l, h] => false\n  when b >= 2, l == 1, h == 2\n  why w",
            "(d0, d1) -> (d0), domain: d0 in [-4, 4], d1 in [-4, 4], d0 * 4 + d1 in [1, 2]"},
        Use{"rule r: x + b * x in [l, h] => x in [l ceildiv (b + 1), h floordiv (b + 1)]\n"
            "  when b > 1\n  why w",
            "(d0, d1) -> (d0), domain: d0 in [0, 4], d1 in [0, 4], d0 * 4 + d1 in [3, 6]"},
        Use{"rule r: max(g * x + x, 0) => 0\n  when g > 1, range(x) within [-inf, 0]\n  why w",
            "(d0, d1) -> (max(d0 * 6 + d1, 0)), domain: d0 in [0, 3], d1 in [-2, 0]"},
        // In two operands of a minimum, in two terms, on both sides of a division.
        Use{"rule r: max(x, min(x, y)) => x\n  why w",
            "(d0, d1, d2) -> (max(d0, min(d1, d2)), max(d0, min(d0, d1))), domain: d0 in [0, 2], "
            "d1 in [0, 3], d2 in [0, 2]"},
        Use{"rule r: min(x, y) + max(x, y) => x + y\n  why w",
            "(d0, d1, d2) -> (min(d0, d1) + max(d0, d2), min(d0, d1) + max(d1, d0)), domain: d0 in "
            "[0, 2], d1 in [0, 3], d2 in [0, 2]"},
        Use{"rule r: k * (x mod m) + k * m * (x floordiv m) => k * x\n  when m > 0\n  why w",
            "(d0, d1) -> (d0 mod 4 + (d1 floordiv 4) * 4, (d0 mod 4) * 3 + (d0 floordiv 4) * 12, "
            "(d0 mod 4) * 3 + (d0 floordiv 4) * 8), domain: d0 in [0, 9], d1 in [0, 9]"},
        Use{"rule r: x floordiv x => 1\n  why w",
            "(d0, d1) -> (d0 floordiv d1, d1 floordiv d1), domain: d0 in [1, 5], d1 in [1, 4]"},
        Use{"rule r: (x + x mod m) mod m => (2 * x) mod m\n  when m > 0\n  why w",
            "(d0, d1) -> ((d0 mod 3 + d1) mod 3, (d1 mod 3 + d1) mod 3), domain: d0 in [0, 6], d1 "
            "in [0, 6]"},
        // In two premises, in a premise and its ends.
        Use{"rule r: x mod m in [r, r] and x floordiv m in [r, r] => x in [r * m + r, r * m + r]\n"
            "  when m > 0, r >= 0, r < m\n  why w",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 30], d1 in [0, 30], d0 mod 5 in [2, 2], d1 "
            "floordiv 5 in [2, 2], d1 mod 4 in [2, 2], d0 floordiv 5 in [2, 2]"},
        Use{"rule r: x + k in [k, h] => x in [0, h - k]\n  when k != 0\n  why w",
            "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 + 2 in [2, 7], d0 - d1 "
            "+ 2 in [3, 9]"}));

INSTANTIATE_TEST_SUITE_P(
    Ranges, ProvedRule,
    testing::Values(
        // The bounds of a premise must follow from the other facts.
        Use{"rule r: x in [l, h] and y in [i, j] => y in [i, j]\n"
            "  when lower(x) >= l, upper(x) <= h\n  why w",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [2, 8], d0 - d1 "
            "in [-2, 3]"},
        Use{"rule r: x in [l, h] and y in [i, j] => y in [i, j]\n"
            "  when range(x) within [l, upper(x)], range(x) within [lower(x), h]\n  why w",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [2, 8], d0 - d1 "
            "in [-2, 3]"},
        // Nothing satisfies the constraint, and so every condition holds.
        Use{"rule r: x floordiv z => 0\n"
            "  when range(x) within [0, inf], range(z - x) within [1, inf]\n  why w",
            "(d0)[s0] -> ((s0 * 4 + d0) floordiv (s0 floordiv 3)), domain: d0 in [0, 0], s0 in [0, "
            "1], d0 + s0 in [-3, -1]"},
        Use{"rule r: x mod m => x\n  when lower(x) >= 0, upper(x) < m\n  why w",
            "(d0, d1) -> (d0 mod 4, d1 mod 8), domain: d0 in [0, 5], d1 in [0, 5]"}));

// The rules that compare ends of ranges are applied where they hold, and replayed.
TEST(UserRules, EndsOfRangesInConditionsAreReplayed) {
  Context context;
  RuleTable table(Parse("rule r: x mod m => x\n  when lower(x) >= 0, upper(x) < m\n  why w"));
  IndexingMap map = MapOf("(d0) -> (d0 mod 8), domain: d0 in [0, 5]", context);
  EXPECT_EQ(ExpectSameSets(table, map), 1u);
  Trace trace;
  IndexingMap after = Simplify(map, table, &trace);
  ASSERT_EQ(trace.steps.size(), 1u);
  ASSERT_EQ(trace.steps[0].range_ends.size(), 2u);
  for (int64_t wrong : {1, 9}) {
    Trace tampered = trace;
    tampered.steps[0].range_ends[0].value = wrong;
    EXPECT_FALSE(Replay(map, after, tampered, table.rules()).ok()) << wrong;
  }
  trace.steps[0].range_ends.clear();
  EXPECT_FALSE(Replay(map, after, trace, table.rules()).ok());
}

// A condition on the range of a quotient says nothing where its divisor is zero.
TEST(UserRules, ConditionsMustHaveValues) {
  for (const char* rule :
       {"rule r: min(max(y, -y), 1) => 1\n  when range(1 floordiv y) within [-inf, inf]\n  why w",
        "rule r: min(max(y, -y), 1) => 1\n  when range(1 floordiv y) within [-1, 1]\n  why w",
        "rule r: min(max(y, -y), 1) => 1\n  when x floordiv y is x floordiv y\n  why w",
        "rule r: max(y, 1) => y\n  when range(x mod y) within [-inf, inf]\n  why w",
        "rule r: max(y, 1) => y\n  when lower(7 mod y) <= 0\n  why w",
        // y is zero, so that 1 floordiv y has no value, and the condition on it says nothing.
        "rule r: min(y, 0) => 5\n"
        "  when range(y) within [0, 0], range(1 floordiv y) within [-inf, inf]\n  why w",
        "rule r: y in [1, h] => y in [-inf, h]\n  when range(5 mod y) within [0, 5]\n  why w"}) {
    RuleProofResult v = ProveRule(Parse(rule)[0]);
    EXPECT_EQ(v.verdict, Verdict::kUnknown) << rule;
    EXPECT_FALSE(v.vacuous) << rule;
  }
  // The divisor is not zero where the left side has a value, or by another condition.
  for (const char* rule :
       {"rule r: min(x floordiv y, 0) => x floordiv y\n"
        "  when range(x floordiv y) within [-inf, 0]\n  why w",
        "rule r: x mod m => x\n  when range(x floordiv m) within [0, 0]\n  why w",
        "rule r: max(x, 1) => x\n  when range(x floordiv c) within [1, inf], c > 0\n  why w",
        "rule r: max(y, 1) => y\n"
        "  when range(y) within [0, inf], range(7 floordiv (y + 1)) within [0, 3]\n  why w"}) {
    RuleProofResult v = ProveRule(Parse(rule)[0]);
    EXPECT_EQ(v.verdict, Verdict::kProved) << rule << ": " << v.reason;
  }
}

// A step of the rule at the only result of a map over d0, with d0 for x.
TraceStep StepAt(Context& context, const Rule& rule, SymbolicExpr before, SymbolicExpr after,
                 int64_t m) {
  TraceStep step;
  step.rule = rule.name;
  step.place = "results";
  step.before = before;
  step.after = after;
  for (const Metavariable& metavariable : rule.metavariables) {
    Binding b;
    b.bound = true;
    (metavariable.is_expr ? void(b.expr = context.Dim(0)) : void(b.constant = m));
    step.bindings.push_back(b);
  }
  return step;
}

// The steps of a forged trace do lead to its outcome, but are no instances of the rule.
TEST(ForgedTraces, AStepIsWhatTheRuleSays) {
  Context context;
  std::vector<Rule> rules =
      Parse("rule r: x mod m => x\n  when range(x) within [0, m - 1]\n  why w");
  IndexingMap map = MapOf("(d0) -> (d0 mod 8), domain: d0 in [0, 7]", context);
  SymbolicExpr d0 = context.Dim(0);
  auto replay = [&](SymbolicExpr before, SymbolicExpr after, int64_t m) {
    Trace trace;
    trace.steps.push_back(StepAt(context, rules[0], before, after, m));
    IndexingMap outcome = map;
    outcome.SetResult(0, after);
    return Replay(map, outcome, trace, rules).ok();
  };
  EXPECT_TRUE(replay(d0.Mod(8), d0, 8));
  EXPECT_FALSE(replay(d0.Mod(8), d0 + 1, 8));
  EXPECT_FALSE(replay(d0.Mod(8), context.Constant(0), 8));
  EXPECT_FALSE(replay(d0.Mod(8), d0, 9));
  EXPECT_FALSE(replay(d0.Mod(8), d0, 7));
}

// A constraint that follows from itself alone must not be dropped.
TEST(ForgedTraces, APremiseDoesNotProveItself) {
  Context context;
  const std::vector<Rule>& rules = RuleTable::Builtin().rules();
  const Rule& holds = *RuleTable::Builtin().Find("constraint.holds");
  for (bool implied : {false, true}) {
    IndexingMap map = MapOf(implied ? "(d0) -> (d0), domain: d0 in [0, 9], d0 floordiv 2 in [0, 4]"
                                    : "(d0) -> (d0), domain: d0 in [0, 9], d0 floordiv 2 in [1, 3]",
                            context);
    const Constraint fact = map.constraints()[0];
    TraceStep step;
    step.rule = holds.name;
    step.place = "constraints";
    step.facts_before = {fact};
    for (const Metavariable& metavariable : holds.metavariables) {
      Binding b;
      b.bound = true;
      if (metavariable.is_expr) b.expr = fact.expr;
      if (!metavariable.is_expr)
        b.constant = metavariable.name == "l" ? fact.bounds.lower : fact.bounds.upper;
      step.bindings.push_back(b);
    }
    IndexingMap outcome = map;
    outcome.SetConstraints({});
    Trace trace;
    trace.steps.push_back(step);
    EXPECT_EQ(Replay(map, outcome, trace, rules).ok(), implied);
  }
}

// Where a constant is expected, a metavariable of an expression is refused, also in rules that were
// built without the reader of rule files.
TEST(UserRules, TheSimplifierTakesNoExpressionForAConstant) {
  Rule rule = Parse("rule r: x floordiv c => 0\n  when k >= 0, k < c\n  why w")[0];
  const int x = rule.FindMetavariable("x"), k = rule.FindMetavariable("k");
  for (Condition& c : rule.when) {
    if (c.lhs.metavariable == k) c.lhs.metavariable = x;
  }
  EXPECT_NE(Compile(rule).problem, "");
  Rule ends = Parse("rule r: x floordiv c => 0\n  when range(x) within [k, 0], c > 0\n  why w")[0];
  ends.when[0].lower.metavariable = ends.FindMetavariable("x");
  EXPECT_NE(Compile(ends).problem, "");
}

}  // namespace
}  // namespace affirm
