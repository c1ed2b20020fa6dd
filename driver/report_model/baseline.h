// Findings that are known, and stand: a run against a baseline fails only for new ones.
//
//   auto baseline = Baseline::Read(text, "baseline.json");
//   baseline->Apply(report);          // marks what is known, and what is new
//   baseline->AddVanished(report);    // what was known and is gone
//
// The file is any JSON with "reports" in it: what --write-baseline wrote, or a whole report of
// --format json. Findings are the same where their fingerprints are (run_report.h).
#ifndef AFFIRM_DRIVER_REPORT_MODEL_BASELINE_H_
#define AFFIRM_DRIVER_REPORT_MODEL_BASELINE_H_

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "driver/report_model/run_report.h"

namespace affirm::driver {

class Baseline {
 public:
  // The error names the file.
  static llvm::Expected<Baseline> Read(llvm::StringRef text, llvm::StringRef name);

  // Each finding is known, where the baseline has it, or new; the verdict says how many are which.
  // The status is that of the new ones; one that no finding explains stays what it was. What a
  // baseline has once is known once, also in several reports.
  void Apply(RunReport& report);
  // Findings of the baseline that no report had, of files that the reports before looked at with
  // the same question: to the records of the last of them.
  void AddVanished(RunReport& last);

 private:
  struct Known {
    ReportRecord record;
    std::string verb, file, asked;
    bool is_met = false;
  };
  std::string name_;
  std::multimap<std::string, Known> known_;  // by fingerprint
  // Verbs, files, and what was asked of them.
  std::set<std::tuple<std::string, std::string, std::string>> looked_at_;
};

// The findings alone, in the form that Read takes. Of a run against a baseline: what is new or
// known, not what has vanished.
std::string BaselineText(llvm::ArrayRef<RunReport> reports);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORT_MODEL_BASELINE_H_
