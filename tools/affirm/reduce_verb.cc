// affirm reduce: a module made small while a command stays happy with it.
#include <sys/wait.h>

#include <cstdlib>

#include "core/hlo/text.h"
#include "core/symbolic/error.h"
#include "driver/shell_command.h"
#include "fuzz/reducer/hlo_reducer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {
namespace {

struct Options {
  std::string file, check, output;
  int64_t max_tests = 2000;
  bool json = false;
};

// Whether the command, with {} replaced by the path, exits with status 0.
bool Succeeds(const std::string& check, const std::string& path) {
  std::string command = check;
  std::string quoted = driver::ShellQuoted(path);
  for (size_t at = 0; (at = command.find("{}", at)) != std::string::npos; at += quoted.size()) {
    command.replace(at, 2, quoted);
  }
  llvm::outs().flush();
  // NOLINTNEXTLINE(bugprone-command-processor): a shell command is what --check takes.
  int state = std::system(("{ " + command + "\n} >/dev/null 2>&1 </dev/null").c_str());
  return state != -1 && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

llvm::Error WriteFile(const std::string& path, const std::string& text) {
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (code) return MakeError("cannot write '" + path + "': " + code.message());
  file << text;
  return llvm::Error::success();
}

int Run(const Options& options) {
  auto modules = ReadModules(options.file);
  if (!modules) return Report(modules.takeError());
  if (modules->size() != 1)
    return Report(MakeError(options.file + ":1:1: error: several modules, expected one"));
  if (options.check.find("{}") == std::string::npos) {
    return Report(MakeError("--check: expected a shell command with {} where the file goes"));
  }
  llvm::SmallString<128> path;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("affirm-reduce", "hlo", path)) {
    return Report(MakeError("cannot make a temporary file: " + code.message()));
  }
  const llvm::FileRemover remover(path);
  const hlo::Module& module = *modules->front();
  int64_t tests = 0;
  auto is_interesting = [&](const hlo::Module& candidate) {
    ++tests;
    if (llvm::Error error = WriteFile(path.str().str(), hlo::ToString(candidate))) {
      llvm::consumeError(std::move(error));
      return false;
    }
    return Succeeds(options.check, path.str().str());
  };
  if (!is_interesting(module)) {
    return Report(
        MakeError("--check: the command does not succeed on " + options.file + " itself"));
  }
  Progress progress;
  fuzz::ReduceOptions how;
  how.max_tests = options.max_tests;
  how.progress = [&](const hlo::Module& best) {
    progress.Show(llvm::Twine(best.NumInstructions()) + " instructions, " + llvm::Twine(tests) +
                  " tests");
  };
  auto reduced = fuzz::ReduceModule(module, is_interesting, how);
  progress.Clear();
  std::string text = hlo::ToString(reduced ? *reduced : module);
  if (!options.output.empty()) {
    if (llvm::Error error = WriteFile(options.output, text)) return Report(std::move(error));
  }
  if (options.json) {
    PrintJsonObject([&](llvm::json::OStream& json) {
      json.attribute("module", JsonText(text));
      json.attribute("instructions_before", module.NumInstructions());
      json.attribute("instructions",
                     reduced ? reduced->NumInstructions() : module.NumInstructions());
      json.attribute("tests", tests);
    });
  } else if (options.output.empty()) {
    llvm::outs() << text;
  }
  return kSuccess;
}

}  // namespace

void AddReduce(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("reduce", "Make a module small while a command succeeds on it");
  verb.Option("FILE", options->file, "HLO text, or - for standard input").Required();
  verb.Option("--check", options->check,
              "Shell command with {} for a file: 0 means, go on with this module")
      .Required();
  verb.Option("--output", options->output, "Write the module to this file");
  verb.Option("--max-tests", options->max_tests, "Runs of the command")
      .Within(0, INT64_MAX)
      .ShowDefault();
  verb.Flag("--json", options->json, "Print JSON");
  verb.Footer(
      "Example:\n"
      "  $ affirm reduce m.hlo --check 'affirm check {} | grep -q MISMATCH' --output small.hlo");
  verb.Run([options] { return Run(*options); });
}

}  // namespace affirm::cli
