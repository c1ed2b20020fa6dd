// What an audit of rules says, as records and for people.
#ifndef AFFIRM_DRIVER_ORACLE_RULES_REPORT_H_
#define AFFIRM_DRIVER_ORACLE_RULES_REPORT_H_

#include <string>

#include "driver/report_model/run_report.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/rules/audit.h"

namespace affirm::driver {

// `file`: what was audited; `replay`: the command that audits it.
RunReport ToRunReport(const AuditReport& report, const std::string& file,
                      const std::string& replay);
// Of any audit of rules: where a rule stands, by its "FILE:LINE"; and the report without records.
SourceRegion RegionOfRule(llvm::StringRef where);
RunReport AuditRunReport(const std::string& file, Verdict outcome);
// What the lines of the summary count, and these lines with the verdict.
Counts CountsOf(const AuditReport& report);
void AddRulesCoverage(const Counts& counts, RunReport& report);
// Each rule with what was found of it, and of its mutants; `texts`: also what it says.
void PrintReport(const AuditReport& report, llvm::raw_ostream& os, bool texts);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_ORACLE_RULES_REPORT_H_
