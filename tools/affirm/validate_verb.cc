// affirm validate: is a kernel's LLVM IR the computation that it is said to be?
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
  // Of a file with one kernel no name need be given.
  std::string name = loaded->subject.launch.kernel;
  if (name.empty()) name = loaded->subject.ir->kernel->getName().str();
  return Validated{driver::Validate(loaded->subject, validate),
                   {.where = {options.files.hlo, where.line, where.column},
                    .scope = loaded->module->name + "/" + computation.name,
                    .subject = name,
                    .file = options.files.kernel,
                    .replay = driver::ReplayOf(options.files, options.seed)}};
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
  verb.Option("--hlo", options->files.hlo, "HLO text: the computation").Required();
  verb.Option("--fusion", options->files.fusion,
              "The fusion that the kernel computes; default: ENTRY");
  verb.Option("--kernel", options->files.kernel, "LLVM IR of the kernel (NVPTX)").Required();
  verb.Option("--launch", options->files.launch,
              "Grid, threads and parameters as JSON; default: operands in order, then results");
  verb.Option("--seed", options->seed, "Of the arguments and the order of threads").ShowDefault();
  options->report.AddTo(verb);
  options->limits.AddTo(verb);
  options->lemmas.AddTo(verb);
  verb.Footer(
      "Exit status: 0 proved, 1 refuted, 2 executed or unknown, 3 bad input.\n"
      "Example:\n"
      "  $ affirm validate --hlo fusion.hlo --kernel kernel.ll --launch launch.json");
  verb.Run([options] {
    options->lemmas.Begin();
    return options->limits.Run("validate", options->files.kernel, 1, options->report,
                               [&] { return Run(*options); });
  });
}

}  // namespace affirm::cli
