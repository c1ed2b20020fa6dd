// affirm check: the main job.
#include <limits>

#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "core/symbolic/error.h"
#include "driver/check/bounded_sizes.h"
#include "driver/check/check.h"
#include "driver/check/elided_constants.h"
#include "driver/check/ledger_file.h"
#include "driver/check/random_states.h"
#include "driver/check/symbolic.h"
#include "driver/check/unused_calls.h"
#include "driver/parallel.h"
#include "driver/worker_process.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
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
  std::string ledger;
  DecideFlags decide;
  MeaningFlags meanings;
};

// What came of one file: of each module its records, and what -v or JSON prints beside them.
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

  FileReport Check(const std::string& file, llvm::function_ref<void(llvm::StringRef)> progress) {
    FileReport report;
    if (llvm::Error error = CheckModules(file, progress, report)) {
      report.error = llvm::toString(std::move(error));
    }
    return report;
  }

  // The same in a process of its own, so that no other thread is in the way of what it starts.
  FileReport CheckInProcess(const std::string& file) {
    constexpr char kRecords = 'r', kDetails = 'd', kError = 'e', kEnd = '.';
    auto worker = driver::WorkerProcess::Start([&](const driver::WorkerProcess::Send& send) {
      const FileReport report = Check(file, [](llvm::StringRef) {});
      for (const ModuleOutcome& module : report.modules) {
        std::string records;
        llvm::raw_string_ostream(records) << llvm::json::Value(driver::ToJson(module.report));
        send(kRecords, records);
        send(kDetails, module.details);
      }
      if (!report.error.empty()) send(kError, report.error);
      send(kEnd, "");
    });
    FileReport report;
    if (!worker) {
      report.error = MessageOf(worker.takeError());
      return report;
    }
    bool ended = false;
    while (auto message = worker->Next(std::numeric_limits<double>::infinity())) {
      if (message->kind == kError) report.error = std::move(message->text);
      if (message->kind == kDetails) report.modules.back().details = std::move(message->text);
      ended |= message->kind == kEnd;
      if (message->kind != kRecords) continue;
      auto records = ReadRecords(message->text);
      if (!records) {
        report.error = MessageOf(records.takeError());
        return report;
      }
      report.modules.push_back({std::move(*records), ""});
    }
    if (!ended) {
      report.error =
          file + ":1:1: error: the process of its check ended: " + worker->how_it_ended();
    }
    return report;
  }

 private:
  static llvm::Expected<driver::RunReport> ReadRecords(llvm::StringRef text) {
    auto json = llvm::json::parse(text);
    if (!json) return json.takeError();
    return driver::RunReportFrom(*json->getAsObject());
  }

  llvm::Error CheckModules(const std::string& file,
                           llvm::function_ref<void(llvm::StringRef)> progress, FileReport& all) {
    driver::SpentHere spent;
    auto input = ReadInput(file, "an HLO module");
    if (!input) return input.takeError();
    auto modules = driver::ModulesOf(*input);
    if (!modules) return modules.takeError();
    for (auto [number, module] : llvm::enumerate(*modules)) {
      if (llvm::Error error = hlo::VerifyArguments(*module, input->name))
        return driver::WithSourceLine(std::move(error), input->text);
      if (llvm::Error error = calls::ExpandCustomCalls(*module, input->name, meanings_))
        return driver::WithSourceLine(std::move(error), input->text);
      driver::DropUnusedCalls(*module);
      const int64_t random_states = driver::MakeStatesParameters(*module);
      const std::optional<int64_t> sizes = driver::TakeSizesAtTheirBounds(*module);
      const int64_t made_constants = driver::GiveValuesToElidedConstants(*module, options_.seed);
      std::unique_ptr<driver::UnitLedger> of_module;
      if (ledger_ != nullptr) {
        // What a call stands for may be given by other files: it counts as part of the text.
        const std::string text = input->text + hlo::ToString(*module);
        auto found = ledger_->Of(file, static_cast<int64_t>(number), text);
        if (!found) return found.takeError();
        of_module = std::move(*found);
      }
      auto report = checker_.Check(*module, input->name, progress, of_module.get(), spent);
      spent = {};
      if (!report) return report.takeError();
      report->made_constants = made_constants;
      report->random_states = random_states;
      report->sizes_at_bounds = sizes.has_value();
      report->sizes_as_arguments = sizes.value_or(0);
      all.modules.push_back({driver::ToRunReport(*report), DetailsOf(*report, options_.report)});
    }
    return llvm::Error::success();
  }

  const Options& options_;
  const calls::GivenMeanings& meanings_;
  driver::Checker& checker_;
  driver::LedgerFile* ledger_;
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
int CheckFiles(Options& options, FileChecker& checker, llvm::json::OStream* json,
               std::vector<driver::RunReport>& reports) {
  int status = kSuccess;
  bool first = true;
  Progress progress;
  auto show = [&](llvm::StringRef what) { progress.Show(what); };
  driver::OrderedParallelFor<FileReport>(
      options.jobs, static_cast<int64_t>(options.files.size()),
      [&](int64_t i) {
        const std::string& file = options.files[i];
        if (options.jobs == 1) return checker.Check(file, show);
        // A device that this process has opened is not there in another.
        if (options.target == "cuda") return checker.Check(file, [](llvm::StringRef) {});
        return checker.CheckInProcess(file);
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
        if (!file.error.empty()) status = Worse(status, Report(MakeError(file.error)));
      });
  return status;
}

int Run(Options& options) {
  if (llvm::Error error = options.report.Begin()) return Report(std::move(error));
  auto decide = options.decide.Get();
  if (!decide) return Report(decide.takeError());
  if (!options.symbolic.op.empty()) {
    if (!options.files.empty()) return Report(MakeError("check --symbolic takes no files"));
    driver::RunReport report = driver::CheckSymbolic(options.symbolic, decide->budget,
                                                     options.report.output(), options.jobs);
    options.report.Compare(report);
    return options.report.Finish({std::move(report)});
  }
  if (options.files.empty()) return Report(MakeError("check: expected HLO files"));
  auto meanings = options.meanings.Get();
  if (!meanings) return Report(meanings.takeError());
  driver::CheckOptions how;
  how.decide = *decide;
  how.seed = options.seed;
  if (options.target == "cuda") {
    how.target = driver::ExecutionTarget::kCuda;
    std::string why_not;
    if (!emit::CudaAvailable(&why_not)) {
      return Report(MakeError("--target cuda: " + why_not));
    }
  }
  how.time_limit = options.time_limit;
  std::unique_ptr<driver::LedgerFile> ledger;
  if (!options.ledger.empty()) {
    auto opened = driver::LedgerFile::Open(options.ledger, options.files, how);
    if (!opened) return Report(opened.takeError());
    ledger = std::move(*opened);
  }
  driver::Checker checks(how);
  FileChecker checker(options, *meanings, checks, ledger.get());
  std::vector<driver::RunReport> reports;
  if (!options.report.json()) {
    const int status = CheckFiles(options, checker, nullptr, reports);
    return Worse(status, options.report.Finish(reports));
  }
  int status = kSuccess;
  llvm::json::OStream json(llvm::outs(), 1);
  json.object([&] {
    json.attributeArray("modules", [&] { status = CheckFiles(options, checker, &json, reports); });
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
  verb.Option("--time-limit", options->time_limit,
              "Seconds of processor time for a module; what does not end in its share of them is "
              "unknown (0: no limit; none on a CUDA device)")
      .AtLeast(0)
      .ShowDefault();
  verb.Option("--ledger", options->ledger,
              "A file that gets a line for each part of the check when it is finished; with what "
              "is there a check that was interrupted goes on");
  AddJobs(verb, options->jobs);
  options->meanings.AddTo(verb);
  options->decide.AddTo(verb);
  verb.Footer(
      "Example:\n"
      "  $ affirm check corpus/hlo/softmax.hlo\n"
      "  ...\n"
      "  verdict: affirmed\n"
      "  $ affirm check --symbolic transpose --rank 2\n"
      "  ...\n"
      "  verdict: the formulas are proved for all sizes that they name; the code's maps equal them "
      "at the 40 sizes "
      "compared, ...");
  verb.Run([options] { return Run(*options); });
}

}  // namespace affirm::cli
