// The LLVM IR that PTX is printed from, on the emulator.
#include "tests/emit/device_code.h"

#include "emit/codegen/device_math.h"
#include "emit/codegen/lower_to_llvm.h"
#include "emit/codegen/machine_code.h"
#include "emit/runtime/device_kernel.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::testing {
namespace {

// The choices of PTX's code generator where LLVM leaves them open: conversions to integers saturate
// (some functions look up tables with the result before they choose another one), and products are
// rounded before an addition.
llvm::Value* AsInPtx(llvm::Instruction& instruction) {
  llvm::IRBuilder<> b(&instruction);
  if (llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(instruction)) {
    const auto saturating = llvm::isa<llvm::FPToSIInst>(instruction) ? llvm::Intrinsic::fptosi_sat
                                                                     : llvm::Intrinsic::fptoui_sat;
    llvm::Value* from = instruction.getOperand(0);
    return b.CreateIntrinsic(saturating, {instruction.getType(), from->getType()}, {from});
  }
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (call == nullptr || call->getIntrinsicID() != llvm::Intrinsic::fmuladd) return nullptr;
  return b.CreateFAdd(b.CreateFMul(call->getArgOperand(0), call->getArgOperand(1)),
                      call->getArgOperand(2));
}

void ReplaceWhatIsOpen(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      if (llvm::Value* same = AsInPtx(instruction)) {
        instruction.replaceAllUsesWith(same);
        instruction.eraseFromParent();
      }
    }
  }
}

llvm::Expected<std::string> LinkedCode(const emit::Kernel& kernel) {
  const auto target = emit::Target::kNvptx;
  llvm::LLVMContext context;
  auto module = emit::LowerToLlvm(kernel.impl(), target, context);
  if (!module) return module.takeError();
  auto machine = emit::MakeTargetMachine(target);
  if (!machine) return machine.takeError();
  emit::SetMachine(**module, **machine);
  if (auto error = emit::LinkDeviceMath(**module, target)) return error;
  emit::Optimize(**module, **machine);
  ReplaceWhatIsOpen(**module);
  std::string text;
  llvm::raw_string_ostream os(text);
  (*module)->print(os, nullptr);
  return text;
}

}  // namespace

llvm::Expected<hlo::Literal> RunDeviceCode(const emit::Kernel& kernel,
                                           llvm::ArrayRef<hlo::Literal> arguments) {
  auto text = LinkedCode(kernel);
  if (!text) return text.takeError();
  auto ir = kernel::ReadKernelIr(*text, kernel.name(), kernel.name());
  if (!ir) return ir.takeError();
  auto compiled = emit::EmulatedKernel::Compile(
      kernel, {std::move(*ir), emit::LaunchOf(kernel), std::move(*text)});
  if (!compiled) return compiled.takeError();
  return compiled->Run(arguments);
}

}  // namespace affirm::testing
