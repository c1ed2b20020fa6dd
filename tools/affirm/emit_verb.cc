// affirm emit: the kernels of a module at a stage of their making.
#include "core/symbolic/error.h"
#include "driver/check/program.h"
#include "emit/index_width_choice.h"
#include "emit/kernel.h"
#include "emit/runtime/device_kernel.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/meaning_options.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {
namespace {

struct Options {
  std::string file;
  std::string target = "nvptx", stage = "asm", index_width = "proved";
  std::string machine;
  std::string instruction;
  bool json = false;
  bool buffers = false;
  bool launch = false;
  MeaningFlags meanings;
};

emit::Target TargetOf(llvm::StringRef name) {
  return name == "nvptx" ? emit::Target::kNvptx : emit::Target::kAmdgpu;
}

emit::Stage StageOf(llvm::StringRef name) {
  if (name == "mlir") return emit::Stage::kMlir;
  if (name == "object") return emit::Stage::kObject;
  if (name == "optimized") return emit::Stage::kOptimized;
  return name == "llvm" ? emit::Stage::kLlvm : emit::Stage::kAsm;
}

void WriteKernel(llvm::json::OStream& json, const driver::FusedComputation& fused,
                 const emit::Kernel& kernel, const std::string& text) {
  json.object([&] {
    json.attribute("fusion", JsonText(fused.name));
    json.attribute("name", JsonText(kernel.name()));
    json.attribute("emitter", kernel.emitter());
    json.attribute("blocks", kernel.launch().blocks);
    json.attribute("threads", kernel.launch().threads);
    WriteValues(json, "slices", kernel.slices());
    json.attribute("functions", kernel.num_functions());
    json.attributeArray("thread_maps", [&] {
      for (const emit::ThreadMap& map : kernel.thread_maps()) {
        json.value(JsonText(map.map.ToString()));
      }
    });
    json.attribute("text", JsonText(text));
  });
}

llvm::Error EmitOne(const driver::FusedComputation& fused, const Options& options,
                    llvm::json::OStream* json) {
  Context context;
  auto kernel = driver::EmitKernel(fused, context);
  if (!kernel) return kernel.takeError();
  if (options.index_width != "proved") {
    emit::SetIndexWidth(*kernel, static_cast<unsigned>(std::stoi(options.index_width)));
  }
  if (options.launch) {
    llvm::json::OStream text(llvm::outs());
    WriteJson(text, emit::LaunchOf(*kernel));
    llvm::outs() << "\n";
    return llvm::Error::success();
  }
  auto text = kernel->Text(TargetOf(options.target), StageOf(options.stage), options.machine);
  if (!text) return text.takeError();
  if (json) {
    WriteKernel(*json, fused, *kernel, *text);
  } else {
    llvm::outs() << *text;
  }
  return llvm::Error::success();
}

// The kernels that were asked for: all, or the one of --instr.
struct Selection {
  std::vector<driver::Program> programs;  // what the fusions point into
  std::vector<driver::FusedComputation> kernels;
};

llvm::Expected<Selection> Select(const std::vector<std::unique_ptr<hlo::Module>>& modules,
                                 const Options& options) {
  Selection selection;
  for (const auto& module : modules) {
    const driver::Program& program = selection.programs.emplace_back(*module);
    for (const driver::FusedComputation& whole : program.fused_computations()) {
      for (const driver::FusedComputation& fused : program.partitions(whole).kernels) {
        if (options.instruction.empty() || fused.name == options.instruction) {
          selection.kernels.push_back(fused);
        }
      }
    }
  }
  if (selection.kernels.empty()) {
    return ErrorAt(options.file, {}, "no kernel is named '" + options.instruction + "'");
  }
  return selection;
}

// Which arrays of the modules share memory.
int PrintBuffers(const std::vector<std::unique_ptr<hlo::Module>>& modules) {
  for (const auto& module : modules) {
    const driver::Program program(*module);
    llvm::outs() << program.buffers().slices.ToString();
    for (const auto& [from, to] : program.buffers().copies) {
      llvm::outs() << "copy at the end: allocation " << from.allocation << " to allocation "
                   << to.allocation << "\n";
    }
  }
  return kSuccess;
}

int Run(const Options& options) {
  if (options.json && options.stage == "object") {
    return Report(ErrorAt(options.file, {}, "an object file is no text for --json"));
  }
  if (options.json && options.launch) {
    return Report(ErrorAt(options.file, {}, "--launch is of one kernel, expected no --json"));
  }
  auto meanings = options.meanings.Get();
  if (!meanings) return Report(meanings.takeError());
  auto modules = ReadExpandedModules(options.file, *meanings);
  if (!modules) return Report(modules.takeError());
  if (options.buffers) return PrintBuffers(*modules);
  auto selection = Select(*modules, options);
  if (!selection) return Report(selection.takeError());
  const std::vector<driver::FusedComputation>& kernels = selection->kernels;
  if (!options.json) {
    if (kernels.size() > 1) {
      return Report(ErrorAt(options.file, kernels.front().computation->location,
                            llvm::Twine(kernels.size()) +
                                " kernels, expected one: choose it with --instr, or use --json"));
    }
    auto error = EmitOne(kernels.front(), options, nullptr);
    if (!error) return kSuccess;
    return Report(std::move(error), options.file, kernels.front().computation->location);
  }
  llvm::json::OStream json(llvm::outs());
  int status = kSuccess;
  json.object([&] {
    json.attribute("target", options.target);
    json.attribute("stage", options.stage);
    json.attributeArray("kernels", [&] {
      for (const driver::FusedComputation& fused : kernels) {
        if (auto error = EmitOne(fused, options, &json)) {
          status = Report(std::move(error), options.file, fused.computation->location);
        }
      }
    });
  });
  llvm::outs() << "\n";
  return status;
}

}  // namespace

void AddEmit(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("emit", "Print a kernel at a stage");
  verb.Option("FILE", options->file, "HLO text, or - for standard input").Required();
  verb.Option("--target", options->target, "What the kernel is for")
      .OneOf({"nvptx", "amdgpu"})
      .ShowDefault();
  verb.Option("--stage", options->stage, "How far it is lowered")
      .OneOf({"mlir", "llvm", "optimized", "asm", "object"})
      .ShowDefault();
  verb.Option("--arch", options->machine,
              "The processor, as LLVM names it; without: sm_90 or gfx942");
  verb.Option("--index-width", options->index_width,
              "The bits of index: 32 or 64; proved: 32 where no index needs more, else 64")
      .OneOf({"32", "64", "proved"})
      .ShowDefault();
  verb.Option("--instr", options->instruction,
              "The kernel, where there are several: a fusion, or FUSION.REDUCTION");
  options->meanings.AddTo(verb);
  verb.Flag("--json", options->json, "Print every kernel as one JSON document");
  verb.Flag("--launch", options->launch,
            "Print instead how the kernel is launched, as validate reads it");
  verb.Flag("--buffers", options->buffers,
            "Print instead which arrays of the module share memory, in XLA's form");
  verb.Footer(
      "Example:\n"
      "  $ affirm emit corpus/hlo/elementwise.hlo --target nvptx --stage asm > k.ptx\n"
      "  $ ptxas -arch=sm_90 k.ptx -o k.cubin\n"
      "  $ affirm emit corpus/hlo/elementwise.hlo --target amdgpu --arch gfx942 --stage object > "
      "k.o\n"
      "  $ ld.lld -shared k.o -o k.hsaco");
  verb.Run([options] { return Run(*options); });
}

}  // namespace affirm::cli
