// affirm check: the main job.
#include "core/symbolic/error.h"
#include "tools/affirm/check.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  uint64_t seed = 0;
  std::string target = "host";
  bool json = false;
  DecideFlags decide;
};

int CheckFile(const std::string& file, check::Checker& checker, llvm::json::OStream* json) {
  auto modules = ReadModules(file);
  if (!modules) return Report(modules.takeError());
  int status = kAllWell;
  bool first = true;
  for (const auto& module : *modules) {
    Progress progress;
    check::ModuleReport report = checker.Check(*module, file == "-" ? "<stdin>" : file,
                                               [&](llvm::StringRef what) { progress.Show(what); });
    progress.Clear();
    if (json) {
      check::WriteReport(report, *json);
    } else {
      if (!first) llvm::outs() << "\n";
      check::PrintReport(report, llvm::outs());
    }
    llvm::outs().flush();
    first = false;
    status = Worse(status, report.status());
  }
  return status;
}

int Run(const Options& options) {
  auto decide = options.decide.Get();
  if (!decide) return Report(decide.takeError());
  check::Options how;
  how.decide = *decide;
  how.seed = options.seed;
  if (options.target == "cuda") {
    how.place = check::Place::kCuda;
    std::string why_not;
    if (!emit::CudaAvailable(&why_not)) {
      return Report(MakeError("--target cuda: " + why_not));
    }
  }
  check::Checker checker(how);
  int status = kAllWell;
  if (!options.json) {
    for (size_t i = 0; i < options.files.size(); ++i) {
      if (i) llvm::outs() << "\n";
      status = Worse(status, CheckFile(options.files[i], checker, nullptr));
    }
    return status;
  }
  llvm::json::OStream json(llvm::outs(), 1);
  json.object([&] {
    json.attributeArray("modules", [&] {
      for (const std::string& file : options.files) {
        status = Worse(status, CheckFile(file, checker, &json));
      }
    });
    json.attribute("status", status);
  });
  llvm::outs() << "\n";
  return status;
}

}  // namespace

void AddCheck(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("check", "Affirm modules: prove their maps, emit them, run them, compare");
  verb->add_option("FILES", options->files, "HLO text, or - for standard input")->required();
  verb->add_option("--seed", options->seed, "Of the arguments and of the order of threads")
      ->capture_default_str();
  verb->add_option("--target", options->target, "Where the kernels run")
      ->check(CLI::IsMember({"host", "cuda"}))
      ->capture_default_str();
  verb->add_flag("--json", options->json, "Print the report as one JSON document");
  options->decide.AddTo(*verb);
  verb->footer(
      "Example:\n"
      "  $ affirm check corpus/hlo/softmax.hlo\n"
      "  ...\n"
      "  verdict: affirmed");
  verb->callback([options, &status] { status = Run(*options); });
}

}  // namespace affirm::cli
