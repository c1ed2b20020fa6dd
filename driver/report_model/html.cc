// Reports as one page of HTML that needs nothing else: no script, no network.
#include "driver/build_facts.h"
#include "driver/json_text.h"
#include "driver/report_model/escape.h"
#include "driver/report_model/run_report.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {
namespace {

constexpr llvm::StringLiteral kHtmlHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; --line: #8884; --refuted: #b3261e; --unknown: #8a6100; --proved: #146c2e; }
@media (prefers-color-scheme: dark) { :root { --refuted: #ff8a80; --unknown: #ffcf66; --proved: #7ee2a8; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.ms, th.ms { text-align: right; font-variant-numeric: tabular-nums; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: .6rem; border-radius: .3rem; }
article { border-left: .25rem solid var(--line); padding-left: 1rem; margin: 1.5rem 0; }
article.refuted { border-color: var(--refuted); } article.unknown { border-color: var(--unknown); }
.refuted > .verdict { color: var(--refuted); } .unknown > .verdict { color: var(--unknown); }
.proved > .verdict, .executed > .verdict { color: var(--proved); }
.verdict { font-weight: 600; overflow-wrap: anywhere; }
</style>
)";

std::string HtmlPlace(const RunReport& report, const ReportRecord& record) {
  std::string place = record.where.file.empty() ? report.file : record.where.file;
  if (record.where.line > 0) place += ":" + std::to_string(record.where.line);
  if (record.where.line > 0 && record.where.column > 0)
    place += ":" + std::to_string(record.where.column);
  return place;
}

void HtmlFinding(const RunReport& report, const ReportRecord& record, llvm::raw_ostream& os) {
  os << "<article class=\"" << Name(record.verdict) << "\">\n<h3 class=\"verdict\">";
  if (record.state != BaselineState::kNoBaseline) os << Name(record.state) << ": ";
  os << XmlText(record.Title()) << ": " << XmlText(record.claim);
  if (!record.subject.empty()) os << " of <code>" << XmlText(record.subject) << "</code>";
  os << "</h3>\n<p>" << XmlText(TextOfClaim(record.claim)) << " <code>"
     << XmlText(HtmlPlace(report, record)) << "</code>";
  if (record.count > 1) os << ", " << record.count << " times";
  std::string text = record.text;
  for (const std::string& line : record.details) text += "\n  " + line;
  os << "</p>\n<pre>" << XmlText(text) << "</pre>\n";
  if (!record.element.empty() || !record.expected.empty()) {
    os << "<table><tr><th>element</th><th>expected</th><th>actual</th></tr>\n<tr><td><code>"
       << XmlText(record.element) << "</code></td><td><code>" << XmlText(record.expected)
       << "</code></td><td><code>" << XmlText(record.actual) << "</code></td></tr></table>\n";
  }
  if (!record.replay.empty()) os << "<pre>$ " << XmlText(record.replay) << "</pre>\n";
  os << "</article>\n";
}

void HtmlCoverage(const RunReport& report, llvm::raw_ostream& os) {
  os << "<table><tr><th>covered</th><th></th><th class=\"ms\">ms</th></tr>\n";
  for (const CoverageRow& row : report.coverage) {
    os << "<tr><td>" << XmlText(row.name) << "</td><td>" << XmlText(row.text)
       << "</td><td class=\"ms\">" << (row.ms ? Fixed(*row.ms, 1) : "") << "</td></tr>\n";
  }
  for (const ReportNote& note : report.notes) {
    os << "<tr><td>" << XmlText(note.title) << "</td><td>" << XmlText(note.text)
       << "</td><td></td></tr>\n";
  }
  os << "</table>\n";
}

void HtmlHolding(const RunReport& report, llvm::raw_ostream& os) {
  int64_t holding = 0, unclaimed = 0;
  for (const ReportRecord& record : report.records) {
    if (!report.IsFinding(record)) ++(record.is_claimed ? holding : unclaimed);
  }
  if (holding + unclaimed == 0) return;
  os << "<details><summary>" << holding << " claims hold"
     << (unclaimed > 0 ? "; without a claim: " + std::to_string(unclaimed) : "")
     << "</summary>\n<table><tr><th>verdict</th><th>claim</th><th>of</th><th>in</th>"
        "<th>engine</th><th class=\"ms\">ms</th></tr>\n";
  for (const ReportRecord& record : report.records) {
    if (report.IsFinding(record)) continue;
    os << "<tr class=\"" << Name(record.verdict) << "\"><td class=\"verdict\">"
       << record.VerdictName() << "</td><td>" << XmlText(record.claim) << "</td><td><code>"
       << XmlText(record.subject) << "</code></td><td><code>" << XmlText(record.scope)
       << "</code></td><td>" << XmlText(record.engine) << "</td><td class=\"ms\">"
       << Fixed(record.ms, 1) << "</td></tr>\n";
  }
  os << "</table></details>\n";
}

}  // namespace

void RenderHtml(llvm::ArrayRef<RunReport> reports, llvm::raw_ostream& os) {
  const std::string facts = BuildFacts();
  os << kHtmlHead << "<title>affirm"
     << (reports.empty() ? "" : " " + XmlText(reports.front().verb + " " + reports.front().file))
     << "</title>\n</head>\n<body>\n<main>\n";
  for (const RunReport& report : reports) {
    os << "<section class=\"" << Name(report.outcome) << "\">\n<h1>affirm " << XmlText(report.verb)
       << " <code>" << XmlText(report.file) << "</code></h1>\n<p>" << XmlText(report.headline)
       << "</p>\n<p class=\"verdict\">verdict: " << XmlText(report.verdict_line) << "</p>\n";
    HtmlCoverage(report, os);
    bool any = false;
    for (Verdict verdict : {Verdict::kRefuted, Verdict::kUnknown, Verdict::kExecuted}) {
      for (const ReportRecord& record : report.records) {
        if (record.verdict != verdict || !report.IsFinding(record)) continue;
        if (!any) os << "<h2>Findings</h2>\n";
        any = true;
        HtmlFinding(report, record, os);
      }
    }
    HtmlHolding(report, os);
    os << "</section>\n";
  }
  os << "</main>\n<footer><p>" << XmlText(llvm::StringRef(facts).split('\n').first)
     << "</p></footer>\n</body>\n</html>\n";
}

}  // namespace affirm::driver
