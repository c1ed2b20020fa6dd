// Reports as JSON and back.
#include "core/symbolic/error.h"
#include "driver/json_text.h"
#include "driver/report_model/run_report.h"

namespace affirm::driver {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

void PutText(Object& object, llvm::StringRef key, const std::string& text) {
  if (!text.empty()) object[key] = JsonText(text);
}

std::string TakeText(const Object& object, llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

// With few digits, enough to read.
Value Milliseconds(double ms) {
  return static_cast<double>(static_cast<int64_t>(ms * 1000)) / 1000;
}

Object ToJson(const ReportRecord& record, const std::string& fingerprint) {
  Object object{{"verdict", Name(record.verdict)}, {"claim", JsonText(record.claim)}};
  PutText(object, "file", record.where.file);
  if (record.where.line > 0) object["line"] = record.where.line;
  if (record.where.column > 0) object["column"] = record.where.column;
  PutText(object, "scope", record.scope);
  PutText(object, "subject", record.subject);
  PutText(object, "aspect", record.aspect);
  PutText(object, "title", record.title);
  PutText(object, "text", record.text);
  if (!record.details.empty()) {
    Array details;
    for (const std::string& line : record.details) details.push_back(JsonText(line));
    object["details"] = std::move(details);
  }
  PutText(object, "element", record.element);
  PutText(object, "expected", record.expected);
  PutText(object, "actual", record.actual);
  PutText(object, "engine", record.engine);
  object["ms"] = Milliseconds(record.ms);
  PutText(object, "replay", record.replay);
  if (record.count > 1) object["count"] = record.count;
  if (!record.is_claimed) object["claimed"] = false;
  if (!fingerprint.empty()) object["fingerprint"] = fingerprint;
  PutText(object, "state", Name(record.state));
  return object;
}

llvm::Expected<ReportRecord> ReportRecordFrom(const Value& value) {
  const Object* object = value.getAsObject();
  const auto verdict =
      object ? VerdictFromName(object->getString("verdict").value_or("")) : std::nullopt;
  if (!verdict || !object->getString("claim"))
    return MakeError("expected a record with its verdict and its claim");
  ReportRecord record{.verdict = *verdict,
                      .claim = TakeText(*object, "claim"),
                      .where = {.file = TakeText(*object, "file"),
                                .line = object->getInteger("line").value_or(0),
                                .column = object->getInteger("column").value_or(0)},
                      .scope = TakeText(*object, "scope"),
                      .subject = TakeText(*object, "subject"),
                      .aspect = TakeText(*object, "aspect"),
                      .title = TakeText(*object, "title"),
                      .text = TakeText(*object, "text"),
                      .element = TakeText(*object, "element"),
                      .expected = TakeText(*object, "expected"),
                      .actual = TakeText(*object, "actual"),
                      .engine = TakeText(*object, "engine"),
                      .ms = object->getNumber("ms").value_or(0),
                      .replay = TakeText(*object, "replay"),
                      .count = object->getInteger("count").value_or(1),
                      .is_claimed = object->getBoolean("claimed").value_or(true)};
  if (const Array* details = object->getArray("details")) {
    for (const Value& line : *details)
      record.details.push_back(line.getAsString().value_or("").str());
  }
  const std::string state = TakeText(*object, "state");
  for (BaselineState one : {BaselineState::kNew, BaselineState::kKnown, BaselineState::kVanished}) {
    if (state == Name(one)) record.state = one;
  }
  return record;
}

}  // namespace

Object ToJson(const RunReport& report) {
  Array coverage, notes, records;
  for (const CoverageRow& row : report.coverage) {
    Object object{{"name", JsonText(row.name)}, {"text", JsonText(row.text)}};
    if (row.ms) object["ms"] = Milliseconds(*row.ms);
    coverage.push_back(std::move(object));
  }
  for (const ReportNote& note : report.notes) {
    Object object{{"title", JsonText(note.title)}, {"text", JsonText(note.text)}};
    PutText(object, "scope", note.scope);
    notes.push_back(std::move(object));
  }
  const std::vector<std::string> fingerprints = FingerprintsOf(report);
  for (size_t k = 0; k < report.records.size(); ++k) {
    const ReportRecord& record = report.records[k];
    records.push_back(ToJson(record, report.IsFinding(record) ? fingerprints[k] : ""));
  }
  Object json{{"verb", report.verb},
              {"file", JsonText(report.file)},
              {"headline", JsonText(report.headline)},
              {"coverage", std::move(coverage)},
              {"notes", std::move(notes)},
              {"records", std::move(records)},
              {"verdict", JsonText(report.verdict)},
              {"verdict_line", JsonText(report.verdict_line)},
              {"outcome", Name(report.outcome)},
              {"accepted", Name(report.accepted)},
              {"status", report.status()}};
  PutText(json, "asked", report.asked);
  if (report.bad_input) json["bad_input"] = true;
  return json;
}

llvm::Expected<RunReport> RunReportFrom(const Object& json) {
  const Array* records = json.getArray("records");
  const auto outcome = VerdictFromName(json.getString("outcome").value_or(""));
  const auto accepted = VerdictFromName(json.getString("accepted").value_or(""));
  if (!json.getString("verb") || records == nullptr || !outcome || !accepted)
    return MakeError("expected a report with \"verb\", \"records\", \"outcome\" and \"accepted\"");
  RunReport report{.verb = TakeText(json, "verb"),
                   .file = TakeText(json, "file"),
                   .asked = TakeText(json, "asked"),
                   .headline = TakeText(json, "headline"),
                   .verdict = TakeText(json, "verdict"),
                   .verdict_line = TakeText(json, "verdict_line"),
                   .outcome = *outcome,
                   .accepted = *accepted,
                   .bad_input = json.getBoolean("bad_input").value_or(false)};
  for (const Value& value : *records) {
    auto record = ReportRecordFrom(value);
    if (!record) return record.takeError();
    report.records.push_back(std::move(*record));
  }
  if (const Array* coverage = json.getArray("coverage")) {
    for (const Value& value : *coverage) {
      const Object* row = value.getAsObject();
      if (row == nullptr) return MakeError("expected a row of what was covered");
      report.coverage.push_back(
          {TakeText(*row, "name"), TakeText(*row, "text"), row->getNumber("ms")});
    }
  }
  if (const Array* notes = json.getArray("notes")) {
    for (const Value& value : *notes) {
      const Object* note = value.getAsObject();
      if (note == nullptr) return MakeError("expected a note");
      report.notes.push_back(
          {TakeText(*note, "title"), TakeText(*note, "text"), TakeText(*note, "scope")});
    }
  }
  return report;
}

void WriteReports(llvm::ArrayRef<RunReport> reports, llvm::json::OStream& json) {
  json.attributeArray("reports", [&] {
    for (const RunReport& report : reports) json.value(ToJson(report));
  });
}

llvm::Expected<std::vector<RunReport>> ReportsFrom(const Object& document) {
  const Array* array = document.getArray("reports");
  if (array == nullptr) return MakeError("expected \"reports\", as `--format json` prints them");
  std::vector<RunReport> reports;
  for (const Value& value : *array) {
    const Object* object = value.getAsObject();
    if (object == nullptr) return MakeError("expected a report");
    auto report = RunReportFrom(*object);
    if (!report) return report.takeError();
    reports.push_back(std::move(*report));
  }
  return reports;
}

}  // namespace affirm::driver
