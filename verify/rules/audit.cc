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

int ExitStatus(const AuditReport& report) {
  bool unknown = false;
  for (const RuleReport& r : report.rules) {
    if (r.Good()) continue;
    bool flawed = r.verdict.verdict == Verdict::kRefuted || r.verdict.vacuous ||
                  !r.unmatchable.empty() || !r.reduction_order.lowers;
    if (flawed) return 1;
    unknown = true;
  }
  return unknown ? 2 : 0;
}

}  // namespace affirm
