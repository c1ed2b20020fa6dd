// affirm check: the main job.
#include "core/symbolic/error.h"
#include "driver/check/check.h"
#include "driver/check/symbolic.h"
#include "driver/parallel.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
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
  DecideFlags decide;
};

// What came of one file.
struct FileReport {
  std::vector<driver::ModuleReport> modules;
  std::string error;
};

FileReport CheckFile(const std::string& file, driver::Checker& checker,
                     llvm::function_ref<void(llvm::StringRef)> progress) {
  FileReport report;
  auto modules = ReadModules(file);
  if (!modules) return {{}, llvm::toString(modules.takeError())};
  for (const auto& module : *modules) {
    report.modules.push_back(checker.Check(*module, file == "-" ? "<stdin>" : file, progress));
  }
  return report;
}

// Checks all files and prints their reports in order.
int CheckFiles(const Options& options, driver::Checker& checker, llvm::json::OStream* json) {
  int status = kSuccess;
  bool first = true;
  Progress progress;
  auto show = [&](llvm::StringRef what) {
    if (options.jobs == 1) progress.Show(what);
  };
  driver::OrderedParallelFor<FileReport>(
      options.jobs, static_cast<int64_t>(options.files.size()),
      [&](int64_t i) { return CheckFile(options.files[i], checker, show); },
      [&](FileReport& file) {
        progress.Clear();
        for (const driver::ModuleReport& report : file.modules) {
          if (json) {
            driver::WriteReport(report, *json);
          } else {
            if (!first) llvm::outs() << "\n";
            if (options.verbose) {
              driver::PrintReport(report, llvm::outs());
            } else {
              driver::PrintSummary(report, llvm::outs());
            }
          }
          first = false;
          status = Worse(status, report.status());
        }
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
  driver::Checker checker(how);
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
  AddJobs(verb, options->jobs);
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
