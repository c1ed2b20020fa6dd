// The options of every verb that reports what holds: in which format, how much of it, in color or
// not, and against which findings that are known.
#ifndef AFFIRM_TOOLS_AFFIRM_REPORT_OPTIONS_H_
#define AFFIRM_TOOLS_AFFIRM_REPORT_OPTIONS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "driver/report_model/baseline.h"
#include "driver/report_model/run_report.h"
#include "driver/report_output.h"
#include "tools/affirm/command_line.h"

namespace affirm::cli {

class ReportFlags {
 public:
  // Adds --format, --json, --report, --color and -v to the verb.
  void AddTo(Verb& verb);

  bool json() const { return json_ || format_ == "json"; }
  bool text() const { return !json() && format_ == "text"; }
  const std::string& format() const { return format_; }
  // The output of a verb while it works, and whether it has a use for records.
  driver::ReportOutput output() const;
  bool wants_records() const;
  bool has_baseline() const { return baseline_.has_value(); }
  int verbosity() const { return verbosity_; }
  // Whether what is printed to stdout is colored.
  bool color() const;

  // Reads the baseline; before the work, so that a wrong file ends it at once.
  llvm::Error Begin();
  // Applies --accept, and marks which findings are known, and which are new. Once for each report,
  // before it is printed.
  void Compare(driver::RunReport& report);
  // Prints reports that were not compared yet in the format that was asked for and writes the files
  // of --report. In text, `details` prints what -v asks for; in JSON, `attributes` writes what the
  // verb has beside "reports". Answers the exit status: the worst of the reports, or that of an
  // error.
  int Print(std::vector<driver::RunReport> reports,
            const std::function<void(llvm::raw_ostream&)>& details,
            const std::function<void(llvm::json::OStream&)>& attributes);
  // In parts: a report as text, and what comes when all are there.
  void PrintText(const driver::RunReport& report, llvm::raw_ostream& os) const;
  int Finish(std::vector<driver::RunReport> reports);
  // The exit status of a verb. Where it ends with bad input before it has printed a report, this
  // prints one that says so, in every format but text, and writes the files of --report: those of
  // an earlier run would say what held then. Known findings are left alone.
  int Complete(const std::string& verb, int status);

 private:
  std::string format_ = "text", color_ = "auto";
  std::vector<std::string> files_;
  std::string baseline_file_, new_baseline_;
  std::string accept_ = "proved";
  bool json_ = false;
  int verbosity_ = 0;
  bool is_finished_ = false;     // a report was printed
  uint64_t printed_before_ = 0;  // bytes that were printed before the verb began
  std::optional<driver::Baseline> baseline_;
};

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_REPORT_OPTIONS_H_
