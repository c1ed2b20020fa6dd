// Mutants, audit reports and their renderings.
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

AuditReport Mixed() { return Audit(Parse(kMixed, "mixed.rules")); }

TEST(Mutants, EachIsAccountedFor) {
  size_t total = 0, refuted = 0;
  Budget budget = AuditOptions().mutant_budget;
  for (const Rule& rule : RuleTable::Builtin().rules()) {
    for (const MutantReport& m : TestMutants(rule, budget)) {
      ++total;
      refuted += m.verdict.verdict == Verdict::kRefuted;
      EXPECT_EQ(m.verdict.verdict == Verdict::kRefuted, m.verdict.counterexample.has_value());
      EXPECT_NE(m.verdict.verdict, Verdict::kUnknown) << rule.name << ": " << m.what << "\n"
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

TEST(Audit, ExitStatus) {
  EXPECT_EQ(ExitStatus(Mixed()), 1);
  EXPECT_EQ(ExitStatus(AuditReport()), 0);
  AuditReport report = Mixed();
  report.rules.resize(1);
  EXPECT_EQ(ExitStatus(report), 0);
  report.rules[0].verdict.verdict = Verdict::kUnknown;
  EXPECT_EQ(ExitStatus(report), 2);
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

TEST(Render, Text) {
  std::string text = Render(Mixed(), ReportFormat::kText);
  EXPECT_THAT(text, HasSubstr("mixed.rules:2: good: proved\n"));
  EXPECT_THAT(text, HasSubstr("mixed.rules:5: wrong: refuted\n  refuted: x = "));
  EXPECT_THAT(text, HasSubstr("never: vacuous"));
  EXPECT_THAT(text, HasSubstr("raises-reduction-order"));
  EXPECT_THAT(text, HasSubstr("4 rules: 3 proved, 1 refuted, 0 unknown; 3 with findings\n"));
}

TEST(Render, Json) {
  llvm::json::Value v = ParseJson(Render(Mixed(), ReportFormat::kJson));
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

TEST(Render, JsonWithMutants) {
  AuditOptions options;
  options.mutants = true;
  std::vector<Rule> rules = Parse(kMixed);
  rules.resize(1);
  llvm::json::Value v = ParseJson(Render(Audit(rules, options), ReportFormat::kJson));
  const auto* mutants = (*v.getAsObject()->getArray("rules"))[0].getAsObject()->getArray("mutants");
  ASSERT_TRUE(mutants);
  EXPECT_GT(mutants->size(), 3u);
  for (const llvm::json::Value& m : *mutants)
    EXPECT_TRUE(m.getAsObject()->getString("verdict") && m.getAsObject()->getString("text"));
}

TEST(Render, Sarif) {
  llvm::json::Value v = ParseJson(Render(Mixed(), ReportFormat::kSarif));
  const llvm::json::Object* o = v.getAsObject();
  ASSERT_TRUE(o);
  EXPECT_EQ(o->getString("version"), "2.1.0");
  const llvm::json::Object* run = (*o->getArray("runs"))[0].getAsObject();
  const llvm::json::Object* driver = run->getObject("tool")->getObject("driver");
  EXPECT_EQ(driver->getString("name"), "affirm");
  std::vector<std::string> kinds;
  for (const llvm::json::Value& k : *driver->getArray("rules"))
    kinds.push_back(k.getAsObject()->getString("id")->str());
  const llvm::json::Array* results = run->getArray("results");
  ASSERT_GE(results->size(), 3u);
  for (const llvm::json::Value& r : *results) {
    EXPECT_THAT(kinds, Contains(r.getAsObject()->getString("ruleId")->str()));
    const auto* place =
        (*r.getAsObject()->getArray("locations"))[0].getAsObject()->getObject("physicalLocation");
    EXPECT_EQ(place->getObject("artifactLocation")->getString("uri"), "mixed.rules");
    EXPECT_GE(place->getObject("region")->getInteger("startLine").value_or(0), 5);
  }
}

TEST(Render, MarkdownKeepsTablesWhole) {
  std::string text = Render(Mixed(), ReportFormat::kMarkdown);
  size_t rows = 0;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  for (llvm::StringRef line : lines) rows += line.starts_with("| `");
  EXPECT_EQ(rows, 4u);
}

TEST(Render, FormatNames) {
  EXPECT_EQ(ParseReportFormat("sarif"), ReportFormat::kSarif);
  EXPECT_EQ(ParseReportFormat("xml"), std::nullopt);
}

}  // namespace
}  // namespace affirm
