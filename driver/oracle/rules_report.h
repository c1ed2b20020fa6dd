// Reports of audits of rules, as records and as text.
#ifndef AFFIRM_DRIVER_ORACLE_RULES_REPORT_H_
#define AFFIRM_DRIVER_ORACLE_RULES_REPORT_H_

#include <string>

#include "driver/report_model/run_report.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/rules/audit.h"

namespace affirm::driver {

// The claim that some rule claims anything. Each shard of a run without one has a record of it.
inline constexpr char kExactRule[] = "exact-rule";
// `file`: what was audited; `replay`: the command that audits it.
RunReport ToRunReport(const AuditReport& report, const std::string& file,
                      const std::string& replay);
// For audits of any rules: the place of a rule, from its "FILE:LINE"; and a report without records.
SourceRegion RegionOfRule(llvm::StringRef where);
RunReport AuditRunReport(const std::string& file, Verdict outcome);
// The counts of the summary; and the summary with the verdict, added to a report.
Counts CountsOf(const AuditReport& report);
void AddRulesCoverage(const Counts& counts, RunReport& report);
// Prints each rule with its findings and those of its mutants; `texts`: also the rule's text.
void PrintReport(const AuditReport& report, llvm::raw_ostream& os, bool texts);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_ORACLE_RULES_REPORT_H_
