// affirm check: the main job.
#include <limits>

#include "core/hlo/text.h"
#include "core/symbolic/error.h"
#include "driver/check/check.h"
#include "driver/check/ledger_file.h"
#include "driver/check/symbolic.h"
#include "driver/parallel.h"
#include "driver/worker_process.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/meaning_options.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  driver::SymbolicQuery symbolic;
  uint64_t seed = 0;
  std::string target = "emulator";
  bool json = false;
  bool verbose = false;
  unsigned jobs = 1;
  double time_limit = 60;
  std::string ledger;
  DecideFlags decide;
  MeaningFlags meanings;
};

// What came of one file: the report of each module, as it is printed.
struct FileReport {
  std::vector<std::string> modules;
  int status = kSuccess;
  std::string error;
};

std::string ReportText(const driver::ModuleReport& report, const Options& options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (options.json) {
    llvm::json::OStream stream(os, 1);
    driver::WriteReport(report, stream);
  } else if (options.verbose) {
    driver::PrintReport(report, os);
  } else {
    driver::PrintSummary(report, os);
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
    constexpr char kModule = 'm', kStatus = 's', kError = 'e';
    auto worker = driver::WorkerProcess::Start([&](const driver::WorkerProcess::Send& send) {
      const FileReport report = Check(file, [](llvm::StringRef) {});
      for (const std::string& module : report.modules) send(kModule, module);
      if (!report.error.empty()) send(kError, report.error);
      send(kStatus, std::to_string(report.status));
    });
    FileReport report;
    if (!worker) {
      report.error = MessageOf(worker.takeError());
      return report;
    }
    bool ended = false;
    while (auto message = worker->Next(std::numeric_limits<double>::infinity())) {
      if (message->kind == kModule) report.modules.push_back(std::move(message->text));
      if (message->kind == kError) report.error = std::move(message->text);
      if (message->kind != kStatus) continue;
      report.status = std::stoi(message->text);
      ended = true;
    }
    if (!ended) {
      report.error =
          file + ":1:1: error: the process of its check ended: " + worker->how_it_ended();
    }
    return report;
  }

 private:
  llvm::Error CheckModules(const std::string& file,
                           llvm::function_ref<void(llvm::StringRef)> progress, FileReport& all) {
    auto input = ReadInput(file, "an HLO module");
    if (!input) return input.takeError();
    auto modules = driver::ModulesOf(*input);
    if (!modules) return modules.takeError();
    for (auto [number, module] : llvm::enumerate(*modules)) {
      if (llvm::Error error = calls::ExpandCustomCalls(*module, input->name, meanings_))
        return driver::WithSourceLine(std::move(error), input->text);
      std::unique_ptr<driver::UnitLedger> of_module;
      if (ledger_ != nullptr) {
        // What a call stands for may be given by other files: it counts as part of the text.
        const std::string text = input->text + hlo::ToString(*module);
        auto found = ledger_->Of(file, static_cast<int64_t>(number), text);
        if (!found) return found.takeError();
        of_module = std::move(*found);
      }
      auto report = checker_.Check(*module, input->name, progress, of_module.get());
      if (!report) return report.takeError();
      all.modules.push_back(ReportText(*report, options_));
      all.status = Worse(all.status, report->status());
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

// Checks all files and prints their reports in order.
int CheckFiles(const Options& options, FileChecker& checker, llvm::json::OStream* json) {
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
        for (const std::string& report : file.modules) {
          if (json) {
            json->rawValue(Indented(report));
          } else {
            if (!first) llvm::outs() << "\n";
            llvm::outs() << report;
          }
          first = false;
        }
        status = Worse(status, file.status);
        llvm::outs().flush();
        if (!file.error.empty()) status = Worse(status, Report(MakeError(file.error)));
      });
  return status;
}

int Run(const Options& options) {
  auto decide = options.decide.Get();
  if (!decide) return Report(decide.takeError());
  if (!options.symbolic.op.empty()) {
    if (!options.files.empty()) return Report(MakeError("check --symbolic takes no files"));
    return driver::CheckSymbolic(options.symbolic, decide->budget, options.json, options.jobs);
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
  int status = kSuccess;
  if (!options.json) return CheckFiles(options, checker, nullptr);
  llvm::json::OStream json(llvm::outs(), 1);
  json.object([&] {
    json.attributeArray("modules", [&] { status = CheckFiles(options, checker, &json); });
    json.attribute("status", status);
  });
  llvm::outs() << "\n";
  return status;
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
  verb.Flag("-v,--verbose", options->verbose, "Print every map, kernel and finding");
  verb.Flag("--json", options->json, "Print the report as one JSON document");
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
