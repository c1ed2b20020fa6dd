// affirm explore: a page about a module.
#include "core/symbolic/error.h"
#include "driver/explore/explore.h"
#include "driver/explore/page_server.h"
#include "driver/output.h"
#include "llvm/Support/Path.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/meaning_options.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {
namespace {

struct Options {
  driver::ExploreOptions explore;
  std::string output;
  bool no_check = false, serve = false;
  int64_t port = 0;  // 0: any that is free
  MeaningFlags meanings;
};

// softmax.html for corpus/hlo/softmax.hlo, in the folder in which the program runs.
std::string OutputOf(const Options& options) {
  if (!options.output.empty()) return options.output;
  if (options.explore.input == "-") return "explore.html";
  llvm::StringRef path = options.explore.input;
  while (path.size() > 1 && path.ends_with("/")) path = path.drop_back();
  return llvm::sys::path::stem(path).str() + ".html";
}

// The page at a port, made again when a file that it is made from has changed.
int Serve(Options& options) {
  driver::ExploreOptions& how = options.explore;
  std::vector<std::string> files;
  for (const std::string& file : {how.input, how.kernel, how.launch}) {
    if (!file.empty() && file != "-") files.push_back(file);
  }
  for (const std::string& given : options.meanings.given)
    files.push_back(llvm::StringRef(given).split('=').second.str());
  driver::PageServer server;
  if (llvm::Error error = server.Listen(static_cast<uint16_t>(options.port)))
    return Report(MakeError("--serve: " + MessageOf(std::move(error))));
  driver::FileWatch watch(std::move(files));
  Progress progress;
  int status = kSuccess;
  driver::RenderedPage shown;
  auto explore = [&]() -> llvm::Expected<driver::Page> {
    auto meanings = options.meanings.Get();
    if (!meanings) return meanings.takeError();
    how.meanings = std::move(*meanings);
    return driver::ExplorePage(how, [&](const std::string& what) { progress.Show(what); });
  };
  auto render = [&] {
    auto page = explore();
    progress.Clear();
    if (!page) {
      const std::string message = MessageOf(page.takeError());
      status = Report(MakeError(message));
      shown = {message + "\n", true};
      return;
    }
    status = page->status;
    shown = {std::move(page->html), false};
    llvm::outs() << server.url() << ": " << page->verdict << "\n";
    llvm::outs().flush();
  };
  render();
  if (shown.failed) return status;
  llvm::Error error = server.Run([&] {
    if (watch.HasChanged()) render();
    return shown;
  });
  return error ? Report(std::move(error)) : status;
}

int Run(Options& options) {
  auto meanings = options.meanings.Get();
  if (!meanings) return Report(meanings.takeError());
  options.explore.meanings = std::move(*meanings);
  options.explore.check = !options.no_check;
  if (options.serve) return Serve(options);
  Progress progress;
  auto page =
      driver::ExplorePage(options.explore, [&](const std::string& what) { progress.Show(what); });
  progress.Clear();
  if (!page) return Report(page.takeError());
  const std::string output = OutputOf(options);
  if (output == "-") {
    llvm::outs() << page->html;
    return page->status;
  }
  if (std::error_code code = driver::WriteTextFile(output, page->html))
    return Report(MakeError("cannot write '" + output + "': " + code.message()));
  llvm::outs() << output << ": " << (page->html.size() + 1023) / 1024 << " KiB, " << page->verdict
               << "\n";
  return page->status;
}

}  // namespace

void AddExplore(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("explore", "Write a page about a module: its maps, kernels and proofs");
  verb.Option("INPUT", options->explore.input, "HLO text, or the folder of a dump of XLA")
      .Required();
  OptionHandle output =
      verb.Option("-o,--output", options->output,
                  "The HTML file; - prints it (default: the input's name with .html, here)");
  OptionHandle serve =
      verb.Flag("--serve", options->serve,
                "No file: the page at a port of this machine, made again when what it is made from "
                "has changed and a browser asks for it; Ctrl-C ends it")
          .Excludes(output);
  verb.Option("--port", options->port, "--serve: at this port of 127.0.0.1; 0: any that is free")
      .Within(0, UINT16_MAX)
      .ShowDefault()
      .Needs(serve);
  OptionHandle kernel = verb.Option("--kernel", options->explore.kernel,
                                    "LLVM IR of a kernel that is said to compute it: validated, "
                                    "and what it refutes is drawn");
  verb.Option("--launch", options->explore.launch, "Its launch, as `affirm validate` takes it")
      .Needs(kernel);
  verb.Option("--fusion", options->explore.fusion, "The fusion that it computes; default: ENTRY")
      .Needs(kernel);
  verb.Flag("--no-check", options->no_check, "Maps and kernels without proofs and runs");
  verb.Option("--seed", options->explore.seed, "Of the arguments and of the order of threads")
      .ShowDefault();
  verb.Option("--time-limit", options->explore.time_limit,
              "Seconds of processor time for the check of a module (0: no limit)")
      .AtLeast(0)
      .ShowDefault();
  options->meanings.AddTo(verb);
  verb.Footer(
      "The page is one file that a browser opens from disk. Exit status: as `affirm check`, or "
      "`affirm xla`, says.\n"
      "Example:\n"
      "  $ affirm explore corpus/hlo/softmax.hlo -o softmax.html\n"
      "  $ affirm explore corpus/hlo/softmax.hlo --serve --port 8000\n"
      "docs/explore.md says what is on it.");
  verb.Run([options] { return Run(*options); });
}

}  // namespace affirm::cli
