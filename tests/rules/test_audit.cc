// Mutants, audits and their reports as JSON; other formats: tests/formats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/simplify/rule_table.h"
#include "llvm/Support/JSON.h"
#include "tests/rules/rule_files.h"
#include "verify/rules/audit.h"

namespace affirm {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

llvm::json::Value ParseJson(const std::string& text) {
  auto value = llvm::json::parse(text);
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    return nullptr;
  }
  return *value;
}

constexpr const char* kMixed = R"(
rule good: (c * x + y) floordiv c => x + y floordiv c
  when c > 1
  why  right
rule wrong: (x + y) floordiv c => x floordiv c + y floordiv c
  when c > 0
  why  not linear
rule backwards: x floordiv (a * b) => (x floordiv a) floordiv b
  when a > 0, b > 0
  why  true, but the wrong way around
rule never: x mod c => x
  when c < 0
  why  a modulus is positive
)";

std::string JsonOf(const AuditReport& report) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(ToJson(report));
  return text;
}

AuditReport Mixed() { return Audit(Parse(kMixed, "mixed.rules")); }

TEST(Mutants, EachIsAccountedFor) {
  size_t total = 0, refuted = 0;
  Budget budget = AuditOptions().mutant_budget;
  for (const Rule& rule : RuleTable::Builtin().rules()) {
    for (const MutantReport& m : TestMutants(rule, budget)) {
      ++total;
      refuted += m.verdict.verdict == Verdict::kRefuted;
      EXPECT_EQ(m.verdict.verdict == Verdict::kRefuted, m.verdict.counterexample.has_value());
      EXPECT_TRUE(m.verdict.verdict != Verdict::kUnknown || m.verdict.vacuous ||
                  m.verdict.holds_of_ranges)
          << rule.name << ": " << m.what << "\n"
          << m.text;
    }
  }
  std::printf("%zu mutants, %zu refuted\n", total, refuted);
  EXPECT_GT(refuted * 2, total);
}

TEST(Mutants, ReadBackAsRules) {
  for (const Rule& rule : RuleTable::Builtin().rules())
    for (const Mutant& m : Mutate(rule)) EXPECT_THAT(Parse(ToString(m.rule)), SizeIs(1)) << m.what;
}

TEST(Mutants, WeakenEveryCondition) {
  Rule rule = Parse("rule r: x floordiv c => 0 when c > 0, range(x) within [0, c - 1] why w")[0];
  std::vector<Mutant> mutants = Mutate(rule);
  EXPECT_THAT(mutants, Contains(Field(&Mutant::what, "condition 'c > 0' dropped")));
  EXPECT_THAT(mutants, Contains(Field(&Mutant::what, "condition 'c > 0' made 'c >= 0'")));
  EXPECT_THAT(mutants, Contains(Field(&Mutant::what, HasSubstr("made ceildiv"))));
  EXPECT_THAT(mutants, Contains(Field(&Mutant::what, HasSubstr("0 made -1 in 'range(x)"))));
  for (const Mutant& m : mutants) EXPECT_NE(ToString(m.rule), ToString(rule));
}

TEST(Audit, ReportsWhatIsWrongWithEachRule) {
  AuditReport report = Mixed();
  ASSERT_THAT(report.rules, SizeIs(4));
  EXPECT_TRUE(report.rules[0].Good());
  EXPECT_EQ(report.rules[1].verdict.verdict, Verdict::kRefuted);
  EXPECT_EQ(report.rules[2].verdict.verdict, Verdict::kProved);
  EXPECT_FALSE(report.rules[2].reduction_order.lowers);
  EXPECT_TRUE(report.rules[3].verdict.vacuous);
  EXPECT_EQ(report.Count(Verdict::kProved), 3u);
}

TEST(Audit, VerdictIsTheMeetOfItsRules) {
  EXPECT_EQ(VerdictOf(Mixed()), Verdict::kRefuted);
  EXPECT_EQ(VerdictOf(AuditReport()), Verdict::kProved);
  AuditReport report = Mixed();
  report.rules.resize(1);
  EXPECT_EQ(VerdictOf(report), Verdict::kProved);
  report.rules[0].verdict.verdict = Verdict::kUnknown;
  EXPECT_EQ(VerdictOf(report), Verdict::kUnknown);
}

TEST(Audit, ReportsProgress) {
  AuditOptions options;
  std::vector<size_t> seen;
  options.progress = [&](size_t done, size_t total) {
    EXPECT_EQ(total, 4u);
    seen.push_back(done);
  };
  Audit(Parse(kMixed), options);
  EXPECT_THAT(seen, testing::ElementsAre(1, 2, 3, 4));
}

TEST(AuditReport, Json) {
  llvm::json::Value v = ParseJson(JsonOf(Mixed()));
  const llvm::json::Object* o = v.getAsObject();
  ASSERT_TRUE(o);
  EXPECT_EQ(o->getInteger("status"), 1);
  const llvm::json::Array* rules = o->getArray("rules");
  ASSERT_TRUE(rules && rules->size() == 4);
  const llvm::json::Object* wrong = (*rules)[1].getAsObject();
  EXPECT_EQ(wrong->getString("verdict"), "refuted");
  const llvm::json::Object* counterexample = wrong->getObject("counterexample");
  ASSERT_TRUE(counterexample);
  EXPECT_TRUE(counterexample->getObject("values")->getString("x"));
  EXPECT_FALSE((*rules)[0].getAsObject()->get("mutants"));
}

TEST(AuditReport, JsonWithMutants) {
  AuditOptions options;
  options.mutants = true;
  std::vector<Rule> rules = Parse(kMixed);
  rules.resize(1);
  llvm::json::Value v = ParseJson(JsonOf(Audit(rules, options)));
  const auto* mutants = (*v.getAsObject()->getArray("rules"))[0].getAsObject()->getArray("mutants");
  ASSERT_TRUE(mutants);
  EXPECT_GT(mutants->size(), 3u);
  for (const llvm::json::Value& m : *mutants)
    EXPECT_TRUE(m.getAsObject()->getString("verdict") && m.getAsObject()->getString("text"));
}

}  // namespace
}  // namespace affirm
