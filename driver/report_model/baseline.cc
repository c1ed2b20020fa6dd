#include "driver/report_model/baseline.h"

#include "core/symbolic/bounded_json.h"
#include "core/symbolic/error.h"
#include "driver/json_text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace affirm::driver {

llvm::Expected<Baseline> Baseline::Read(llvm::StringRef text, llvm::StringRef name) {
  auto fail = [&](llvm::Error error) {
    return MakeError(name + ":1:1: error: is no baseline: " + llvm::toString(std::move(error)));
  };
  auto json = ParseJson(text);
  if (!json) return fail(json.takeError());
  const llvm::json::Object* object = json->getAsObject();
  if (object == nullptr) return fail(MakeError("expected a JSON object with \"reports\""));
  auto reports = ReportsFrom(*object);
  if (!reports) return fail(reports.takeError());
  Baseline baseline;
  baseline.name_ = name.str();
  for (const RunReport& report : *reports) {
    for (auto [record, fingerprint] : llvm::zip(report.records, FingerprintsOf(report))) {
      if (!report.IsFinding(record) || record.state == BaselineState::kVanished) continue;
      if (record.claim == kRead) continue;
      baseline.known_.emplace(
          fingerprint,
          Known{record, report.verb, JsonText(FileOf(report, record)), JsonText(report.asked)});
    }
  }
  return baseline;
}

void Baseline::Apply(RunReport& report) {
  // An error of the verb itself, and an unknown that no record explains, stay.
  const bool explained = OutcomeOf(report) == report.outcome;
  int64_t fresh = 0, known = 0;
  const std::string asked = JsonText(report.asked);
  looked_at_.emplace(report.verb, report.verb == "xla" ? "" : JsonText(report.file), asked);
  const std::vector<std::string> fingerprints = FingerprintsOf(report);
  for (auto [record, fingerprint] : llvm::zip(report.records, fingerprints)) {
    looked_at_.emplace(report.verb, JsonText(FileOf(report, record)), asked);
    if (!report.IsFinding(record)) continue;
    auto [begin, end] = known_.equal_range(fingerprint);
    auto met = std::find_if(begin, end, [](const auto& entry) { return !entry.second.is_met; });
    record.state = met == end ? BaselineState::kNew : BaselineState::kKnown;
    ++(met == end ? fresh : known);
    if (met != end) met->second.is_met = true;
  }
  if (explained) report.outcome = OutcomeOf(report);
  report.verdict_line += "; against " + name_ + ": " + std::to_string(fresh) + " new, " +
                         std::to_string(known) + " known";
}

void Baseline::AddVanished(RunReport& last) {
  int64_t vanished = 0;
  for (const auto& [fingerprint, known] : known_) {
    if (known.is_met || !looked_at_.contains({known.verb, known.file, known.asked})) continue;
    last.records.push_back(known.record);
    last.records.back().state = BaselineState::kVanished;
    ++vanished;
  }
  if (vanished > 0) last.verdict_line += ", " + std::to_string(vanished) + " vanished";
}

std::string BaselineText(llvm::ArrayRef<RunReport> reports) {
  llvm::json::Array array;
  for (RunReport report : reports) {
    llvm::erase_if(report.records, [&](const ReportRecord& record) {
      return !report.IsFinding(record) || record.state == BaselineState::kVanished;
    });
    // Omits data that differ from run to run.
    for (ReportRecord& record : report.records) {
      record.state = BaselineState::kNoBaseline;
      record.ms = 0;
    }
    report.coverage.clear();
    report.notes.clear();
    report.verdict_line = report.verdict;
    array.push_back(ToJson(report));
  }
  return llvm::formatv("{0:1}",
                       llvm::json::Value(llvm::json::Object{{"reports", std::move(array)}}))
             .str() +
         "\n";
}

}  // namespace affirm::driver
