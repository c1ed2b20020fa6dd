// The kernel in the LLVM dialect, then in LLVM IR.
#include "emit/codegen/lower_to_llvm.h"

#include "emit/codegen/mlir_context.h"
#include "emit/elements/scalar.h"
#include "emit/transforms/exact_casts.h"
#include "emit/transforms/index_width.h"
#include "emit/transforms/lower_block_ops.h"
#include "emit/transforms/lower_math.h"
#include "emit/transforms/tensor_passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"

namespace affirm::emit {
namespace {

// Converts everything that remains after tensors, ids and mathematical functions, in one step.
mlir::LogicalResult ConvertToLlvm(mlir::ModuleOp module, unsigned index_bits) {
  mlir::MLIRContext* context = module.getContext();
  mlir::LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(index_bits);
  // LLVM's data layout is the target's; it has no index.
  module->removeAttr(mlir::DLTIDialect::kDataLayoutAttrName);
  mlir::LLVMTypeConverter types(context, options);
  mlir::RewritePatternSet patterns(context);
  PopulateExactCastLowerings(types, patterns);
  mlir::populateComplexToLLVMConversionPatterns(types, patterns);
  mlir::arith::populateArithToLLVMConversionPatterns(types, patterns);
  mlir::populateMathToLLVMConversionPatterns(types, patterns);
  mlir::cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  mlir::populateFuncToLLVMConversionPatterns(types, patterns);
  mlir::LLVMConversionTarget target(*context);
  target.addLegalOp<mlir::ModuleOp>();
  // The conversion folds casts of constants as if index had 64 bits. That is sound if it has, or if
  // every cast here is exact or truncates to no more bits than index has.
  return mlir::applyFullConversion(module, target, std::move(patterns));
}

// Gives index the width that the kernel declares, else 32 bits if proved, else 64, and records the
// proofs of this width on the code. Returns the bits.
llvm::FailureOr<unsigned> WriteIndexProofs(mlir::ModuleOp module) {
  auto report = DeclareIndexWidth(module);
  if (mlir::failed(report)) return mlir::failure();
  if (report->width.most > 64) {
    return module.emitError("a kernel needs a greatest width of index, of at most 64 bits");
  }
  FoldExactCasts(module);
  return report->width.most;
}

mlir::LogicalResult Lower(mlir::ModuleOp module, llvm::StringRef name, Target target) {
  mlir::PassManager tensors(module.getContext());
  AddTensorPasses(tensors, target);
  if (mlir::failed(tensors.run(module))) return mlir::failure();
  llvm::FailureOr<unsigned> index_bits = WriteIndexProofs(module);
  if (mlir::failed(index_bits)) return mlir::failure();
  LowerBlockOps(module.lookupSymbol<mlir::func::FuncOp>(name), target);
  LowerMathToCalls(module);
  mlir::PassManager control(module.getContext());
  control.addPass(mlir::createSCFToControlFlowPass());
  if (mlir::failed(control.run(module))) return mlir::failure();
  return ConvertToLlvm(module, *index_bits);
}

}  // namespace

llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> LowerToLlvmDialect(const Kernel::Impl& kernel,
                                                                     Target target) {
  mlir::OwningOpRef<mlir::ModuleOp> module = kernel.module.get().clone();
  llvm::Error error = WithDiagnostics(*kernel.context, "lowering the kernel",
                                      [&] { return Lower(*module, kernel.name, target); });
  if (error) return error;
  return module;
}

llvm::Expected<std::unique_ptr<llvm::Module>> LowerToLlvm(const Kernel::Impl& kernel, Target target,
                                                          llvm::LLVMContext& context) {
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> lowered = LowerToLlvmDialect(kernel, target);
  if (!lowered) return lowered.takeError();
  std::unique_ptr<llvm::Module> module;
  llvm::Error error = WithDiagnostics(*kernel.context, "translating the kernel", [&] {
    module = mlir::translateModuleToLLVMIR(**lowered, context, kernel.name);
    return mlir::success(module != nullptr);
  });
  if (error) return error;
  for (llvm::Function& function : *module) {
    if (function.isDeclaration() || function.getName() == kernel.name) continue;
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  module->getFunction(kernel.name)
      ->setCallingConv(target == Target::kNvptx ? llvm::CallingConv::PTX_Kernel
                                                : llvm::CallingConv::AMDGPU_KERNEL);
  return module;
}

}  // namespace affirm::emit
