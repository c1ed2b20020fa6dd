// Reports as JUnit XML: a test for each claim. What is refuted has failed; what is unknown is an
// error of the test, for it may not pass as if it held; what a baseline knows, and what claims
// nothing, is skipped.
#include <map>

#include "driver/json_text.h"
#include "driver/report_model/escape.h"
#include "driver/report_model/run_report.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {
namespace {

struct JunitTotals {
  int64_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double ms = 0;

  void Add(const JunitTotals& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
    ms += other.ms;
  }
};

bool IsSkipped(const ReportRecord& record) {
  return !record.is_claimed || record.state == BaselineState::kKnown;
}

JunitTotals JunitTotalsOf(const RunReport& report) {
  JunitTotals totals;
  for (const ReportRecord& record : report.records) {
    if (record.state == BaselineState::kVanished) continue;
    ++totals.tests;
    totals.ms += record.ms;
    if (report.Holds(record)) continue;
    ++(IsSkipped(record)                     ? totals.skipped
       : record.verdict == Verdict::kRefuted ? totals.failures
                                             : totals.errors);
  }
  return totals;
}

std::string JunitAttribute(llvm::StringRef name, llvm::StringRef value) {
  return " " + name.str() + "=\"" + XmlText(value) + "\"";
}

std::string JunitAttributes(const JunitTotals& totals) {
  return JunitAttribute("tests", std::to_string(totals.tests)) +
         JunitAttribute("failures", std::to_string(totals.failures)) +
         JunitAttribute("errors", std::to_string(totals.errors)) +
         JunitAttribute("skipped", std::to_string(totals.skipped)) +
         JunitAttribute("time", Fixed(totals.ms / 1000, 6));
}

void JunitOutcome(const ReportRecord& record, llvm::raw_ostream& os) {
  const std::string message = JunitAttribute("message", record.Title() + " " + record.text);
  if (IsSkipped(record)) {
    os << "      <skipped" << message << "/>\n";
    return;
  }
  const char* element = record.verdict == Verdict::kRefuted ? "failure" : "error";
  os << "      <" << element << message << JunitAttribute("type", Name(record.verdict)) << ">";
  std::string text = record.text;
  for (const std::string& line : record.details) text += "\n  " + line;
  if (!record.element.empty()) text += "\nelement: " + record.element;
  if (!record.expected.empty()) text += "\nexpected: " + record.expected;
  if (!record.actual.empty()) text += "\nactual: " + record.actual;
  if (!record.replay.empty()) text += "\nreplay: " + record.replay;
  os << XmlText(text) << "</" << element << ">\n";
}

void JunitSuite(const RunReport& report, llvm::raw_ostream& os) {
  os << "  <testsuite" << JunitAttribute("name", "affirm " + report.verb + " " + report.file)
     << JunitAttributes(JunitTotalsOf(report)) << ">\n";
  std::map<std::string, int64_t> names;
  for (const ReportRecord& record : report.records) {
    if (record.state == BaselineState::kVanished) continue;
    const std::string scope = record.scope.empty() ? report.file : record.scope;
    std::string name = record.claim;
    if (!record.subject.empty()) name += " of " + record.subject;
    // Readers tell tests apart by their names.
    const int64_t number = ++names[scope + '\0' + name];
    if (number > 1) name += " (" + std::to_string(number) + ")";
    os << "    <testcase" << JunitAttribute("classname", scope) << JunitAttribute("name", name)
       << JunitAttribute("file", record.where.file.empty() ? report.file : record.where.file);
    if (record.where.line > 0) os << JunitAttribute("line", std::to_string(record.where.line));
    os << JunitAttribute("time", Fixed(record.ms / 1000, 6));
    if (report.Holds(record)) {
      os << "/>\n";
      continue;
    }
    os << ">\n";
    JunitOutcome(record, os);
    os << "    </testcase>\n";
  }
  os << "  </testsuite>\n";
}

}  // namespace

void RenderJunit(llvm::ArrayRef<RunReport> reports, llvm::raw_ostream& os) {
  JunitTotals all;
  for (const RunReport& report : reports) all.Add(JunitTotalsOf(report));
  os << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"
     << JunitAttribute("name", "affirm") << JunitAttributes(all) << ">\n";
  for (const RunReport& report : reports) JunitSuite(report, os);
  os << "</testsuites>\n";
}

}  // namespace affirm::driver
