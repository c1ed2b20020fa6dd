// Runs the checks of an audit on each rule, and says what they come to.
#include "verify/rules/audit.h"

#include <algorithm>

namespace affirm {

bool RuleReport::Good() const {
  return verdict.verdict == Verdict::kProved && !verdict.vacuous && unmatchable.empty() &&
         reduction_order.lowers;
}

size_t AuditReport::Count(Verdict v) const {
  return static_cast<size_t>(std::count_if(
      rules.begin(), rules.end(), [v](const RuleReport& r) { return r.verdict.verdict == v; }));
}

AuditReport Audit(const std::vector<Rule>& rules, const AuditOptions& options) {
  AuditReport report;
  report.with_mutants = options.mutants;
  for (const Rule& rule : rules) {
    RuleReport r;
    r.rule = rule;
    r.verdict = ProveRule(rule, options.budget);
    r.reduction_order = CheckReductionOrder(rule);
    r.unmatchable = FindUnmatchable(rule);
    if (options.mutants) r.mutants = TestMutants(rule, options.mutant_budget);
    report.rules.push_back(std::move(r));
    if (options.progress) options.progress(report.rules.size(), rules.size());
  }
  return report;
}

Verdict VerdictOf(const RuleReport& rule) {
  if (rule.Good()) return Verdict::kProved;
  const bool flawed = rule.verdict.verdict == Verdict::kRefuted || rule.verdict.vacuous ||
                      !rule.unmatchable.empty() || !rule.reduction_order.lowers;
  return flawed ? Verdict::kRefuted : Verdict::kUnknown;
}

Verdict VerdictOf(const AuditReport& report) {
  if (report.rules.empty()) return Verdict::kProved;
  return MeetOfAll(report.rules, [](const RuleReport& rule) { return VerdictOf(rule); });
}

}  // namespace affirm
