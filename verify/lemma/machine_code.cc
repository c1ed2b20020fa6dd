#include "verify/lemma/machine_code.h"

#include "core/symbolic/error.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

namespace affirm::lemma {

struct MachineCode::Jit {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

MachineCode::MachineCode() = default;
MachineCode::MachineCode(MachineCode&&) noexcept = default;
MachineCode& MachineCode::operator=(MachineCode&&) noexcept = default;
MachineCode::~MachineCode() = default;

namespace {

// The host, without licences: no contraction, no flush of denormals.
llvm::Expected<llvm::orc::JITTargetMachineBuilder> DescribeHost() {
  static const bool initialized =
      !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  if (!initialized) return MakeError("LLVM has no code generator for this machine");
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host) return host.takeError();
  host->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  host->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  return host;
}

void Optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(&machine);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(calls);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, calls, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

}  // namespace

llvm::Expected<MachineCode> MachineCode::Create(const Statement& statement) {
  auto context = std::make_unique<llvm::LLVMContext>();
  std::optional<CompiledStatement> compiled = CompileStatement(statement, *context);
  if (!compiled) return MakeError("an operation that is not compiled");
  auto host = DescribeHost();
  if (!host) return host.takeError();
  auto machine = host->createTargetMachine();
  if (!machine) return machine.takeError();
  compiled->module->setDataLayout((*machine)->createDataLayout());
  compiled->module->setTargetTriple((*machine)->getTargetTriple());
  Optimize(*compiled->module, **machine);
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*host)).create();
  if (!jit) return jit.takeError();
  if (llvm::Error error = (*jit)->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(compiled->module), std::move(context)))) {
    return error;
  }
  auto count = (*jit)->lookup("count_differences");
  if (!count) return count.takeError();
  auto evaluate = (*jit)->lookup("evaluate");
  if (!evaluate) return evaluate.takeError();
  MachineCode code;
  code.num_choices_ = compiled->num_choices;
  code.count_differences_ = count->toPtr<uint32_t(uint32_t, uint32_t, uint32_t)>();
  code.evaluate_ = evaluate->toPtr<void(uint32_t, uint32_t, SidesAtPoint*)>();
  code.jit_ = std::make_unique<Jit>(Jit{std::move(*jit)});
  return code;
}

SidesAtPoint MachineCode::Evaluate(uint32_t point, uint32_t choices) const {
  SidesAtPoint sides;
  evaluate_(point, choices, &sides);
  return sides;
}

}  // namespace affirm::lemma
