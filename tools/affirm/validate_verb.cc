// affirm validate: is a kernel's LLVM IR the computation that it is said to be, or does it what
// another kernel does?
#include "core/symbolic/error.h"
#include "driver/validate/kernel_pair.h"
#include "driver/validate/subject_files.h"
#include "llvm/IR/Function.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/lemma_options.h"
#include "tools/affirm/limit_options.h"
#include "tools/affirm/report_options.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {
namespace {

struct Options {
  driver::SubjectFiles files;
  std::string against;  // LLVM IR; empty: against the computation
  uint64_t seed = 0;
  ReportFlags report;
  LimitFlags limits{600};
  LemmaFlags lemmas;
};

struct Validated {
  driver::Validation validation;
  driver::ValidatedKernel kernel;
};

llvm::Expected<Validated> Validate(const Options& options) {
  auto loaded = driver::LoadSubject(options.files);
  if (!loaded) return loaded.takeError();
  const hlo::Computation& computation = *loaded->subject.computation;
  driver::ValidateOptions validate;
  validate.seed = options.seed;
  validate.may_omit_contents = true;
  const hlo::SourceLocation where = computation.root->location;
  // A file with one kernel needs no name.
  std::string name = loaded->subject.launch.kernel;
  if (name.empty()) name = loaded->subject.ir->kernel->getName().str();
  return Validated{driver::Validate(loaded->subject, validate),
                   {.where = {options.files.hlo, where.line, where.column},
                    .scope = loaded->module->name + "/" + computation.name,
                    .subject = name,
                    .file = options.files.kernel,
                    .replay = driver::ReplayOf(options.files, options.seed)}};
}

int RunAgainst(Options& options) {
  const driver::KernelPairFiles files{options.against, options.files.kernel, options.files.launch};
  auto pair = driver::LoadKernelPair(files);
  if (!pair) return Report(pair.takeError());
  const driver::KernelComparison comparison = driver::CompareKernels(*pair, options.seed);
  driver::RunReport report =
      driver::ToRunReport(comparison, files, pair->after->kernel->getName().str(), options.seed);
  report.asked = "--against " + files.before + " --launch " + files.launch;
  return options.report.Print(
      {std::move(report)}, [&](llvm::raw_ostream& os) { driver::PrintReport(os, comparison); },
      [&](llvm::json::OStream& json) { driver::WriteAttributes(json, comparison); });
}

int Run(Options& options) {
  if (llvm::Error error = options.report.Begin()) return Report(std::move(error));
  if (!options.against.empty()) return RunAgainst(options);
  if (options.files.hlo.empty())
    return Report(MakeError("--hlo is required, the computation, or --against, another kernel"));
  auto validated = Validate(options);
  if (!validated) return Report(validated.takeError());
  const driver::Validation& validation = validated->validation;
  driver::RunReport report = driver::ToRunReport(validation, validated->kernel);
  report.asked = "--kernel " + options.files.kernel;
  if (!options.files.launch.empty()) report.asked += " --launch " + options.files.launch;
  return options.report.Print(
      {std::move(report)}, [&](llvm::raw_ostream& os) { driver::PrintReport(os, validation); },
      [&](llvm::json::OStream& json) { driver::WriteAttributes(json, validation); });
}

}  // namespace

void AddValidate(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add(
      "validate", "Is a kernel's LLVM IR the computation, or the kernel, that it is said to be");
  const OptionHandle hlo = verb.Option("--hlo", options->files.hlo, "HLO text: the computation");
  const OptionHandle fusion = verb.Option("--fusion", options->files.fusion,
                                          "The fusion that the kernel computes; default: ENTRY");
  verb.Option("--kernel", options->files.kernel, "LLVM IR of the kernel (NVPTX, AMDGPU, XLA:CPU)")
      .Required();
  const OptionHandle launch =
      verb.Option("--launch", options->files.launch,
                  "Grid, threads and parameters as JSON; default: operands in order, then results");
  verb.Option("--against", options->against,
              "In the place of --hlo: LLVM IR of a kernel before a change; wherever it is right, "
              "the kernel does the same")
      .Needs(launch)
      .Excludes(hlo)
      .Excludes(fusion);
  verb.Option("--seed", options->seed, "Of the arguments and the order of threads").ShowDefault();
  options->report.AddTo(verb);
  options->limits.AddTo(verb);
  options->lemmas.AddTo(verb);
  verb.Footer(
      "Exit status: 0 proved, 1 refuted, 2 executed or unknown, 3 bad input.\n"
      "Example:\n"
      "  $ affirm validate --hlo fusion.hlo --kernel kernel.ll --launch launch.json\n"
      "  $ affirm validate --kernel after.ll --against before.ll --launch launch.json");
  verb.Run([options] {
    options->lemmas.Begin();
    return options->limits.Run("validate", options->files.kernel, 1, options->report,
                               [&] { return Run(*options); });
  });
}

}  // namespace affirm::cli
