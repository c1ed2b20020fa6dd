#include "driver/oracle/rules_report.h"

#include "driver/json_text.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {
namespace {

const char* Status(const RuleReport& r) {
  if (r.verdict.vacuous) return "vacuous";
  return Name(r.verdict.verdict);
}

// A fault of a rule: its claim, its name, and a sentence.
struct RuleFinding {
  const char* claim = "";
  const char* kind = "";
  Verdict verdict = Verdict::kRefuted;
  std::string text = {};
};

std::vector<RuleFinding> FindingsOf(const RuleReport& r) {
  std::vector<RuleFinding> list;
  if (r.verdict.counterexample)
    list.push_back({"rule", "refuted", Verdict::kRefuted, r.verdict.counterexample->ToString()});
  else if (r.verdict.verdict == Verdict::kRefuted)
    list.push_back({"rule", "refuted", Verdict::kRefuted, r.verdict.reason});
  if (r.verdict.verdict == Verdict::kUnknown)
    list.push_back({"rule", "unknown", Verdict::kUnknown, r.verdict.reason});
  if (r.verdict.vacuous)
    list.push_back({"conditions", "vacuous", Verdict::kRefuted, "the conditions can't hold"});
  for (const std::string& why : r.unmatchable)
    list.push_back({"match", "unmatchable", Verdict::kRefuted, why});
  if (!r.reduction_order.lowers) {
    list.push_back(
        {"reduction-order", "raises-reduction-order", Verdict::kRefuted, r.reduction_order.reason});
  }
  return list;
}

// The number of refuted mutants of one rule.
int64_t RefutedMutants(const RuleReport& r) {
  return llvm::count_if(
      r.mutants, [](const MutantReport& m) { return m.verdict.verdict == Verdict::kRefuted; });
}

// "14 refuted, 2 rules in their own right, 1 vacuous, 0 unknown"
std::string MutantsText(const Counts& counts) {
  return std::to_string(counts["mutants refuted"]) + " refuted, " +
         std::to_string(counts["mutants proved"]) + " rules in their own right, " +
         std::to_string(counts["mutants vacuous"]) + " vacuous, " +
         std::to_string(counts["mutants unknown"]) + " unknown";
}

// "4 rules: 3 proved, 1 refuted, 0 unknown; 3 with findings"
std::string RulesText(const Counts& counts) {
  const int64_t others = counts["rules that claim no equality"];
  return std::to_string(counts["rules"]) + " rules: " + std::to_string(counts["rules proved"]) +
         " proved, " + std::to_string(counts["rules refuted"]) + " refuted, " +
         std::to_string(counts["rules unknown"]) + " unknown" +
         (others > 0 ? ", " + std::to_string(others) + " that claim no equality; " : "; ") +
         std::to_string(counts["with findings"]) + " with findings";
}

// Calls fn for each mutant that was not refuted: it "survives", as mutation testing says.
template <typename Fn>
void ForEachSurvivor(const RuleReport& r, Fn fn) {
  for (const MutantReport& m : r.mutants) {
    if (m.verdict.verdict == Verdict::kRefuted) continue;
    fn(m.verdict.vacuous ? "vacuous" : Name(m.verdict.verdict), m);
  }
}

}  // namespace

SourceRegion RegionOfRule(llvm::StringRef where) {
  auto [file, line] = where.rsplit(':');
  SourceRegion region{file.str(), 1};
  if (line.getAsInteger(10, region.line) || region.line < 1) region.line = 1;
  return region;
}

RunReport AuditRunReport(const std::string& file, Verdict outcome) {
  return {.verb = "audit", .file = file, .headline = "audit of " + file, .outcome = outcome};
}

Counts CountsOf(const AuditReport& report) {
  Counts counts;
  for (const RuleReport& r : report.rules) {
    counts.Add("rules");
    counts.Add(std::string("rules ") + Name(r.verdict.verdict));
    if (!r.Good()) counts.Add("with findings");
    if (report.with_mutants) counts.Add("mutants", std::ssize(r.mutants));
    for (const MutantReport& m : r.mutants) {
      counts.Add(std::string("mutants ") +
                 (m.verdict.vacuous ? "vacuous" : Name(m.verdict.verdict)));
    }
  }
  return counts;
}

void AddRulesCoverage(const Counts& counts, RunReport& report) {
  double ms = 0;
  std::string before;  // several findings of a rule have its time
  for (const ReportRecord& record : report.records) {
    if (record.subject != before) ms += record.ms;
    before = record.subject;
  }
  report.coverage = {{"rules", RulesText(counts), ms}};
  if (counts["mutants"] > 0) report.coverage.push_back({"mutants", MutantsText(counts)});
  report.verdict = Name(report.outcome);
  report.verdict_line = report.verdict + ": " + RulesText(counts);
}

RunReport ToRunReport(const AuditReport& report, const std::string& file,
                      const std::string& replay) {
  RunReport run = AuditRunReport(file, VerdictOf(report));
  for (const RuleReport& r : report.rules) {
    ReportRecord record{.verdict = Verdict::kProved,
                        .claim = "rule",
                        .where = RegionOfRule(r.rule.where),
                        .subject = r.rule.name,
                        .aspect = ToString(r.rule),  // a rule that says something else is another
                        .engine = "rule prover",
                        .ms = r.verdict.ms,
                        .replay = replay};
    const std::vector<RuleFinding> findings = FindingsOf(r);
    if (findings.empty()) record.text = r.rule.why;
    if (findings.empty()) run.records.push_back(record);
    for (const RuleFinding& finding : findings) {
      record.verdict = finding.verdict;
      record.claim = finding.claim;
      record.title = llvm::StringRef(finding.kind).upper();
      record.text = "'" + r.rule.name + "': " + finding.text;
      record.details.clear();
      if (r.verdict.counterexample && llvm::StringRef(finding.claim) == "rule") {
        record.expected = r.verdict.counterexample->left;
        record.actual = r.verdict.counterexample->right;
        record.details = {ToString(r.rule)};
      }
      run.records.push_back(record);
    }
  }
  AddRulesCoverage(CountsOf(report), run);
  return run;
}

void PrintReport(const AuditReport& report, llvm::raw_ostream& os, bool texts) {
  for (const RuleReport& r : report.rules) {
    os << r.rule.where << ": " << r.rule.name << ": " << Status(r) << '\n';
    if (texts) os << "  " << ToString(r.rule) << "\n  (" << Fixed(r.verdict.ms, 1) << " ms)\n";
    for (const RuleFinding& f : FindingsOf(r)) os << "  " << f.kind << ": " << f.text << '\n';
    if (!report.with_mutants) continue;
    os << "  mutants: " << RefutedMutants(r) << " of " << r.mutants.size() << " refuted\n";
    ForEachSurvivor(r, [&](const char* status, const MutantReport& m) {
      os << "    " << status << ": " << m.what << '\n';
    });
  }
  const Counts counts = CountsOf(report);
  os << RulesText(counts) << '\n';
  if (report.with_mutants) os << "mutants: " << MutantsText(counts) << '\n';
}

}  // namespace affirm::driver
