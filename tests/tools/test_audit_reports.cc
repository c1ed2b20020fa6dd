// Reports of `affirm audit` name rules that claim no equality: they neither hold, nor are
// they findings; and a run without a claim proves nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Rule(const std::string& name, const std::string& sides, const std::string& of_class) {
  return "rule " + name + ": " + sides + "\n  with x, y : f8e5m2\n  class " + of_class +
         "\n  why a test\n";
}

const std::string kRight = Rule("right", "x + y  =>  y + x", "exact");
const std::string kWrong = Rule("wrong", "x - y  =>  y - x", "exact");

// A file of these rules in every format.
class AuditReports {
 public:
  explicit AuditReports(const std::string& rules) : rules_("r.rules", rules) {}

  RunResult Run(const std::vector<std::string>& options) const {
    std::vector<std::string> run = {"audit", rules_.path()};
    run.insert(run.end(), options.begin(), options.end());
    return RunAffirm(run);
  }
  std::string As(const std::string& format) const { return Run({"--format", format}).out; }
  int status() const { return Run({}).status; }

 private:
  TemporaryFile rules_;
};

class ClaimlessRules : public ::testing::TestWithParam<const char*> {
 protected:
  std::string Claimless() const { return Rule("free", "x + 1.0  =>  x", GetParam()); }
  // The record of a rule.
  static llvm::json::Object RecordOf(const std::string& json, const std::string& rule) {
    auto document = llvm::json::parse(json);
    EXPECT_TRUE(static_cast<bool>(document)) << json;
    const llvm::json::Array& reports = *document->getAsObject()->getArray("reports");
    for (const llvm::json::Value& record : *reports[0].getAsObject()->getArray("records")) {
      if (record.getAsObject()->getString("subject") == rule) return *record.getAsObject();
    }
    ADD_FAILURE() << "no record of " << rule << " in " << json;
    return {};
  }
};

TEST_P(ClaimlessRules, AreSkippedBesideExactOnes) {
  const AuditReports reports(Claimless() + kRight);
  EXPECT_EQ(reports.status(), 0);
  EXPECT_THAT(reports.As("text"), HasSubstr("verdict: proved: 2 rules: 1 proved, 0 refuted, 0 "
                                            "unknown, 1 that claim no equality; 0 with findings"));
  const std::string junit = reports.As("junit");
  EXPECT_THAT(junit, HasSubstr("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(junit, HasSubstr("<skipped message=\"NO CLAIM"));
  const std::string json = reports.As("json");
  const llvm::json::Object free = RecordOf(json, "free"), right = RecordOf(json, "right");
  EXPECT_EQ(free.getString("verdict"), "unknown");
  EXPECT_EQ(free.getBoolean("claimed"), false);
  EXPECT_EQ(free.get("fingerprint"), nullptr);
  EXPECT_EQ(right.getString("verdict"), "proved");
  EXPECT_EQ(right.get("claimed"), nullptr);
  EXPECT_THAT(reports.As("sarif"), HasSubstr("\"results\": []"));
  EXPECT_THAT(reports.As("markdown"), Not(HasSubstr("## Findings")));
  EXPECT_THAT(reports.As("html"), HasSubstr("1 claims hold; without a claim: 1"));
  EXPECT_THAT(reports.As("html"), HasSubstr("no claim</td><td>rule</td><td><code>free"));
}

TEST_P(ClaimlessRules, ProveNothingAlone) {
  const AuditReports reports(Claimless());
  EXPECT_EQ(reports.status(), 2);
  const std::string nothing = "no rule claims that its sides are equal: nothing is proved";
  EXPECT_THAT(reports.As("text"), HasSubstr("UNKNOWN " + nothing));
  EXPECT_THAT(reports.Run({"-v"}).out, HasSubstr("unknown: " + nothing));
  EXPECT_THAT(reports.As("junit"),
              HasSubstr("tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\""));
  const std::string sarif = reports.As("sarif");
  EXPECT_THAT(sarif, HasSubstr("\"ruleId\": \"exact-rule-unknown\""));
  EXPECT_THAT(sarif, HasSubstr("\"exitCode\": 2"));
  EXPECT_THAT(reports.As("markdown"), HasSubstr(nothing));
  EXPECT_THAT(reports.As("html"), HasSubstr(nothing));
  EXPECT_EQ(reports.Run({"--shard", "1/2"}).status, 2);  // which has no rule
}

TEST_P(ClaimlessRules, ChangeNoOtherVerdict) {
  const AuditReports wrong(Claimless() + kWrong);
  EXPECT_EQ(wrong.status(), 1);
  EXPECT_THAT(wrong.As("junit"),
              HasSubstr("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(wrong.As("text"), Not(HasSubstr("no rule claims")));
  // A shard of these alone, of a file with a claim, is as one without a rule.
  const AuditReports right(Claimless() + kRight);
  EXPECT_EQ(right.Run({"--shard", "0/2"}).status, 0);
  EXPECT_EQ(right.Run({"--shard", "2/3"}).status, 0);
  // Known findings are of claims.
  const TemporaryFolder folder;
  const std::string known = folder.path() + "/known.json";
  EXPECT_EQ(wrong.Run({"--write-baseline", known}).status, 1);
  EXPECT_THAT(ReadFile(known), Not(HasSubstr("free")));
  const RunResult again = wrong.Run({"--baseline", known});
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.out, HasSubstr("0 new, 1 known"));
}

INSTANTIATE_TEST_SUITE_P(Classes, ClaimlessRules, ::testing::Values("licensed", "defined"));

}  // namespace
}  // namespace affirm::testing
