// affirm fuzz: random inputs of a kind, checked, and what is found made small.
#include "core/hlo/opcode.h"
#include "core/symbolic/error.h"
#include "driver/campaign/campaign.h"
#include "driver/campaign/mutants.h"
#include "driver/campaign/xla_target.h"
#include "driver/progress.h"
#include "driver/shell_command.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/limit_options.h"
#include "tools/affirm/report_options.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {
namespace {

struct Options {
  driver::CampaignOptions campaign;
  std::string shard, generate, compiler = "python3 python/xla_compile.py", platform = "cpu";
  std::vector<std::string> ops, types, modules;
  fuzz::HloLimits limits;
  ReportFlags report;
  LimitFlags memory;
  bool plain = false, no_reduce = false, no_proofs = false;
};

// The names of ops, "all" for every op that the generator has.
llvm::Error ReadOps(const std::vector<std::string>& names, fuzz::HloLimits& limits) {
  std::vector<hlo::Opcode> known = fuzz::GeneratedOps();
  for (const std::string& name : names) {
    hlo::Opcode opcode = hlo::OpcodeFromName(name);
    if (name == "all") {
      limits.ops.insert(limits.ops.end(), known.begin(), known.end());
      limits.any_bitcast = true;
    } else if (llvm::is_contained(known, opcode)) {
      limits.ops.push_back(opcode);
    } else {
      return MakeError("--ops: '" + name +
                       "' is no op that is generated, expected one of HLO's, or all");
    }
  }
  return llvm::Error::success();
}

llvm::Error ReadTypes(const std::vector<std::string>& names, fuzz::HloLimits& limits) {
  for (const std::string& name : names) {
    hlo::PrimitiveType type = hlo::PrimitiveTypeFromName(name);
    if (!hlo::IsArray(type)) {
      return MakeError("--types: '" + name + "' is no element type, expected one of HLO's");
    }
    limits.types.push_back(type);
  }
  return llvm::Error::success();
}

// The options that say which inputs a seed has, and which compiler is asked about them.
std::string AskedOf(const Options& options) {
  const fuzz::HloLimits usual;
  std::string text;
  auto add = [&](const char* name, const std::string& value) {
    text += std::string(" ") + name + " " + driver::ShellQuoted(value);
  };
  if (!options.ops.empty()) add("--ops", llvm::join(options.ops, ","));
  if (!options.types.empty()) add("--types", llvm::join(options.types, ","));
  if (options.limits.max_ops != usual.max_ops)
    add("--max-ops", std::to_string(options.limits.max_ops));
  if (options.limits.max_elements != usual.max_elements)
    add("--max-elements", std::to_string(options.limits.max_elements));
  if (options.plain) text += " --plain";
  if (options.campaign.target == "mutants") {
    for (const std::string& file : options.modules) add("--modules", file);
    if (options.no_proofs) text += " --no-proofs";
  }
  if (options.campaign.target != "xla") return text;
  if (options.platform != Options().platform) add("--platform", options.platform);
  if (options.compiler != Options().compiler) add("--compiler", options.compiler);
  return text;
}

// Writes the inputs instead of checking them.
int Generate(const driver::FuzzTarget& target, const Options& options) {
  const driver::CampaignOptions& campaign = options.campaign;
  if (std::error_code code = llvm::sys::fs::create_directories(options.generate)) {
    return Report(
        MakeError("--generate: cannot create '" + options.generate + "': " + code.message()));
  }
  for (uint64_t i = campaign.first; i < campaign.first + campaign.runs; ++i) {
    if (!campaign.shard.Has(i)) continue;
    std::string path = options.generate + "/" + campaign.target + "_" + std::to_string(i) + "." +
                       target.extension();
    std::error_code code;
    llvm::raw_fd_ostream file(path, code);
    if (code)
      return Report(MakeError("--generate: cannot write '" + path + "': " + code.message()));
    file << target.Generate(driver::BytesOf(campaign.seed, i));
  }
  return kSuccess;
}

// Prints the report of a campaign. `shard` is empty for a whole campaign.
template <typename Campaign>
int PrintCampaign(ReportFlags& flags, const Campaign& report, const std::string& shard) {
  driver::RunReport run = driver::ToRunReport(report);
  flags.Compare(run);
  if (flags.json()) {
    llvm::json::Value json = driver::ToJson(report);
    (*json.getAsObject())["reports"] = llvm::json::Array{driver::ToJson(run)};
    if (!shard.empty()) (*json.getAsObject())["shard"] = shard;
    llvm::outs() << llvm::formatv("{0:2}", json) << "\n";
  } else if (flags.text()) {
    driver::PrintReport(report, llvm::outs());
  }
  return flags.Finish({std::move(run)});
}

// Random modules are made before the first of their mutants runs.
constexpr uint64_t kMostMutantsOfRandomModules = 10'000'000;

// Mutants of the kernels of files, or of random modules.
int RunMutantsOf(Options& options) {
  const driver::CampaignOptions& campaign = options.campaign;
  if (options.modules.empty() && campaign.runs > kMostMutantsOfRandomModules)
    return Report(
        MakeError("--runs: '" + llvm::Twine(campaign.runs) + "', expected a number from 0 to " +
                  llvm::Twine(kMostMutantsOfRandomModules) + " for mutants of random modules"));
  std::vector<driver::KernelOfModule> kernels;
  auto add = [&](std::unique_ptr<hlo::Module> module, const std::string& file) {
    auto more = driver::KernelsOf(std::shared_ptr<const hlo::Module>(std::move(module)), file);
    kernels.insert(kernels.end(), more.begin(), more.end());
  };
  for (const std::string& file : options.modules) {
    auto modules = ReadModules(file);
    if (!modules) return Report(modules.takeError());
    for (auto& module : *modules) add(std::move(module), file);
  }
  if (options.modules.empty()) {
    // A random module for every 25 mutants.
    const uint64_t count = std::max<uint64_t>(campaign.runs / 25, 1);
    for (uint64_t i = 0; i < count; ++i) {
      std::vector<uint8_t> bytes = driver::BytesOf(campaign.seed, i);
      fuzz::Choices choices(bytes);
      add(fuzz::GenerateModule(choices, options.limits), "hlo_" + std::to_string(i) + ".hlo");
    }
  }
  driver::MutantReport report = driver::RunMutants(kernels,
                                                   {.seed = campaign.seed,
                                                    .runs = static_cast<int64_t>(campaign.runs),
                                                    .first = campaign.first,
                                                    .shard = campaign.shard,
                                                    .max_seconds = campaign.max_seconds,
                                                    .prove = !options.no_proofs,
                                                    .asked = campaign.asked},
                                                   [](int64_t) {});
  return PrintCampaign(options.report, report, campaign.shard.IsWhole() ? "" : options.shard);
}

int Run(Options& options) {
  if (llvm::Error error = options.report.Begin()) return Report(std::move(error));
  if (llvm::Error error = ReadOps(options.ops, options.limits)) return Report(std::move(error));
  if (llvm::Error error = ReadTypes(options.types, options.limits)) return Report(std::move(error));
  auto shard = driver::ParseShard(options.shard);
  if (!shard) return Report(shard.takeError());
  options.campaign.shard = *shard;
  options.campaign.reduce = !options.no_reduce;
  options.campaign.asked = AskedOf(options);
  if (options.plain || options.campaign.target == "xla") {
    options.limits.max_fusions = 0;
    options.limits.layouts = false;
    options.limits.portable = true;
    options.limits.max_stride = int64_t{1} << 20;
  }
  if (options.campaign.target == "mutants") return RunMutantsOf(options);
  std::unique_ptr<driver::FuzzTarget> target;
  for (const driver::FuzzTargetInfo& info : driver::FuzzTargets()) {
    if (options.campaign.target == info.name)
      target = info.make(options.limits, options.campaign.seed);
  }
  if (options.campaign.target == "xla") {
    auto compiler =
        driver::XlaCompiler::Create(options.compiler + " --platform " + options.platform);
    if (!compiler) return Report(compiler.takeError());
    target = driver::MakeXlaTarget(options.limits, options.campaign.seed, std::move(*compiler));
  }
  if (!options.generate.empty()) return Generate(*target, options);
  driver::CampaignReport report = driver::RunCampaign(*target, options.campaign);
  return PrintCampaign(options.report, report,
                       options.campaign.shard.IsWhole() ? "" : options.shard);
}

}  // namespace

void AddFuzz(CommandLine& line) {
  auto options = std::make_shared<Options>();
  driver::CampaignOptions& campaign = options->campaign;
  Verb verb = line.Add("fuzz", "Check random inputs; reduce and write down what is found");
  std::vector<std::string> names;
  std::string about = "What to look at.";
  for (const driver::FuzzTargetInfo& target : driver::FuzzTargets()) {
    names.push_back(target.name);
    about += std::string(" ") + target.name + ": " + target.what + ".";
  }
  names.insert(names.end(), {"mutants", "xla"});
  about +=
      " mutants: kernels' LLVM IR with one fault each, through `affirm validate`."
      " xla: modules through a compiler of XLA, what it dumps through `affirm xla`.";
  verb.Option("TARGET", campaign.target, about).Required().OneOf(names);
  verb.Option("--seed", campaign.seed, "Of the inputs, and of the arguments of modules")
      .ShowDefault();
  verb.Option("--runs", campaign.runs, "How many inputs").Within(0, INT64_MAX).ShowDefault();
  verb.Option("--first", campaign.first, "The number of the first input")
      .Within(0, INT64_MAX)
      .ShowDefault();
  verb.Option("--max-time", campaign.max_seconds, "Stop after this many seconds (0: don't)")
      .Within(0, INT64_MAX)
      .ShowDefault();
  verb.Option("--max-findings", campaign.max_findings,
              "Stop after this many findings, crashes and hangs (0: don't)")
      .Within(0, INT64_MAX)
      .ShowDefault();
  verb.Option("--shard", options->shard, "I/N: only the inputs whose number is I modulo N");
  campaign.out = "corpus/regressions";
  verb.Option("--out", campaign.out, "Folder for what is found, reduced").ShowDefault();
  verb.Flag("--no-reduce", options->no_reduce, "Write down findings as they are");
  verb.Option("--generate", options->generate,
              "Write the inputs to this folder instead of checking them");
  verb.Option("--ops", options->ops,
              "hlo: only these ops; all: also those that `check` does not affirm")
      .Delimiter(',');
  verb.Option("--types", options->types, "hlo: only these element types").Delimiter(',');
  verb.Option("--max-ops", options->limits.max_ops, "hlo: ops of a computation")
      .Within(1, INT64_MAX)
      .ShowDefault();
  verb.Option("--max-elements", options->limits.max_elements, "hlo: elements of an array")
      .Within(1, INT64_MAX)
      .ShowDefault();
  verb.Flag(
      "--plain", options->plain,
      "hlo: no fusions, no layouts, no strides past 2^20, reductions from neutral values: what any "
      "compiler reads alike");
  verb.Option("--modules", options->modules,
              "mutants: of the kernels of these files, not of random modules");
  verb.Option("--platform", options->platform, "xla: which of its compilers")
      .OneOf({"cpu", "gpu"})
      .ShowDefault();
  verb.Option("--compiler", options->compiler,
              "xla: the command that compiles, python/xla_compile.py with a Python that has JAX")
      .ShowDefault();
  verb.Flag("--no-proofs", options->no_proofs, "mutants: run them alone");
  options->report.AddTo(verb);
  options->memory.AddTo(verb, /*with_time=*/false);
  verb.Footer(
      "Example:\n"
      "  $ affirm fuzz hlo --seed 7 --runs 500\n"
      "  $ affirm fuzz hlo --seed 7 --runs 500 --shard 1/4 --json > part1.json\n"
      "  $ affirm fuzz xla --runs 100 --compiler '.venv/bin/python python/xla_compile.py'");
  verb.Run([options] {
    return options->memory.Run("fuzz", options->campaign.target, 1, options->report,
                               [&] { return Run(*options); });
  });
}

}  // namespace affirm::cli
