// Target machines, LLVM's pipeline and its code generators.
#include "emit/codegen/machine_code.h"

#include <mutex>

#include "emit/codegen/device_math.h"
#include "emit/codegen/lower_to_llvm.h"
#include "emit/plan/error.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

namespace affirm::emit {
namespace {

struct Machine {
  std::string triple, cpu, features;
};

// The version of PTX is the first that has the machine.
Machine Describe(Target target, llvm::StringRef name) {
  auto named = [&](llvm::StringRef usual) { return (name.empty() ? usual : name).str(); };
  switch (target) {
    case Target::kNvptx:
      return {"nvptx64-nvidia-cuda", named("sm_90"), ""};
    case Target::kAmdgpu:
      return {"amdgcn-amd-amdhsa", named("gfx942"), ""};
    case Target::kHost:
      break;
  }
  if (!name.empty()) return {llvm::sys::getProcessTriple(), name.str(), ""};
  Machine host{llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName().str(), ""};
  for (const auto& [name, present] : llvm::sys::getHostCPUFeatures()) {
    host.features +=
        (host.features.empty() ? "" : ",") + std::string(present ? "+" : "-") + name.str();
  }
  // These round f32 to bf16 in one instruction that flushes denormals, which LLVM selects for our
  // integer arithmetic as well.
  host.features += ",-avx512bf16,-avxneconvert,-avx10.2";
  return host;
}

void InitializeTarget(Target target) {
  static std::mutex registry;  // LLVM's list of targets takes one writer at a time
  std::lock_guard lock(registry);
  switch (target) {
    case Target::kHost:
      llvm::InitializeNativeTarget();
      llvm::InitializeNativeTargetAsmPrinter();
      break;
    case Target::kNvptx:
      LLVMInitializeNVPTXTargetInfo();
      LLVMInitializeNVPTXTarget();
      LLVMInitializeNVPTXTargetMC();
      LLVMInitializeNVPTXAsmPrinter();
      break;
    case Target::kAmdgpu:
      LLVMInitializeAMDGPUTargetInfo();
      LLVMInitializeAMDGPUTarget();
      LLVMInitializeAMDGPUTargetMC();
      LLVMInitializeAMDGPUAsmPrinter();
      break;
  }
}

}  // namespace

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> MakeTargetMachine(Target target,
                                                                       llvm::StringRef name) {
  InitializeTarget(target);
  Machine description = Describe(target, name);
  llvm::Triple triple(description.triple);
  std::string error;
  const llvm::Target* registered = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!registered) return NotSupported(error);
  std::unique_ptr<llvm::MCSubtargetInfo> known(registered->createMCSubtargetInfo(triple, "", ""));
  if (!known || !known->isCPUStringValid(description.cpu)) {
    return NotSupported("there is no machine '" + description.cpu + "' for " + description.triple);
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(registered->createTargetMachine(
      triple, description.cpu, description.features, options, llvm::Reloc::PIC_));
  if (!machine) {
    return NotSupported("LLVM has no machine for " + description.triple);
  }
  return machine;
}

void Optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  llvm::TargetLibraryInfoImpl no_library(module.getTargetTriple());
  no_library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(no_library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

llvm::Expected<std::string> PrintMachineCode(llvm::Module& module, llvm::TargetMachine& machine,
                                             bool object) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager passes;
  auto type = object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  if (machine.addPassesToEmitFile(passes, os, nullptr, type)) {
    return NotSupported("the target prints no such file");
  }
  passes.run(module);
  // The backend itself may have called something; a device has no loader that would find it.
  llvm::StringRef external = text.str();
  if (module.getTargetTriple().isNVPTX() && external.contains(".extern .func")) {
    external = external.drop_front(external.find(".extern .func")).take_until([](char c) {
      return c == '\n';
    });
    return NotSupported("no device function for " + external);
  }
  return text.str().str();
}

llvm::Expected<std::string> MachineCode(const Kernel::Impl& kernel, Target target,
                                        llvm::StringRef name, bool object) {
  if (object && target == Target::kNvptx) {
    return NotSupported("PTX is text: there are no object files of it");
  }
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> module = LowerToLlvm(kernel, target, context);
  if (!module) return module.takeError();
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = MakeTargetMachine(target, name);
  if (!machine) return machine.takeError();
  (*module)->setTargetTriple((*machine)->getTargetTriple());
  (*module)->setDataLayout((*machine)->createDataLayout());
  if (target != Target::kHost) {
    if (llvm::Error error = LinkDeviceMath(**module, target)) return error;
  }
  Optimize(**module, **machine);
  return PrintMachineCode(**module, **machine, object);
}

llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> MakeJit(
    std::unique_ptr<llvm::TargetMachine> machine) {
  using Compiler = llvm::orc::IRCompileLayer::IRCompiler;
  llvm::orc::JITTargetMachineBuilder builder(machine->getTargetTriple());
  const llvm::DataLayout layout = machine->createDataLayout();
  return llvm::orc::LLJITBuilder()
      .setJITTargetMachineBuilder(builder)
      .setDataLayout(layout)
      .setCompileFunctionCreator(
          [&](llvm::orc::JITTargetMachineBuilder) -> llvm::Expected<std::unique_ptr<Compiler>> {
            return std::make_unique<llvm::orc::TMOwningSimpleCompiler>(std::move(machine));
          })
      .create();
}

}  // namespace affirm::emit
