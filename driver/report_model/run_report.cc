#include "driver/report_model/run_report.h"

#include <map>

#include "driver/exit_status.h"
#include "driver/json_text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

namespace affirm::driver {

const char* Name(BaselineState state) {
  switch (state) {
    case BaselineState::kNew:
      return "new";
    case BaselineState::kKnown:
      return "known";
    case BaselineState::kVanished:
      return "vanished";
    case BaselineState::kNoBaseline:
      break;
  }
  return "";
}

namespace {

bool IsOpen(const RunReport& report, const ReportRecord& record) {
  return report.IsFinding(record) && record.state != BaselineState::kKnown &&
         record.state != BaselineState::kVanished;
}

}  // namespace

RunReport GivenUpReport(const std::string& verb, const std::string& file, const std::string& why) {
  ReportRecord record;
  record.claim = "limits";
  record.where.file = file;
  record.scope = record.subject = file;
  record.text = "given up: " + why;
  RunReport report;
  report.verb = verb;
  report.file = report.headline = file;
  report.records.push_back(std::move(record));
  report.verdict = Name(Verdict::kUnknown);
  report.verdict_line = report.verdict + " (" + why + ")";
  return report;
}

RunReport BadInputReport(const std::string& verb, const std::string& file, std::string error) {
  RunReport report{.verb = verb,
                   .file = file,
                   .headline = file,
                   .verdict = "bad input",
                   .verdict_line = "bad input",
                   .bad_input = true};
  SourceRegion where = TakeSourceRegion(file, error);
  report.records.push_back({.claim = kRead,
                            .where = std::move(where),
                            .scope = file,
                            .subject = file,
                            .title = "BAD INPUT",
                            .text = std::move(error)});
  return report;
}

std::string ReportRecord::Title() const {
  return title.empty() ? llvm::StringRef(Name(verdict)).upper() : title;
}

const char* ReportRecord::VerdictName() const { return is_claimed ? Name(verdict) : "no claim"; }

const ReportRecord* RunReport::Worst() const {
  const ReportRecord* worst = nullptr;
  for (const ReportRecord& record : records) {
    if (!IsOpen(*this, record)) continue;
    if (worst == nullptr || record.verdict < worst->verdict) worst = &record;
  }
  return worst;
}

int64_t RunReport::Count(Verdict verdict) const {
  return llvm::count_if(records, [&](const ReportRecord& record) {
    return record.is_claimed && record.verdict == verdict &&
           record.state != BaselineState::kVanished;
  });
}

int RunReport::status() const { return bad_input ? kBadInput : StatusOf(outcome, accepted); }

Verdict OutcomeOf(const RunReport& report) {
  const ReportRecord* worst = report.Worst();
  return worst == nullptr ? Verdict::kProved : worst->verdict;
}

int StatusOf(llvm::ArrayRef<RunReport> reports) {
  int status = kSuccess;
  for (const RunReport& report : reports) status = Worse(status, report.status());
  return status;
}

namespace {

// A sentence without what changes from run to run: places and numbers, but not those of names,
// which stand in quotes.
std::string WithoutNumbers(llvm::StringRef text) {
  std::string kept;
  bool in_quotes = false, in_number = false;
  for (char c : text.take_until([](char c) { return c == '\n'; })) {
    if (c == '\'') in_quotes = !in_quotes;
    const bool digit = llvm::isDigit(c) && !in_quotes;
    if (digit && !in_number) kept += '0';
    if (!digit) kept += c;
    in_number = digit;
  }
  return kept;
}

std::string FingerprintOf(const RunReport& report, const ReportRecord& record) {
  std::string key;
  for (const std::string& part :
       {report.verb, FileOf(report, record), std::string(Name(record.verdict)), record.claim,
        record.scope, record.subject, record.aspect}) {
    key += JsonText(part) + '\0';
  }
  if (!report.asked.empty()) key += JsonText(report.asked) + '\0';
  // Without a name of its subject, a record is identified by its sentence. Faults of a schedule
  // have no name, and records of coverage only the name for --assume, which many of them share.
  const bool is_named = !record.subject.empty() || !record.aspect.empty();
  const bool is_of_many = record.claim == "schedule" || record.claim == "coverage";
  if (!is_named || is_of_many) key += WithoutNumbers(JsonText(record.text));
  return llvm::utohexstr(llvm::xxh3_64bits(key), /*LowerCase=*/true, 16);
}

}  // namespace

std::string FileOf(const RunReport& report, const ReportRecord& record) {
  // A dump lies anywhere, and its files have numbers: the names of its modules say what is what.
  if (report.verb == "xla") return "";
  // The file of a random input is the one that it was written to.
  if (report.verb == "fuzz") return report.file;
  return record.where.file.empty() ? report.file : record.where.file;
}

std::vector<std::string> FingerprintsOf(const RunReport& report) {
  std::map<std::string, int64_t> seen;
  std::vector<std::string> fingerprints;
  for (const ReportRecord& record : report.records) {
    std::string fingerprint = FingerprintOf(report, record);
    const int64_t number = ++seen[fingerprint];
    if (number > 1) fingerprint += "-" + std::to_string(number);
    fingerprints.push_back(std::move(fingerprint));
  }
  return fingerprints;
}

std::string Counts::VerdictsOf(llvm::StringRef prefix) const {
  std::vector<std::string> parts;
  for (Verdict verdict :
       {Verdict::kProved, Verdict::kExecuted, Verdict::kUnknown, Verdict::kRefuted}) {
    const int64_t number = (*this)[(prefix + Name(verdict)).str()];
    if (number > 0) parts.push_back(std::to_string(number) + " " + Name(verdict));
  }
  return llvm::join(parts, ", ");
}

llvm::json::Object Counts::ToJson() const {
  llvm::json::Object json;
  for (const auto& [name, number] : numbers_) json[name] = number;
  return json;
}

Counts Counts::From(const llvm::json::Object* json) {
  Counts counts;
  if (json == nullptr) return counts;
  for (const auto& [name, number] : *json) counts.Add(name, number.getAsInteger().value_or(0));
  return counts;
}

SourceRegion TakeSourceRegion(llvm::StringRef file, std::string& text) {
  llvm::StringRef rest = text;
  SourceRegion region{file.str()};
  // Sentences that came through JSON have no bytes in them that are no UTF-8.
  const bool begins = rest.consume_front(file) || rest.consume_front(JsonText(file));
  if (!begins || !rest.consume_front(":")) return region;
  int64_t line = 0, column = 0;
  if (rest.consumeInteger(10, line) || !rest.consume_front(":")) return region;
  if (rest.consumeInteger(10, column) || !rest.consume_front(": ")) return region;
  region.line = line;
  region.column = column;
  text = rest.str();
  return region;
}

}  // namespace affirm::driver
