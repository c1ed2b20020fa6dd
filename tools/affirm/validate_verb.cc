// affirm validate: is a kernel's LLVM IR the computation that it is said to be?
#include "core/symbolic/error.h"
#include "driver/validate/validate.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/verbs.h"
#include "verify/kernel/emulator/emulator.h"

namespace affirm::cli {
namespace {

struct Options {
  std::string hlo, fusion, kernel, launch;
  uint64_t seed = 0;
  bool json = false;
};

llvm::Expected<kernel::Launch> LaunchOf(const Options& options,
                                        const hlo::Computation& computation) {
  if (!options.launch.empty()) {
    auto text = ReadInput(options.launch, "a launch as JSON");
    if (!text) return text.takeError();
    return kernel::ParseLaunch(text->text, text->name);
  }
  return kernel::DefaultLaunch(computation);
}

llvm::Expected<driver::Validation> Validate(const Options& options) {
  auto modules = ReadModules(options.hlo);
  if (!modules) return modules.takeError();
  auto in_hlo = [&](llvm::Error error) {
    return MakeError(options.hlo + ":1:1: error: " + MessageOf(std::move(error)));
  };
  if (modules->size() != 1) {
    return in_hlo(MakeError("holds " + llvm::Twine(modules->size()) + " modules, expected one"));
  }
  auto computation = driver::FindComputation(*modules->front(), options.fusion);
  if (!computation) return in_hlo(computation.takeError());
  auto launch = LaunchOf(options, **computation);
  if (!launch) return launch.takeError();
  auto text = ReadInput(options.kernel, "a kernel as LLVM IR");
  if (!text) return text.takeError();
  auto ir = kernel::ReadKernelIr(text->text, text->name, launch->kernel);
  if (!ir) return ir.takeError();
  if (launch->threads[0] == 0) {
    if (auto threads = kernel::RequiredThreads(*ir)) launch->threads = *threads;
  }
  driver::KernelSubject subject{*computation, &*ir, std::move(*launch)};
  if (llvm::Error error = driver::CheckSubject(subject)) return in_hlo(std::move(error));
  if (llvm::Error error = kernel::CheckFits(*ir, subject.launch)) return error;
  driver::ValidateOptions validate;
  validate.seed = options.seed;
  return driver::Validate(subject, validate);
}

int Run(const Options& options) {
  auto validation = Validate(options);
  if (!validation) return Report(validation.takeError());
  if (options.json) {
    llvm::json::OStream json(llvm::outs());
    driver::WriteJson(json, *validation);
    llvm::outs() << "\n";
  } else {
    driver::PrintReport(llvm::outs(), *validation);
  }
  return driver::StatusOf(*validation);
}

}  // namespace

void AddValidate(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("validate", "Is a kernel's LLVM IR the computation that it is said to be");
  verb.Option("--hlo", options->hlo, "HLO text: the computation").Required();
  verb.Option("--fusion", options->fusion, "The fusion that the kernel computes; default: ENTRY");
  verb.Option("--kernel", options->kernel, "LLVM IR of the kernel (NVPTX)").Required();
  verb.Option("--launch", options->launch,
              "Grid, threads and parameters as JSON; default: operands in order, then results");
  verb.Option("--seed", options->seed, "Of the arguments and the order of threads").ShowDefault();
  verb.Flag("--json", options->json, "Print JSON");
  verb.Footer(
      "Exit status: 0 proved, 1 refuted, 2 unknown, 3 bad input.\n"
      "Example:\n"
      "  $ affirm validate --hlo fusion.hlo --kernel kernel.ll --launch launch.json");
  verb.Run([options] { return Run(*options); });
}

}  // namespace affirm::cli
