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

namespace affirm::emit {
namespace {

void InitializeTarget(Target target) {
  static std::mutex registry;  // LLVM's list of targets takes one writer at a time
  std::lock_guard lock(registry);
  switch (target) {
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
  const bool ptx = target == Target::kNvptx;
  const llvm::Triple triple(ptx ? "nvptx64-nvidia-cuda" : "amdgcn-amd-amdhsa");
  const std::string cpu = !name.empty() ? name.str() : ptx ? "sm_90" : "gfx942";
  std::string error;
  const llvm::Target* registered = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!registered) return NotSupported(error);
  std::unique_ptr<llvm::MCSubtargetInfo> known(registered->createMCSubtargetInfo(triple, "", ""));
  if (!known || !known->isCPUStringValid(cpu)) {
    return NotSupported("there is no machine '" + cpu + "' for " + triple.str());
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      registered->createTargetMachine(triple, cpu, /*Features=*/"", options, llvm::Reloc::PIC_));
  if (!machine) {
    return NotSupported("LLVM has no machine for " + triple.str());
  }
  return machine;
}

void SetMachine(llvm::Module& module, const llvm::TargetMachine& machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
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
  SetMachine(**module, **machine);
  if (llvm::Error error = LinkDeviceMath(**module, target)) return error;
  Optimize(**module, **machine);
  return PrintMachineCode(**module, **machine, object);
}

}  // namespace affirm::emit
