// Findings as SARIF 2.1.0, which code hosts show at the lines of a pull request. What holds is not
// in it.
#include <algorithm>

#include "driver/build_facts.h"
#include "driver/json_text.h"
#include "driver/report_model/escape.h"
#include "driver/report_model/run_report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace affirm::driver {
namespace {

using llvm::json::Array;
using llvm::json::Object;

// One rule of SARIF for each kind of claim and verdict: "map-refuted".
std::string SarifRule(const ReportRecord& record) {
  return record.claim + "-" + Name(record.verdict);
}

Object SarifText(llvm::StringRef text) { return Object{{"text", JsonText(text)}}; }

Object SarifRuleObject(const ReportRecord& record) {
  const bool refuted = record.verdict == Verdict::kRefuted;
  const bool executed = record.verdict == Verdict::kExecuted;
  llvm::StringRef claim = TextOfClaim(record.claim);
  return Object{
      {"id", JsonText(SarifRule(record))},
      {"shortDescription", SarifText((refuted    ? "Refuted: "
                                      : executed ? "Executed without a difference, not proved: "
                                                 : "Neither proved nor refuted: ") +
                                     claim.str())},
      {"defaultConfiguration", Object{{"level", refuted ? "error" : "warning"}}}};
}

Object SarifProperties(const ReportRecord& record) {
  Object properties{{"verdict", Name(record.verdict)}, {"claim", JsonText(record.claim)}};
  const std::pair<const char*, const std::string&> texts[] = {
      {"subject", record.subject},   {"scope", record.scope},   {"element", record.element},
      {"expected", record.expected}, {"actual", record.actual}, {"engine", record.engine},
      {"replay", record.replay}};
  for (const auto& [key, text] : texts) {
    if (!text.empty()) properties[key] = JsonText(text);
  }
  return properties;
}

Object SarifLocation(const RunReport& report, const ReportRecord& record) {
  const std::string& file = record.where.file.empty() ? report.file : record.where.file;
  Object region{{"startLine", std::max<int64_t>(record.where.line, 1)}};
  if (record.where.line > 0 && record.where.column > 0) region["startColumn"] = record.where.column;
  Object location{{"physicalLocation", Object{{"artifactLocation", Object{{"uri", UriOf(file)}}},
                                              {"region", std::move(region)}}}};
  if (!record.subject.empty()) {
    Object logical{{"name", JsonText(record.subject)}};
    if (!record.scope.empty())
      logical["fullyQualifiedName"] = JsonText(record.scope + "/" + record.subject);
    location["logicalLocations"] = Array{std::move(logical)};
  }
  return location;
}

Object SarifResult(const RunReport& report, const ReportRecord& record,
                   const std::string& fingerprint, int64_t rule) {
  std::string message = record.text.empty() ? TextOfClaim(record.claim).str() : record.text;
  for (const std::string& line : record.details) message += "\n  " + line;
  if (!record.replay.empty()) message += "\nreplay: " + record.replay;
  const bool refuted = record.verdict == Verdict::kRefuted;
  const bool vanished = record.state == BaselineState::kVanished;
  Object result{{"ruleId", JsonText(SarifRule(record))},
                {"ruleIndex", rule},
                {"level", vanished  ? "none"
                          : refuted ? "error"
                                    : "warning"},
                {"message", SarifText(message)},
                {"locations", Array{SarifLocation(report, record)}},
                {"partialFingerprints", Object{{"affirmFinding/v1", fingerprint}}},
                {"occurrenceCount", record.count},
                {"properties", SarifProperties(record)}};
  switch (record.state) {
    case BaselineState::kNoBaseline:
      break;
    case BaselineState::kNew:
      result["baselineState"] = "new";
      break;
    case BaselineState::kKnown:
      result["baselineState"] = "unchanged";
      result["suppressions"] = Array{Object{{"kind", "external"}, {"status", "accepted"}}};
      break;
    case BaselineState::kVanished:
      result["baselineState"] = "absent";
      break;
  }
  return result;
}

}  // namespace

void RenderSarif(llvm::ArrayRef<RunReport> reports, llvm::raw_ostream& os) {
  Array rules, results, invocations;
  std::vector<std::string> known;  // ids of rules, in order
  for (const RunReport& report : reports) {
    invocations.push_back(Object{{"executionSuccessful", !report.bad_input},
                                 {"exitCode", report.status()},
                                 {"exitCodeDescription", JsonText(report.verdict_line)}});
    const std::vector<std::string> fingerprints = FingerprintsOf(report);
    for (const auto& [k, record] : llvm::enumerate(report.records)) {
      if (!report.IsFinding(record)) continue;
      const std::string rule = SarifRule(record);
      auto found = llvm::find(known, rule);
      const int64_t index = found - known.begin();
      if (found == known.end()) {
        known.push_back(rule);
        rules.push_back(SarifRuleObject(record));
      }
      results.push_back(SarifResult(report, record, fingerprints[k], index));
    }
  }
  const std::string facts = BuildFacts();
  auto [name, version] = llvm::StringRef(facts).split('\n').first.split(' ');
  Object driver{{"name", name}, {"version", version}, {"rules", std::move(rules)}};
  Object run{{"tool", Object{{"driver", std::move(driver)}}},
             {"columnKind", "utf16CodeUnits"},
             {"invocations", std::move(invocations)},
             {"results", std::move(results)}};
  llvm::json::Value document = Object{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                                      {"version", "2.1.0"},
                                      {"runs", Array{std::move(run)}}};
  os << llvm::formatv("{0:2}", document) << '\n';
}

}  // namespace affirm::driver
