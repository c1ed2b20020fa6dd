#include "tools/affirm/report_options.h"

#include <cstdlib>

#include "core/symbolic/error.h"
#include "driver/first_error.h"
#include "driver/output.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "tools/affirm/cli.h"

namespace affirm::cli {
namespace {

using driver::RunReport;

// The formats that are rendered from reports alone.
using Renderer = void (*)(llvm::ArrayRef<RunReport>, llvm::raw_ostream&);

void RenderJson(llvm::ArrayRef<RunReport> reports, llvm::raw_ostream& os) {
  llvm::json::OStream json(os, 1);
  json.object([&] { driver::WriteReports(reports, json); });
  os << "\n";
}

void RenderText(llvm::ArrayRef<RunReport> reports, llvm::raw_ostream& os) {
  for (const RunReport& report : reports) driver::PrintRecords(report, os);
}

struct Format {
  const char* name;
  const char* extensions[2];
  Renderer render;
};
constexpr Format kFormats[] = {{"text", {".txt", ".log"}, RenderText},
                               {"json", {".json", ".json"}, RenderJson},
                               {"markdown", {".md", ".markdown"}, driver::RenderMarkdown},
                               {"sarif", {".sarif", ".sarif"}, driver::RenderSarif},
                               {"junit", {".xml", ".xml"}, driver::RenderJunit},
                               {"html", {".html", ".htm"}, driver::RenderHtml}};

Renderer RendererOf(llvm::StringRef file) {
  const llvm::StringRef extension = llvm::sys::path::extension(file);
  for (const Format& format : kFormats) {
    if (extension == format.extensions[0] || extension == format.extensions[1])
      return format.render;
  }
  return nullptr;
}

// Prints findings of a baseline that this run has not, at most a few lines.
void PrintVanished(llvm::ArrayRef<driver::ReportRecord> records) {
  constexpr size_t kMostVanished = 5;
  for (const driver::ReportRecord& record : records.take_front(kMostVanished)) {
    llvm::outs() << "vanished: " << record.Title() << " " << record.claim << ": "
                 << llvm::StringRef(record.text).split('\n').first << "\n";
  }
  if (records.size() > kMostVanished)
    llvm::outs() << "and " << records.size() - kMostVanished << " more have vanished\n";
}

}  // namespace

void ReportFlags::AddTo(Verb& verb) {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  verb.Option("--format", format_, "Of the report").OneOf(names).ShowDefault();
  verb.Flag("--json", json_, "The same as --format json");
  verb.Option(
          "--report", files_,
          "Also write the report to this file, in the format of its ending: .json, .md, .sarif, "
          ".xml (JUnit), .html, .txt; may be given several times")
      .Repeated();
  verb.Option("--baseline", baseline_file_,
              "Findings that are known (a file of --write-baseline, or a report of --format json) "
              "stand: the exit status is that of new ones (docs/reports.md)");
  verb.Option(
          "--accept", accept_,
          "The weakest verdict that exits with 0: executed takes values that were only executed "
          "without a difference on trust, and the verdict line says so")
      .OneOf({Name(Verdict::kProved), Name(Verdict::kExecuted)})
      .ShowDefault();
  verb.Option("--write-baseline", new_baseline_, "Write the findings to this file, as known ones");
  verb.Count("-v,--verbose", verbosity_,
             "Print every row, not a summary; -vv: everything there is");
  verb.Option("--color", color_, "Color of the text: on a terminal, unless NO_COLOR is set")
      .OneOf({"auto", "always", "never"})
      .ShowDefault();
}

driver::ReportOutput ReportFlags::output() const {
  if (json()) return driver::ReportOutput::kJson;
  return text() ? driver::ReportOutput::kText : driver::ReportOutput::kNothing;
}

bool ReportFlags::wants_records() const {
  return output() == driver::ReportOutput::kNothing || !files_.empty() || has_baseline() ||
         !new_baseline_.empty();
}

bool ReportFlags::color() const {
  if (color_ != "auto") return color_ == "always";
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return llvm::sys::Process::StandardOutIsDisplayed() && (no_color == nullptr || *no_color == 0) &&
         terminal != nullptr && llvm::StringRef(terminal) != "dumb";
}

void ReportFlags::PrintText(const RunReport& report, llvm::raw_ostream& os) const {
  os.enable_colors(color());
  driver::PrintSummary(report, os);
}

llvm::Error ReportFlags::Begin() {
  printed_before_ = llvm::outs().tell();
  for (const std::string& file : files_) {
    if (RendererOf(file) == nullptr) {
      return MakeError("--report: '" + file +
                       "' has no known ending, expected .json, .md, .sarif, .xml, .html or .txt");
    }
    // Known before hours of work, and not when all is done.
    const llvm::StringRef folder = llvm::sys::path::parent_path(file);
    if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
      return MakeError("--report: cannot write '" + file + "': there is no folder '" + folder +
                       "'");
  }
  if (baseline_file_.empty()) return llvm::Error::success();
  auto input = ReadInput(baseline_file_, "a baseline in JSON");
  if (!input) return input.takeError();
  auto baseline = driver::Baseline::Read(input->text, input->name);
  if (!baseline) return baseline.takeError();
  baseline_ = std::move(*baseline);
  return llvm::Error::success();
}

void ReportFlags::Compare(RunReport& report) {
  if (accept_ == Name(Verdict::kExecuted) && report.accepted > Verdict::kExecuted) {
    report.accepted = Verdict::kExecuted;
    if (report.outcome == Verdict::kExecuted) report.verdict_line += ", accepted as executed";
  }
  if (baseline_) baseline_->Apply(report);
}

int ReportFlags::Complete(const std::string& verb, int status) {
  if (status != kBadInput || is_finished_) return status;
  const std::string message = driver::FirstReported();
  const std::string file = driver::FileOfError(message);
  const RunReport report =
      driver::BadInputReport(verb, file.empty() ? "affirm " + verb : file, message);
  // Behind lines that were answered nothing else is a document.
  const bool is_first = llvm::outs().tell() == printed_before_;
  for (const Format& format : kFormats) {
    const bool is_asked = json() ? format.render == RenderJson : format_ == format.name;
    if (!text() && is_asked && is_first) format.render(report, llvm::outs());
  }
  for (const std::string& name : files_) {
    const Renderer render = RendererOf(name);
    if (render == nullptr) continue;  // was reported
    std::string content;
    llvm::raw_string_ostream os(content);
    os.enable_colors(false);
    render(report, os);
    if (std::error_code code = driver::WriteTextFile(name, content))
      Report(MakeError("--report: cannot write '" + name + "': " + code.message()));
  }
  return status;
}

int ReportFlags::Finish(std::vector<RunReport> reports) {
  is_finished_ = true;
  if (baseline_ && !reports.empty()) {
    const size_t before = reports.back().records.size();
    baseline_->AddVanished(reports.back());
    if (text()) PrintVanished(llvm::ArrayRef(reports.back().records).drop_front(before));
  }
  for (const Format& format : kFormats) {
    if (!text() && !json() && format_ == format.name) format.render(reports, llvm::outs());
  }
  int status = driver::StatusOf(reports);
  auto write = [&](const std::string& option, const std::string& file, const std::string& content) {
    if (std::error_code code = driver::WriteTextFile(file, content)) {
      status = Worse(
          status, Report(MakeError(option + ": cannot write '" + file + "': " + code.message())));
    }
  };
  for (const std::string& file : files_) {
    std::string content;
    llvm::raw_string_ostream os(content);
    os.enable_colors(false);
    RendererOf(file)(reports, os);
    write("--report", file, content);
  }
  if (!new_baseline_.empty())
    write("--write-baseline", new_baseline_, driver::BaselineText(reports));
  return status;
}

int ReportFlags::Print(std::vector<RunReport> reports,
                       const std::function<void(llvm::raw_ostream&)>& details,
                       const std::function<void(llvm::json::OStream&)>& attributes) {
  for (RunReport& report : reports) Compare(report);
  if (text() && verbosity_ > 0) {
    llvm::outs().enable_colors(color());
    details(llvm::outs());
    if (baseline_) {
      for (const RunReport& report : reports) driver::PrintVerdictLine(report, llvm::outs());
    }
  } else if (text()) {
    for (const RunReport& report : reports) PrintText(report, llvm::outs());
  } else if (json()) {
    llvm::json::OStream stream(llvm::outs());
    stream.object([&] {
      attributes(stream);
      driver::WriteReports(reports, stream);
    });
    llvm::outs() << "\n";
  }
  return Finish(std::move(reports));
}

}  // namespace affirm::cli
