// The report of an audit of rules about values: each rule at each choice of its types.
#ifndef AFFIRM_DRIVER_ORACLE_VALUE_RULES_REPORT_H_
#define AFFIRM_DRIVER_ORACLE_VALUE_RULES_REPORT_H_

#include <string>
#include <vector>

#include "driver/report_model/run_report.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/value_rules/mutants.h"
#include "verify/value_rules/prove.h"

namespace affirm::driver {

struct ValueMutantReport {
  std::string what, text;
  Verdict verdict = Verdict::kUnknown;  // refuted at some types; the meet of all else
  std::string error;                    // why it is no rule: HLO has no such operation
};

struct ValueRuleReport {
  value_rules::RuleProof proof;
  std::vector<ValueMutantReport> mutants;

  // Proved, or of a class that claims no equality.
  bool Good() const;
};

struct ValueAuditReport {
  std::vector<ValueRuleReport> rules;
  bool with_mutants = false;
  // Whether some rule of the run claims an equality, if perhaps none of this shard.
  bool claims_equality = false;
};

// Exact rules do; defined and licensed ones are somebody's word.
bool ClaimsEquality(const value_rules::ValueRule& rule);

// An error where a rule has no meaning on some types.
llvm::Expected<ValueRuleReport> AuditValueRule(const value_rules::ValueRule& rule, bool mutants,
                                               const value_rules::ProofOptions& options = {});

// The meet of the exact rules. Where there are none: proved for a shard of a run that has some,
// else unknown, since nothing is claimed.
Verdict VerdictOf(const ValueAuditReport& report);
// `file`: what was audited; `replay`: the command that audits it.
RunReport ToRunReport(const ValueAuditReport& report, const std::string& file,
                      const std::string& replay);
void PrintReport(const ValueAuditReport& report, llvm::raw_ostream& os, bool texts);
//   {"rules": [{"rule", "where", "text", "why", "class", "verdict", "instances": [{"types",
//    "verdict", "by"?, "reason"?, "counterexample"?: {"values": {name: value}, "left", "right"},
//    "vacuous", "ms"}], "mutants"?: [{"what", "text", "verdict"}]}], "proved", "refuted",
//    "unknown", "claims nothing", "status"}
llvm::json::Object ToJson(const ValueAuditReport& report);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_ORACLE_VALUE_RULES_REPORT_H_
