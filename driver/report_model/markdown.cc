// Reports as Markdown that can be pasted into an issue.
#include <map>

#include "driver/json_text.h"
#include "driver/report_model/escape.h"
#include "driver/report_model/run_report.h"

namespace affirm::driver {
namespace {

constexpr size_t kMostMarkdownFindings = 50;  // written out; an issue has a limit
constexpr size_t kMostMarkdownText = 4000;    // bytes of the text of one

std::string ShortenedFinding(llvm::StringRef text) {
  return text.size() <= kMostMarkdownText ? text.str()
                                          : text.take_front(kMostMarkdownText).str() + " ...";
}

std::string MarkdownPlace(const SourceRegion& where) {
  if (where.file.empty()) return "";
  std::string place = where.file;
  if (where.line > 0) place += ":" + std::to_string(where.line);
  if (where.line > 0 && where.column > 0) place += ":" + std::to_string(where.column);
  return place;
}

void MarkdownFinding(const ReportRecord& record, llvm::raw_ostream& os) {
  os << "\n### " << record.Title() << ": " << record.claim;
  if (!record.subject.empty()) os << " of " << MarkdownCode(record.subject);
  os << "\n\n";
  if (record.state != BaselineState::kNoBaseline) os << "*" << Name(record.state) << "*. ";
  os << TextOfClaim(record.claim).str();
  if (const std::string place = MarkdownPlace(record.where); !place.empty())
    os << " At " << MarkdownCode(place) << ".";
  if (record.count > 1) os << " " << record.count << " times.";
  os << "\n\n";
  std::string text = record.text;
  for (const std::string& line : record.details) text += "\n  " + line;
  os << MarkdownBlock(ShortenedFinding(text));
  if (!record.element.empty() || !record.expected.empty()) {
    os << "\n| element | expected | actual |\n|---|---|---|\n| " << MarkdownCode(record.element)
       << " | " << MarkdownCode(record.expected) << " | " << MarkdownCode(record.actual) << " |\n";
  }
  if (!record.replay.empty()) os << "\nTo see it again:\n\n" << MarkdownBlock(record.replay, "sh");
}

// How many claims of each kind hold, and how.
void MarkdownHolding(const RunReport& report, llvm::raw_ostream& os) {
  struct Counts {
    int64_t proved = 0, executed = 0;
  };
  std::map<std::string, Counts> counts;
  for (const ReportRecord& record : report.records) {
    if (record.verdict == Verdict::kProved) ++counts[record.claim].proved;
    if (record.verdict == Verdict::kExecuted) ++counts[record.claim].executed;
  }
  if (counts.empty()) return;
  os << "\n<details><summary>What holds</summary>\n\n| claim | proved | executed "
        "|\n|---|---|---|\n";
  for (const auto& [claim, of] : counts) {
    os << "| " << claim << ": " << TextOfClaim(claim).str() << " | " << of.proved << " | "
       << of.executed << " |\n";
  }
  os << "\n</details>\n";
}

}  // namespace

void RenderMarkdown(llvm::ArrayRef<RunReport> reports, llvm::raw_ostream& os) {
  bool first = true;
  for (const RunReport& report : reports) {
    os << (first ? "" : "\n") << "# affirm " << report.verb << " " << MarkdownCode(report.file)
       << "\n\n"
       << MarkdownBlock(report.headline + "\nverdict: " + ShortenedFinding(report.verdict_line))
       << "\n";
    first = false;
    os << "| covered | | ms |\n|---|---|---|\n";
    for (const CoverageRow& row : report.coverage) {
      os << "| " << MarkdownCode(row.name) << " | " << MarkdownCode(row.text) << " | "
         << (row.ms ? Fixed(*row.ms, 1) : "") << " |\n";
    }
    for (const ReportNote& note : report.notes)
      os << "| " << MarkdownCode(note.title) << " | " << MarkdownCode(ShortenedFinding(note.text))
         << " | |\n";
    size_t findings = 0;
    // Refuted records come before unknown ones, so that they are not left out.
    for (Verdict verdict : {Verdict::kRefuted, Verdict::kUnknown, Verdict::kExecuted}) {
      for (const ReportRecord& record : report.records) {
        if (record.verdict != verdict || !report.IsFinding(record)) continue;
        if (findings++ == 0) os << "\n## Findings\n";
        if (findings <= kMostMarkdownFindings) MarkdownFinding(record, os);
      }
    }
    if (findings > kMostMarkdownFindings)
      os << "\nAnd " << findings - kMostMarkdownFindings << " more; `--format json` has all.\n";
    MarkdownHolding(report, os);
  }
}

}  // namespace affirm::driver
