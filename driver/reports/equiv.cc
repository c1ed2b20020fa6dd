// The questions of `affirm equiv` about a pair of maps, and the lines in which it answers.
#include "driver/reports/equiv.h"

#include <utility>

#include "core/symbolic/error.h"
#include "driver/certificates.h"
#include "driver/exit_status.h"
#include "driver/json_text.h"
#include "driver/output.h"
#include "verify/prover/certify_maps.h"

namespace affirm::driver {

MapProofResult EquivQuery::Ask(const IndexingMap& a, const IndexingMap& b) const {
  return relation == "covers" ? ProveSuperset(a, b, decide) : ProveEqual(a, b, decide);
}

const char* EquivQuery::VerdictName(Verdict verdict) const {
  const bool covers = verdict == Verdict::kProved && relation == "covers";
  return covers ? "covers" : EqualityName(verdict);
}

llvm::Error CheckSamePoints(const IndexingMap& a, const IndexingMap& b, const llvm::Twine& where) {
  auto is_normal = [](const IndexingMap& map) {
    return map.state() == IndexingMap::State::kNormal;
  };
  if (!is_normal(a) || !is_normal(b)) return llvm::Error::success();
  auto compare = [&](size_t first, size_t second, const char* what) -> llvm::Error {
    if (first == second) return llvm::Error::success();
    return MakeError(where + ": error: the first map has " + llvm::Twine(first) + " " + what +
                     " and the second " + llvm::Twine(second) + ", expected maps of the same ones");
  };
  if (llvm::Error error = compare(a.dims().size(), b.dims().size(), "dimensions")) return error;
  return compare(a.runtime().size(), b.runtime().size(), "runtime variables");
}

llvm::Error WriteCertificate(const EquivQuery& query, llvm::StringRef name,
                             const MapProofResult& answer, const IndexingMap& a,
                             const IndexingMap& b) {
  if (query.certificates.empty() || answer.verdict != Verdict::kProved)
    return llvm::Error::success();
  return WriteCertificate(query.certificates, name,
                          query.relation == "covers" ? CertifyCovers(a, b) : CertifyEqual(a, b));
}

std::string AnswerLine(const llvm::json::Value& id, const EquivQuery& query,
                       const MapProofResult& answer, int64_t line, llvm::StringRef reading) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("id", id);
    json.attribute("verdict", query.VerdictName(answer.verdict));
    if (!reading.empty()) json.attribute("reading", reading);
    if (answer.counterexample) {
      json.attributeObject("counterexample",
                           [&] { WriteCounterexample(json, *answer.counterexample); });
    }
    if (answer.verdict == Verdict::kUnknown) json.attribute("reason", JsonText(answer.reason));
    json.attribute("engine", Name(answer.engine));
    WriteFixed(json, "ms", answer.ms, 3);
    if (line > 0) json.attribute("line", line);
  });
  return text + "\n";
}

std::string ErrorLine(const llvm::json::Value& id, llvm::StringRef message, int64_t line) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("id", id);
    json.attribute("error", JsonText(message));
    if (line > 0) json.attribute("line", line);
  });
  return text + "\n";
}

ReportRecord RecordOf(const std::string& claim, const MapProofResult& answer,
                      const IndexingMap& lhs, const std::string& subject, SourceRegion where) {
  ReportRecord record{.verdict = answer.verdict,
                      .claim = claim,
                      .where = std::move(where),
                      .subject = subject,
                      .text = answer.reason,
                      .engine = Name(answer.engine),
                      .ms = answer.ms};
  if (answer.counterexample) record.text = answer.counterexample->ToString(lhs);
  return record;
}

RunReport ReportOfPairs(const EquivQuery& query, const std::string& file,
                        std::vector<ReportRecord> records) {
  RunReport report{.verb = "equiv",
                   .file = file,
                   .headline = file + ": " + std::to_string(records.size()) + " pairs of maps",
                   .records = std::move(records)};
  auto count = [&](Verdict verdict) { return std::to_string(report.Count(verdict)); };
  double ms = 0;
  for (const ReportRecord& record : report.records) ms += record.ms;
  report.coverage.push_back({"maps",
                             "relation " + query.relation + ": " + count(Verdict::kProved) +
                                 " proved, " + count(Verdict::kRefuted) + " refuted, " +
                                 count(Verdict::kUnknown) + " unknown",
                             ms});
  report.outcome = OutcomeOf(report);
  report.verdict = query.VerdictName(report.outcome);
  report.verdict_line = report.verdict;
  return report;
}

}  // namespace affirm::driver
