// The audit of a set of rules: is each one proved, does it lower the reduction order, can it match
// anything, do its mutants fail? And the report about it.
#ifndef AFFIRM_VERIFY_RULES_AUDIT_H_
#define AFFIRM_VERIFY_RULES_AUDIT_H_

#include <functional>
#include <string>
#include <vector>

#include "core/simplify/rule.h"
#include "llvm/Support/JSON.h"
#include "verify/rules/mutants.h"
#include "verify/rules/prove.h"
#include "verify/rules/reduction_order.h"

namespace affirm {

struct AuditOptions {
  bool mutants = false;
  Budget budget;
  // Less than for the rule itself: a mutant that is hard to settle is no reason to wait.
  Budget mutant_budget = {.z3_rlimit = 4'000'000};
  // Called after each rule with how many are done; may be empty.
  std::function<void(size_t done, size_t total)> progress;
};

struct RuleReport {
  Rule rule;
  RuleProofResult verdict;
  ReductionOrderResult reduction_order;
  std::vector<std::string> unmatchable;  // why; empty when the rule can be matched
  std::vector<MutantReport> mutants;

  // Proved, not vacuous, matchable, and lowering the reduction order.
  bool Good() const;
};

struct AuditReport {
  std::vector<RuleReport> rules;
  bool with_mutants = false;

  size_t Count(Verdict v) const;
};

AuditReport Audit(const std::vector<Rule>& rules, const AuditOptions& options = {});

// Refuted: the rule is refuted, vacuous, unmatchable or does not lower the reduction order. Mutants
// do not count.
Verdict VerdictOf(const RuleReport& rule);
// The meet of its rules; proved for a table without rules, which rewrites nothing.
Verdict VerdictOf(const AuditReport& report);

//   {"rules": [{"rule", "where", "text", "why", "verdict", "vacuous", "reason"?, "counterexample"?:
//    {"values": {name: value}, "left", "right"}, "unmatchable": [...], "lowers_measure",
//    "measure"?, "ms", "mutants"?: [{"what", "text", "verdict", "vacuous", "counterexample"?}]}],
//    "proved", "refuted", "unknown", "status"}
llvm::json::Object ToJson(const AuditReport& report);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_RULES_AUDIT_H_
