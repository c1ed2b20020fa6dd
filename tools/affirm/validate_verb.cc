// affirm validate: is a kernel's LLVM IR the computation that it is said to be?
#include "core/symbolic/error.h"
#include "driver/shell_command.h"
#include "driver/validate/validate.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/report_options.h"
#include "tools/affirm/verbs.h"
#include "verify/kernel/emulator/emulator.h"

namespace affirm::cli {
namespace {

struct Options {
  std::string hlo, fusion, kernel, launch;
  uint64_t seed = 0;
  ReportFlags report;
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

struct Validated {
  driver::Validation validation;
  driver::ValidatedKernel kernel;
};

std::string ReplayOf(const Options& options) {
  std::string replay = "affirm validate --hlo " + driver::ShellQuoted(options.hlo);
  if (!options.fusion.empty()) replay += " --fusion " + driver::ShellQuoted(options.fusion);
  replay += " --kernel " + driver::ShellQuoted(options.kernel);
  if (!options.launch.empty()) replay += " --launch " + driver::ShellQuoted(options.launch);
  return replay + " --seed " + std::to_string(options.seed);
}

llvm::Expected<Validated> Validate(const Options& options) {
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
  const hlo::SourceLocation where = (*computation)->root->location;
  return Validated{driver::Validate(subject, validate),
                   {.where = {options.hlo, where.line, where.column},
                    .scope = modules->front()->name + "/" + (*computation)->name,
                    .subject = subject.launch.kernel,
                    .file = options.kernel,
                    .replay = ReplayOf(options)}};
}

int Run(Options& options) {
  if (llvm::Error error = options.report.Begin()) return Report(std::move(error));
  auto validated = Validate(options);
  if (!validated) return Report(validated.takeError());
  const driver::Validation& validation = validated->validation;
  return options.report.Print(
      {driver::ToRunReport(validation, validated->kernel)},
      [&](llvm::raw_ostream& os) { driver::PrintReport(os, validation); },
      [&](llvm::json::OStream& json) { driver::WriteAttributes(json, validation); });
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
  options->report.AddTo(verb);
  verb.Footer(
      "Exit status: 0 proved, 1 refuted, 2 unknown, 3 bad input.\n"
      "Example:\n"
      "  $ affirm validate --hlo fusion.hlo --kernel kernel.ll --launch launch.json");
  verb.Run([options] { return Run(*options); });
}

}  // namespace affirm::cli
