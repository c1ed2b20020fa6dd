// affirm xla: a dump of XLA, each pass and each kernel.
#include "core/symbolic/error.h"
#include "driver/campaign/dump_reducer.h"
#include "driver/dump/dump.h"
#include "driver/input.h"
#include "driver/shard.h"
#include "driver/shell_command.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/GlobPattern.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/lemma_options.h"
#include "tools/affirm/limit_options.h"
#include "tools/affirm/meaning_options.h"
#include "tools/affirm/report_options.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {

namespace {

struct Options {
  std::string folder, module, source, reduce, shard, compiler = "python3 python/xla_compile.py";
  driver::DumpOptions dump;
  MeaningFlags meanings;
  ReportFlags report;
  LimitFlags limits;
  LemmaFlags lemmas;
  bool passes_only = false, kernels_only = false;
};

llvm::Error WriteFile(const std::string& path, const std::string& text) {
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (code) return MakeError("cannot write '" + path + "': " + code.message());
  file << text;
  return llvm::Error::success();
}

// The module of what is wrong first, small, in the file that was asked for.
llvm::Error Reduce(const Options& options, const std::vector<driver::ModuleFiles>& modules,
                   driver::DumpResult& result, Progress& progress) {
  auto wrong = driver::FirstWrong(result);
  if (!wrong) return llvm::Error::success();
  const auto files =
      llvm::find_if(modules, [&](const auto& of) { return of.name == wrong->module->name; });
  auto compiler =
      driver::XlaCompiler::Create(options.compiler + " --platform " + driver::PlatformOf(*files));
  if (!compiler) return compiler.takeError();
  auto reduced = driver::ReduceDump(result, modules, *compiler, options.dump,
                                    [&](const std::string& text) { progress.Show(text); });
  if (!reduced) return reduced.takeError();
  if (llvm::Error error = WriteFile(options.reduce, reduced->text)) return error;
  llvm::StringRef name = llvm::StringRef(options.reduce).rsplit('/').second;
  if (name.empty()) name = options.reduce;
  const std::string passes = wrong->pass ? " --passes" : "";
  const bool of_source = wrong->pass && wrong->pass->pass == driver::kImport;
  const std::string source =
      of_source ? " --source " + driver::ShellQuoted(options.reduce) : std::string();
  result.reduced = driver::ReducedModule{
      options.reduce, reduced->instructions_before, reduced->instructions,
      compiler->command() + passes + " --out dump " + driver::ShellQuoted(options.reduce) +
          " && affirm xla dump/" + name.rsplit('.').first.str() + source + " --seed " +
          std::to_string(options.dump.seed)};
  return llvm::Error::success();
}

// The command that checks the dump again.
std::string ReplayOf(const Options& options) {
  std::string replay = "affirm xla " + driver::ShellQuoted(options.folder) + " --seed " +
                       std::to_string(options.dump.seed);
  if (!options.source.empty()) replay += " --source " + driver::ShellQuoted(options.source);
  if (options.dump.strict) replay += " --strict";
  for (const std::string& glob : options.dump.assume)
    replay += " --assume " + driver::ShellQuoted(glob);
  replay += options.meanings.ToString();
  if (!options.dump.run.empty()) replay += " --run " + driver::ShellQuoted(options.dump.run);
  return replay;
}

// The question and the files, which all shards of a run have in common. What a command of --run
// does is not part of it.
llvm::Expected<std::string> RunOf(const Options& options,
                                  llvm::ArrayRef<driver::ModuleFiles> modules) {
  std::string run = ReplayOf(options);
  if (!options.module.empty()) run += " --module " + options.module;
  if (!options.dump.only_kernel.empty()) run += " --kernel " + options.dump.only_kernel;
  if (options.passes_only) run += " --passes";
  if (options.kernels_only) run += " --kernels";
  driver::InputDigest meanings;
  for (const std::string& given : options.meanings.given) {
    auto file = driver::ReadInput(llvm::StringRef(given).split('=').second, "an HLO module");
    if (!file) return file.takeError();
    meanings.Add(file->text);
  }
  return run + ", files " + driver::DigestOf(modules) + ", meanings " + meanings.text();
}

// The modules of one shard, by their numbers.
std::vector<driver::ModuleFiles> PartOf(std::vector<driver::ModuleFiles> modules,
                                        driver::Shard shard) {
  std::vector<driver::ModuleFiles> part;
  for (auto [k, files] : llvm::enumerate(modules)) {
    if (shard.Has(k)) part.push_back(std::move(files));
  }
  return part;
}

int Run(Options& options) {
  if (llvm::Error error = options.report.Begin()) return Report(std::move(error));
  auto modules = driver::FindModules(options.folder);
  if (!modules) return Report(modules.takeError());
  if (!options.module.empty()) {
    // `jit_f` is every module of the dump that has this name, behind any number.
    llvm::erase_if(*modules, [&](const auto& files) {
      return files.name != options.module &&
             llvm::StringRef(files.name).split('.').second != options.module;
    });
    if (modules->empty())
      return Report(MakeError("no module '" + options.module + "' in " + options.folder));
  }
  for (const std::string& glob : options.dump.assume) {
    auto pattern = llvm::GlobPattern::create(glob);
    if (!pattern)
      return Report(MakeError("--assume: '" + glob +
                              "' is no pattern: " + llvm::toString(pattern.takeError())));
  }
  auto shard = driver::ParseShard(options.shard);
  if (!shard) return Report(shard.takeError());
  auto meanings = options.meanings.Get();
  if (!meanings) return Report(meanings.takeError());
  options.dump.meanings = std::move(*meanings);
  options.dump.passes = !options.kernels_only && options.dump.only_kernel.empty();
  options.dump.kernels = !options.passes_only;
  if (!options.source.empty()) {
    if (llvm::Error error = driver::AddSource(*modules, options.source, options.dump))
      return Report(std::move(error));
  }
  auto run = options.shard.empty() ? llvm::Expected<std::string>("") : RunOf(options, *modules);
  if (!run) return Report(run.takeError());
  *modules = PartOf(std::move(*modules), *shard);
  Progress progress;
  driver::DumpResult result = driver::CheckDump(
      *modules, options.dump, [&](const std::string& text) { progress.Show(text); });
  llvm::Error reduced =
      options.reduce.empty() ? llvm::Error::success() : Reduce(options, *modules, result, progress);
  progress.Clear();
  driver::RunReport report = driver::ToRunReport(result, options.folder, ReplayOf(options));
  report.asked = (options.dump.strict ? " --strict" : "") + options.meanings.ToString();
  const int status = options.report.Print(
      {std::move(report)},
      [&](llvm::raw_ostream& os) {
        driver::PrintReport(os, result, options.report.verbosity() > 1);
      },
      [&](llvm::json::OStream& json) {
        driver::WriteAttributes(json, result);
        if (options.shard.empty()) return;
        json.attribute("shard", options.shard);
        json.attribute("run", *run);
      });
  if (reduced) return Report(std::move(reduced));
  return status;
}

}  // namespace

void AddXla(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("xla", "Which pass or kernel of a dump of XLA is wrong");
  verb.Option("DUMP_DIR", options->folder,
              "What --xla_dump_to wrote, best with --xla_dump_hlo_pass_re=.* and "
              "--xla_dump_emitter_re=.*; or a folder of such folders")
      .Required();
  OptionHandle passes =
      verb.Flag("--passes", options->passes_only, "The HLO passes alone, no kernels");
  OptionHandle kernels = verb.Flag("--kernels", options->kernels_only, "The kernels alone");
  kernels.Excludes(passes);
  verb.Option("--source", options->source,
              "HLO as the compiler was given it: compared with the first HLO of the module of this "
              "name, as a step 'import'");
  verb.Option("--module", options->module, "This module alone: module_0001.jit_f, or jit_f");
  verb.Option("--kernel", options->dump.only_kernel, "The kernel of this function alone")
      .Excludes(passes);
  verb.Option(
          "--assume", options->dump.assume,
          "GLOB: what is not covered and has such a name is taken on trust, and the verdict says "
          "so: '__cublas$gemm', fft, '*'; may be given several times")
      .Repeated();
  verb.Flag("--strict", options->dump.strict,
            "Laws that change roundings, such as reassociation, explain no step (docs/xla.md)");
  verb.Option("--most-elements", options->dump.most_elements,
              "Kernels with more elements in operands and results are run in samples only")
      .Within(0, INT64_MAX)
      .ShowDefault();
  verb.Option("--seed", options->dump.seed, "Of the arguments").ShowDefault();
  verb.Option(
      "--reduce", options->reduce,
      "Make the module of what is wrong first small, and write it to this file: XLA compiles "
      "each candidate");
  verb.Option(
          "--compiler", options->compiler,
          "--reduce: the command that compiles, python/xla_compile.py with a Python that has JAX")
      .ShowDefault();
  OptionHandle reduce = verb.Find("--reduce");
  verb.Option("--run", options->dump.run,
              "A command that runs the compiled program: `python -m affirm.xla_run FILE` "
              "(docs/xla.md); "
              "the largest module's results are compared with the interpreter's")
      .Excludes(reduce);
  verb.Option("--shard", options->shard,
              "I/N: only the modules whose number is I modulo N; `affirm merge` puts the reports "
              "of --json together")
      .Excludes(reduce);
  options->meanings.AddTo(verb);
  options->report.AddTo(verb);
  options->limits.AddTo(verb);
  options->lemmas.AddTo(verb);
  AddJobs(verb, options->dump.jobs);
  verb.Footer(
      "Exit status: 0 every step is proved, 1 a pass or kernel is wrong, 2 something was only "
      "executed, stayed unknown or is not covered (--assume), 3 bad input.\n"
      "Example:\n"
      "  $ XLA_FLAGS='--xla_dump_to=dump --xla_dump_hlo_pass_re=.* --xla_dump_emitter_re=.*' "
      "python model.py\n"
      "  $ affirm xla dump");
  verb.Run([options] {
    options->lemmas.Begin();
    return options->limits.Run("xla", options->folder, options->dump.jobs, options->report,
                               [&] { return Run(*options); });
  });
}

}  // namespace affirm::cli
