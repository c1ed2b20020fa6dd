// Random rules: the simplifier's steps against the rule as written, evaluated point by point, and
// the prover's verdicts against instances. AFFIRM_CASES sets the number of cases of long runs.
#include <gtest/gtest.h>

#include <cstdio>

#include "core/simplify/simplify.h"
#include "core/symbolic/context.h"
#include "fuzz/generators/map_generator.h"
#include "fuzz/properties/enumerated_map.h"
#include "tests/rules/random_rules.h"
#include "tests/rules/rule_files.h"
#include "verify/rules/evaluate.h"
#include "verify/rules/mutants.h"
#include "verify/rules/prove.h"
#include "verify/rules/range_ends.h"
#include "verify/rules/reduction_order.h"
#include "verify/rules/replay.h"
#include "verify/rules/search.h"

namespace affirm {
namespace {

using fuzz::Choices;
using rules::TermValue;

std::optional<Rule> ReadRule(const std::string& text) {
  auto rules = ParseRules(text, "random.rules");
  if (rules) return rules->front();
  llvm::consumeError(rules.takeError());
  return std::nullopt;
}

// The values of a step's bindings at a point; empty where one has none.
std::vector<int128> ValuesAt(const TraceStep& step, llvm::ArrayRef<int64_t> dims,
                             llvm::ArrayRef<int64_t> ranges) {
  std::vector<int128> values;
  for (const Binding& b : step.bindings) {
    if (!b.expr) {
      values.push_back(b.constant);
      continue;
    }
    auto v = b.expr.EvaluateWide(dims, ranges);
    if (!v) return {};
    values.push_back(*v);
  }
  return values;
}

// Why the step is no instance of the rule at the point, or "": both sides must have the values of
// the expressions before and after the step, and the conditions must hold.
std::string Mismatch(const Rule& rule, const TraceStep& step, llvm::ArrayRef<int64_t> dims,
                     llvm::ArrayRef<int64_t> ranges, bool with_conditions) {
  std::vector<int128> values = ValuesAt(step, dims, ranges);
  if (values.empty()) return "";
  auto differs = [&](const Term& t, SymbolicExpr e) {
    auto v = e.EvaluateWide(dims, ranges);
    TermValue instance = rules::Evaluate(t, values);
    return v && instance.ok() && instance.value != *v;
  };
  if (!rule.is_constraint_rule) {
    if (differs(rule.lhs, step.before)) return "the left side is another";
    if (differs(rule.rhs, step.after)) return "the right side is another";
  }
  for (size_t i = 0; i < rule.premises.size(); ++i) {
    if (differs(rule.premises[i].expr, step.facts_before[i].expr)) return "a premise is another";
  }
  for (size_t i = 0; i < rule.conclusions.size(); ++i) {
    if (differs(rule.conclusions[i].expr, step.facts_after[i].expr))
      return "a conclusion is another";
  }
  if (!with_conditions) return "";
  for (const Condition& c : rule.when) {
    bool has_end = ToString(c, rule).find("er(") != std::string::npos;
    if (!has_end && rules::Holds(c, values) == false) return "a condition fails";
  }
  for (const RangeEnd& end : step.range_ends) {
    auto v = end.expr.EvaluateWide(dims, ranges);
    if (v && (end.lower ? *v < end.value : *v > end.value)) return "an end is no bound";
  }
  return "";
}

std::string CheckSteps(const RuleTable& table, const IndexingMap& map, const Trace& trace) {
  std::string wrong;
  // Conditions are about the facts, which a step on facts changes.
  const bool with_conditions = map.constraints().empty();
  map.ForEachPoint([&](auto dims, auto ranges, auto) {
    for (const TraceStep& step : trace.steps) {
      if (!wrong.empty()) return false;
      wrong = Mismatch(*table.Find(step.rule), step, dims, ranges, with_conditions);
    }
    return wrong.empty();
  });
  return wrong;
}

// The work of a sweep, printed at its end.
struct Counts {
  const char* what;
  int64_t cases = 0, steps = 0, proved = 0, refuted = 0;
  ~Counts() {
    std::printf("%s: %ld cases, %ld steps, %ld rules proved, %ld refuted\n", what,
                static_cast<long>(cases), static_cast<long>(steps), static_cast<long>(proved),
                static_cast<long>(refuted));
  }
};

// The steps by a rule, true or not, are instances of it: brute force and the replay agree.
void ExpectInstances(const RuleTable& table, const IndexingMap& map, Counts& counts) {
  Trace trace;
  IndexingMap after = Simplify(map, table, &trace);
  ++counts.cases;
  if (trace.steps.empty()) return;
  counts.steps += static_cast<int64_t>(trace.steps.size());
  std::string wrong = CheckSteps(table, map, trace);
  EXPECT_EQ(wrong, "") << ToString(table.rules()[0]) << "\n" << map.ToString();
  ReplayReport report = Replay(map, after, trace, table.rules());
  EXPECT_TRUE(report.ok()) << ToString(table.rules()[0]) << "\n"
                           << map.ToString() << "\nto " << after.ToString() << "\n"
                           << report.ToString();
}

std::string ExpressionRule(Choices& choices) {
  RandomText text(choices);
  std::string when = choices.OneIn(2) ? text.Conditions(2) : "";
  std::string left = text.Pattern(choices.OneIn(3) ? 2 : 1);
  return "rule r: " + left + " => " + std::to_string(choices.Between(0, 9)) +
         (when.empty() ? "" : " when " + when.substr(2)) + " why w";
}

std::string ConstraintRule(Choices& choices) {
  RandomText text(choices);
  auto end = [&](const char* name, const char* infinite) -> std::string {
    return choices.OneIn(6) ? infinite : choices.OneIn(4) ? "a" : name;
  };
  std::string premise = text.Pattern(1) + " in [" + end("l", "-inf") + ", " + end("h", "inf") + "]";
  if (choices.OneIn(3)) {
    premise +=
        " and " + text.Pattern(1) + " in [" + end("i", "-inf") + ", " + end("j", "inf") + "]";
  }
  std::string when = choices.OneIn(2) ? text.Conditions(2) : "";
  return "rule r: " + premise + " => " + choices.Pick<std::string>({"true", "false"}) +
         (when.empty() ? "" : " when " + when.substr(2)) + " why w";
}

TEST(RuleSweep, StepsAreInstancesOfTheRuleAsWritten) {
  Counts counts{"steps"};
  constexpr int kMaps = 20;
  const int64_t cases = NumCases(400'000);
  for (int64_t seed = FirstCase(); counts.cases < cases && !testing::Test::HasFailure(); ++seed) {
    std::vector<uint8_t> bytes = fuzz::SeededBytes(seed * 7 + 1, 4000);
    Choices choices(bytes);
    auto rule = ReadRule(choices.OneIn(3) ? ConstraintRule(choices) : ExpressionRule(choices));
    if (!rule || !Compile(*rule).problem.empty()) continue;
    RuleTable table({*rule});
    for (int i = 0; i < kMaps; ++i) {
      Context context;
      ExpectInstances(table, MapLike(*rule, choices, context), counts);
    }
  }
  EXPECT_GT(counts.steps, counts.cases / 20) << "too few steps to say anything";
}

// ---------------------------------------------------------------- proved rules

const std::vector<Rule>& KnownRules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> list = RuleTable::Builtin().rules();
    for (const char* folder : {"corpus/rules/right", "corpus/rules/wrong"})
      for (Rule& rule : RulesIn(folder)) list.push_back(std::move(rule));
    return list;
  }();
  return all;
}

// A built-in rule, changed a few times and with further conditions, or a random one.
std::optional<Rule> RandomRule(Choices& choices) {
  RandomText text(choices);
  if (choices.OneIn(3)) {
    std::string left = text.Pattern(1), right = text.Expression(2);
    std::string when = text.Conditions(3);
    return ReadRule("rule r: " + left + " => " + right +
                    (when.empty() ? "" : " when " + when.substr(2)) + " why w");
  }
  Rule rule = KnownRules()[choices.Below(KnownRules().size())];
  for (uint64_t n = choices.Below(3); n > 0; --n) {
    std::vector<Mutant> mutants = Mutate(rule);
    if (!mutants.empty()) rule = mutants[choices.Below(mutants.size())].rule;
  }
  std::string written = ToString(rule), when = text.Conditions(1);
  size_t why = written.rfind("\n  why");
  if (when.empty() || why == std::string::npos) return ReadRule(written);
  return ReadRule(written.substr(0, why) +
                  (rule.when.empty() ? "\n  when " + when.substr(2) : when) + written.substr(why));
}

void ExpectSameSets(const RuleTable& table, const IndexingMap& map, Counts& counts) {
  Trace trace;
  IndexingMap after = Simplify(map, table, &trace);
  ++counts.cases;
  if (trace.steps.empty()) return;
  counts.steps += static_cast<int64_t>(trace.steps.size());
  auto before = fuzz::Enumerate(map, 20'000), now = fuzz::Enumerate(after, 20'000);
  if (before && now) {
    EXPECT_EQ(fuzz::Difference(*before, *now), "") << ToString(table.rules()[0]) << "\n"
                                                   << map.ToString() << "\nto " << after.ToString();
  }
  ReplayReport report = Replay(map, after, trace, table.rules());
  EXPECT_TRUE(report.ok()) << ToString(table.rules()[0]) << "\n"
                           << map.ToString() << "\nto " << after.ToString() << "\n"
                           << report.ToString();
}

TEST(RuleSweep, ProvedRulesKeepTheSets) {
  Counts counts{"proved rules"};
  constexpr int kMaps = 100;
  Budget budget;
  budget.z3_rlimit = 200'000;
  const int64_t cases = NumCases(2'000);
  for (int64_t seed = FirstCase(); counts.cases < cases && !testing::Test::HasFailure(); ++seed) {
    std::vector<uint8_t> bytes = fuzz::SeededBytes(seed * 11 + 5, 12'000);
    Choices choices(bytes);
    auto rule = RandomRule(choices);
    if (!rule || !Compile(*rule).problem.empty()) continue;
    // Most random rules are wrong, and a few instances show it.
    if (rules::Search(*rule, {.small_instances = 3'000, .random_instances = 1'000}).broken) {
      ++counts.refuted;
      continue;
    }
    if (!CheckReductionOrder(*rule).lowers) continue;
    if (ProveRule(*rule, budget).verdict != Verdict::kProved) continue;
    ++counts.proved;
    RuleTable table({*rule});
    for (int i = 0; i < kMaps; ++i) {
      Context context;
      fuzz::MapLimits limits;
      limits.max_points = 200;
      IndexingMap map = choices.OneIn(4) ? fuzz::GenerateMap(choices, context, limits)
                                         : MapLike(*rule, choices, context);
      ExpectSameSets(table, map, counts);
    }
  }
}

// A rule that some instance refutes has no proof, also where no search comes first.
TEST(RuleSweep, WrongRulesHaveNoProof) {
  Counts counts{"wrong rules"};
  Budget budget;
  budget.z3_rlimit = 20'000;
  const int64_t cases = NumCases(40);
  for (int64_t seed = FirstCase(); counts.cases < cases && !testing::Test::HasFailure(); ++seed) {
    std::vector<uint8_t> bytes = fuzz::SeededBytes(seed * 17 + 2, 4000);
    Choices choices(bytes);
    auto rule = RandomRule(choices);
    if (!rule) continue;
    // In the theorem lower(e) and upper(e) are metavariables of their own.
    Rule theorem = rules::NameRangeEnds(*rule);
    auto broken =
        rules::Search(theorem, {.small_instances = 5'000, .random_instances = 2'000}).broken;
    if (!broken || rules::Check(theorem, *broken) != rules::InstanceState::kBroken) continue;
    ++counts.cases;
    ++counts.refuted;
    EXPECT_NE(ProveWithoutSearch(*rule, budget).verdict, Verdict::kProved) << ToString(*rule);
  }
}

}  // namespace
}  // namespace affirm
