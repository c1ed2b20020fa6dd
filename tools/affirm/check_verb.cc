// affirm check: the main job.
#include <functional>
#include <optional>

#include "core/hlo/text.h"
#include "core/symbolic/error.h"
#include "driver/check/bounded_sizes.h"
#include "driver/check/check.h"
#include "driver/check/elided_constants.h"
#include "driver/check/ledger_file.h"
#include "driver/check/random_states.h"
#include "driver/check/symbolic.h"
#include "driver/check/unused_calls.h"
#include "driver/parallel.h"
#include "driver/work_limits.h"
#include "driver/worker_process.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/limit_options.h"
#include "tools/affirm/meaning_options.h"
#include "tools/affirm/report_options.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  driver::SymbolicQuery symbolic;
  uint64_t seed = 0;
  std::string target = "emulator";
  ReportFlags report;
  unsigned jobs = 1;
  double time_limit = 60;
  std::string memory_limit;
  std::string ledger;
  std::string certificates;  // the folder for them; empty: none are written
  DecideFlags decide;
  MeaningFlags meanings;
};

// The outcome of one file: the records of each module, and the output of -v or JSON beside them.
struct ModuleOutcome {
  driver::RunReport report;
  std::string details;
};
struct FileReport {
  std::vector<ModuleOutcome> modules;
  std::string error;
};

std::string DetailsOf(const driver::ModuleReport& report, const ReportFlags& how) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (how.json()) {
    llvm::json::OStream stream(os, 1);
    driver::WriteReport(report, stream);
  } else if (how.text() && how.verbosity() > 0) {
    driver::PrintReport(report, os, how.verbosity() > 1);
  }
  return text;
}

class FileChecker {
 public:
  FileChecker(const Options& options, const calls::GivenMeanings& meanings,
              driver::Checker& checker, driver::LedgerFile* ledger)
      : options_(options), meanings_(meanings), checker_(checker), ledger_(ledger) {}

  // Hears of each module before it is checked.
  void OnModule(std::function<void()> begin) { begin_module_ = std::move(begin); }

  FileReport Check(const std::string& file, llvm::function_ref<void(llvm::StringRef)> progress) {
    FileReport report;
    if (llvm::Error error = CheckModules(file, progress, report))
      report.error = llvm::toString(std::move(error));
    return report;
  }

 private:
  llvm::Error CheckModules(const std::string& file,
                           llvm::function_ref<void(llvm::StringRef)> progress, FileReport& all) {
    driver::SpentHere spent;
    auto input = ReadInput(file, "an HLO module");
    if (!input) return input.takeError();
    auto modules = driver::ModulesOf(*input);
    if (!modules) return modules.takeError();
    for (auto [number, module] : llvm::enumerate(*modules)) {
      begin_module_();
      if (llvm::Error error = calls::ExpandCustomCalls(*module, input->name, meanings_))
        return driver::WithSourceLine(std::move(error), input->text);
      driver::DropUnusedCalls(*module);
      const int64_t random_states = driver::MakeStatesParameters(*module);
      const std::optional<int64_t> sizes = driver::TakeSizesAtTheirBounds(*module);
      const int64_t made_constants = driver::GiveValuesToElidedConstants(*module, options_.seed);
      std::unique_ptr<driver::UnitLedger> of_module;
      if (ledger_ != nullptr) {
        // Other files may give the meaning of a call: it counts as part of the text.
        const std::string text = input->text + hlo::ToString(*module);
        auto found = ledger_->Of(file, static_cast<int64_t>(number), text);
        if (!found) return found.takeError();
        of_module = std::move(*found);
      }
      const auto certificates =
          driver::CertificatesOf(options_.certificates, file, number, sizes ? "" : input->text);
      auto report = checker_.Check(*module, input->name, progress, of_module.get(), spent,
                                   certificates.get());
      spent = {};
      if (!report) return report.takeError();
      report->made_constants = made_constants;
      report->random_states = random_states;
      report->sizes_at_bounds = sizes.has_value();
      report->sizes_as_arguments = sizes.value_or(0);
      driver::RunReport run = driver::ToRunReport(*report);
      run.asked = checker_.options().asked;
      all.modules.push_back({std::move(run), DetailsOf(*report, options_.report)});
    }
    return llvm::Error::success();
  }

  const Options& options_;
  const calls::GivenMeanings& meanings_;
  driver::Checker& checker_;
  driver::LedgerFile* ledger_;
  std::function<void()> begin_module_ = [] {};
};

template <typename Change>
void ChangeTexts(driver::RunReport& report, const Change& change) {
  change(report.file);
  change(report.headline);
  change(report.verdict_line);
  for (driver::CoverageRow& row : report.coverage) {
    change(row.name);
    change(row.text);
  }
  for (driver::ReportNote& note : report.notes)
    for (std::string* text : {&note.title, &note.text, &note.scope}) change(*text);
  for (driver::ReportRecord& record : report.records) {
    for (std::string* text : {&record.where.file, &record.scope, &record.subject, &record.aspect,
                              &record.title, &record.text, &record.element, &record.expected,
                              &record.actual, &record.engine, &record.replay}) {
      change(*text);
    }
    for (std::string& line : record.details) change(line);
  }
}

// JSON holds no bytes that are no UTF-8, as names of files may have them: between processes each
// byte of a text is the character of its number.
void BytesToCharacters(std::string& text) {
  std::string characters;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) characters += static_cast<char>(0xC0 | byte >> 6);
    characters += static_cast<char>(byte >= 0x80 ? 0x80 | (byte & 0x3F) : byte);
  }
  text = std::move(characters);
}

void CharactersToBytes(std::string& text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    const bool is_pair = first >= 0x80 && i + 1 < text.size();
    bytes += is_pair ? static_cast<char>((first & 3) << 6 | (text[++i] & 0x3F)) : text[i];
  }
  text = std::move(bytes);
}

// Checks files one after the other in a process that is replaced when it dies or exceeds its
// limits: the file that it was at is unknown then. Its units have a process of their own
// (driver/check/unit.h), which comes to its limits first; what is left for this one is whatever
// reads a file, plans its units and takes what they find.
class FileWorker {
 public:
  FileWorker(FileChecker& checker, llvm::ArrayRef<std::string> files, driver::WorkLimits each,
             const ReportFlags& format)
      : checker_(checker), files_(files), each_(each), format_(format) {}

  // File `number`, which follows the last one that was asked for.
  FileReport Check(size_t number, llvm::function_ref<void(llvm::StringRef)> progress) {
    FileReport report;
    if (!worker_) {
      using Send = driver::WorkerProcess::Send;
      auto started = driver::WorkerProcess::Start([&](const Send& send) { Work(number, send); });
      if (!started) {
        report.error = MessageOf(started.takeError());
        return report;
      }
      worker_.emplace(std::move(*started));
    }
    at_ = "reading the file";
    driver::WorkLimits limits = LimitsFromNow();
    while (auto message = worker_->Next(limits)) {
      if (message->kind == kEnd) return report;
      if (message->kind == kModule) limits = LimitsFromNow();
      if (message->kind == kProgress) progress(at_ = std::move(message->text));
      if (message->kind == kError) report.error = std::move(message->text);
      if (message->kind == kDetails) report.modules.back().details = std::move(message->text);
      if (message->kind != kRecords) continue;
      auto records = ReadRecords(message->text);
      if (!records) {
        report.error = MessageOf(records.takeError());
        worker_.reset();
        return report;
      }
      report.modules.push_back({std::move(*records), ""});
    }
    GiveUp(files_[number], driver::WhyEnded(*worker_, limits) + ", at: " + at_, report);
    worker_.reset();
    return report;
  }

 private:
  static constexpr char kModule = 'm', kProgress = 'p', kRecords = 'r', kDetails = 'd',
                        kError = 'e', kEnd = '.';

  // In the worker: the file, and all that follow it.
  void Work(size_t number, const driver::WorkerProcess::Send& send) {
    checker_.OnModule([&] { send(kModule, ""); });
    for (const std::string& file : files_.drop_front(number)) {
      FileReport report =
          checker_.Check(file, [&](llvm::StringRef what) { send(kProgress, what); });
      for (ModuleOutcome& module : report.modules) {
        ChangeTexts(module.report, BytesToCharacters);
        std::string records;
        llvm::raw_string_ostream(records) << llvm::json::Value(driver::ToJson(module.report));
        send(kRecords, records);
        send(kDetails, module.details);
      }
      if (!report.error.empty()) send(kError, report.error);
      send(kEnd, "");
    }
  }

  // The process of a file has a little more than the units of its module.
  driver::WorkLimits LimitsFromNow() {
    constexpr double kMore = 1.2, kSeconds = 5;
    return {.cpu_seconds = worker_->CpuSeconds() + each_.cpu_seconds * kMore + kSeconds,
            .clock_seconds = worker_->ClockSeconds() + each_.clock_seconds + kSeconds,
            .memory = each_.memory};
  }

  static llvm::Expected<driver::RunReport> ReadRecords(llvm::StringRef text) {
    auto json = llvm::json::parse(text);
    if (!json) return json.takeError();
    auto report = driver::RunReportFrom(*json->getAsObject());
    if (report) ChangeTexts(*report, CharactersToBytes);
    return report;
  }

  // The modules of a file are reported when all are checked, so none of this one's is there.
  void GiveUp(const std::string& file, const std::string& why, FileReport& report) const {
    const driver::RunReport of_file = driver::GivenUpReport("check", file, why);
    std::string details;
    llvm::raw_string_ostream os(details);
    if (format_.json()) {
      os << llvm::formatv(
          "{0:1}",
          llvm::json::Value(llvm::json::Object{
              {"file", JsonText(file)}, {"verdict", of_file.verdict}, {"reason", JsonText(why)}}));
    } else if (format_.text() && format_.verbosity() > 0) {
      driver::PrintSummary(of_file, os);
    }
    report.modules = {{of_file, std::move(details)}};
  }

  FileChecker& checker_;
  llvm::ArrayRef<std::string> files_;
  driver::WorkLimits each_;
  const ReportFlags& format_;
  std::optional<driver::WorkerProcess> worker_;
  std::string at_;  // what it did last
};

// A text of JSON as it stands inside of an array of an object.
std::string Indented(llvm::StringRef json) {
  std::string text;
  for (char c : json) {
    text += c;
    if (c == '\n') text += "  ";
  }
  return text;
}

// With what a baseline knows of it.
void PrintDetails(const ReportFlags& how, const ModuleOutcome& module) {
  llvm::outs() << module.details;
  if (how.has_baseline()) driver::PrintVerdictLine(module.report, llvm::outs());
}

// Checks all files and prints their reports in order, as soon as they are there; `reports` gets
// their records. Answers the status of bad input, or none.
int CheckFiles(Options& options, FileChecker& checker, const driver::WorkLimits& limits,
               llvm::json::OStream* json, std::vector<driver::RunReport>& reports) {
  int status = kSuccess;
  bool first = true;
  size_t checked = 0;
  Progress progress;
  auto show = [&](llvm::StringRef what) { progress.Show(what); };
  FileWorker in_order(checker, options.files, limits, options.report);
  driver::OrderedParallelFor<FileReport>(
      options.jobs, static_cast<int64_t>(options.files.size()),
      [&](int64_t i) {
        const std::string& file = options.files[i];
        // A device that this process has opened is not there in another.
        if (options.target == "cuda" && options.jobs == 1) return checker.Check(file, show);
        if (options.target == "cuda") return checker.Check(file, [](llvm::StringRef) {});
        if (options.jobs == 1) return in_order.Check(static_cast<size_t>(i), show);
        return FileWorker(checker, file, limits, options.report).Check(0, [](llvm::StringRef) {});
      },
      [&](FileReport& file) {
        progress.Clear();
        for (ModuleOutcome& module : file.modules) {
          options.report.Compare(module.report);
          if (json) {
            json->rawValue(Indented(module.details));
          } else if (options.report.text()) {
            if (!first) llvm::outs() << "\n";
            if (options.report.verbosity() > 0)
              PrintDetails(options.report, module);
            else
              options.report.PrintText(module.report, llvm::outs());
          }
          first = false;
          reports.push_back(std::move(module.report));
        }
        llvm::outs().flush();
        const std::string& name = options.files[checked++];
        if (file.error.empty()) return;
        status = Worse(status, Report(MakeError(file.error)));
        reports.push_back(driver::BadInputReport("check", name, std::move(file.error)));
      });
  return status;
}

int Run(Options& options) {
  if (llvm::Error error = options.report.Begin()) return Report(std::move(error));
  auto decide = options.decide.Get();
  if (!decide) return Report(decide.takeError());
  if (llvm::Error error = driver::MakeCertificateFolder(options.certificates))
    return Report(std::move(error));
  if (!options.symbolic.op.empty()) {
    if (!options.files.empty()) return Report(MakeError("check --symbolic takes no files"));
    options.symbolic.certificates = options.certificates;
    driver::RunReport report = driver::CheckSymbolic(options.symbolic, decide->budget,
                                                     options.report.output(), options.jobs);
    options.report.Compare(report);
    return options.report.Finish({std::move(report)});
  }
  if (options.files.empty()) return Report(MakeError("check: expected HLO files"));
  if (!options.ledger.empty() && !options.certificates.empty())
    return Report(MakeError("check: --certificates writes none of what a --ledger has"));
  auto meanings = options.meanings.Get();
  if (!meanings) return Report(meanings.takeError());
  driver::CheckOptions how;
  how.decide = *decide;
  how.seed = options.seed;
  how.asked = options.meanings.ToString() + (options.target == "cuda" ? " --target cuda" : "");
  if (options.target == "cuda") {
    how.target = driver::ExecutionTarget::kCuda;
    std::string why_not;
    if (!emit::CudaAvailable(&why_not)) return Report(MakeError("--target cuda: " + why_not));
  }
  how.time_limit = options.time_limit;
  auto memory = driver::ParseMemoryLimit(options.memory_limit);
  if (!memory) return Report(memory.takeError());
  how.memory_limit = *memory / options.jobs;
  std::unique_ptr<driver::LedgerFile> ledger;
  if (!options.ledger.empty()) {
    auto opened = driver::LedgerFile::Open(options.ledger, options.files, how);
    if (!opened) return Report(opened.takeError());
    ledger = std::move(*opened);
  }
  const driver::WorkLimits limits = driver::LimitsOf(how.time_limit, 1, how.memory_limit);
  driver::Checker checks(how);
  FileChecker checker(options, *meanings, checks, ledger.get());
  std::vector<driver::RunReport> reports;
  if (!options.report.json()) {
    const int status = CheckFiles(options, checker, limits, nullptr, reports);
    return Worse(status, options.report.Finish(reports));
  }
  int status = kSuccess;
  llvm::json::OStream json(llvm::outs(), 1);
  json.object([&] {
    json.attributeArray("modules",
                        [&] { status = CheckFiles(options, checker, limits, &json, reports); });
    status = Worse(status, driver::StatusOf(reports));
    json.attribute("status", status);
    driver::WriteReports(reports, json);
  });
  llvm::outs() << "\n";
  return Worse(status, options.report.Finish(reports));
}

}  // namespace

void AddCheck(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("check", "Affirm modules: prove their maps, emit them, run them, compare");
  verb.Option("FILES", options->files, "HLO text, or - for standard input");
  std::vector<std::string> ops;
  for (llvm::StringRef name : SymbolicOpNames()) ops.push_back(name.str());
  OptionHandle symbolic =
      verb.Option("--symbolic", options->symbolic.op,
                  "Instead of files: prove the formula of an op's maps to arrays for all sizes, "
                  "and compare the code's maps with it at some")
          .OneOf(ops);
  verb.Option("--rank", options->symbolic.rank, "With --symbolic: dimensions of its arrays")
      .Within(1, kMaxSymbolicRank)
      .ShowDefault()
      .Needs(symbolic);
  verb.Option("--seed", options->seed, "Of the arguments and of the order of threads")
      .ShowDefault();
  verb.Option("--target", options->target, "Where the kernels run (host: the emulator)")
      .OneOf({"emulator", "host", "cuda"})
      .ShowDefault();
  options->report.AddTo(verb);
  verb.Option(
          "--time-limit", options->time_limit,
          "Seconds of processor time for a module, and at most half as much again of the clock; "
          "what does not end in its share of them is unknown (0: no limit; none on a CUDA device)")
      .AtLeast(0)
      .ShowDefault();
  AddMemoryLimit(verb, options->memory_limit);
  verb.Option("--ledger", options->ledger,
              "A file that gets a line for each part of the check when it is finished; with what "
              "is there a check that was interrupted goes on");
  verb.Option("--certificates", options->certificates,
              "Write certificates of the claims about maps to this folder, for affirm-check");
  AddJobs(verb, options->jobs);
  options->meanings.AddTo(verb);
  options->decide.AddTo(verb);
  verb.Footer(
      "Example:\n  $ affirm check corpus/hlo/softmax.hlo\n"
      "  ...\n"
      "  verdict: affirmed\n"
      "  $ affirm check --symbolic transpose --rank 2\n  ...\n"
      "  verdict: the formulas are proved for all sizes that they name; the code's maps equal them "
      "at the 40 sizes compared, ...");
  verb.Run([options] { return options->report.Complete("check", Run(*options)); });
}

}  // namespace affirm::cli
