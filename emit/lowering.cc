#include "emit/lowering.h"

#include "emit/bf16_runtime.h"
#include "emit/lower_math.h"
#include "emit/lower_tensors.h"
#include "emit/scalar.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
namespace func = mlir::func;
namespace LLVM = mlir::LLVM;
using mlir::Value;

// The first function of the module, until lowering adds others in front.
func::FuncOp Entry(mlir::ModuleOp module, llvm::StringRef name) {
  return module.lookupSymbol<func::FuncOp>(name);
}

// Thread and block as two more arguments, in front; and a function that takes the buffers as one
// array.
void AddHostEntry(func::FuncOp entry) {
  mlir::ModuleOp module = entry->getParentOfType<mlir::ModuleOp>();
  Builder b(entry.getLoc(), entry.getContext());
  mlir::Type index = b.getIndexType();
  mlir::Block& body = entry.getBody().front();
  Value thread = body.insertArgument(0u, index, b.getLoc());
  Value block = body.insertArgument(1u, index, b.getLoc());
  entry.setType(b.getFunctionType(body.getArgumentTypes(), {}));
  entry.setPrivate();
  entry.walk([&](mlir::gpu::ThreadIdOp op) {
    op.replaceAllUsesWith(thread);
    op.erase();
  });
  entry.walk([&](mlir::gpu::BlockIdOp op) {
    op.replaceAllUsesWith(block);
    op.erase();
  });
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  b.setInsertionPointToEnd(module.getBody());
  auto wrapper =
      func::FuncOp::create(b, kHostEntry, b.getFunctionType({index, index, pointer}, {}));
  b.setInsertionPointToStart(wrapper.addEntryBlock());
  llvm::SmallVector<Value> arguments = {wrapper.getArgument(0), wrapper.getArgument(1)};
  for (unsigned i = 2; i < entry.getNumArguments(); ++i) {
    Value slot = LLVM::GEPOp::create(b, pointer, pointer, wrapper.getArgument(2),
                                     llvm::ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i - 2)});
    arguments.push_back(LLVM::LoadOp::create(b, pointer, slot));
  }
  func::CallOp::create(b, entry, arguments);
  func::ReturnOp::create(b);
}

// Thread and block as special registers.
void LowerDeviceIds(func::FuncOp entry, Target target) {
  auto replace = [&](mlir::Operation* op, llvm::StringRef intrinsic) {
    Builder b(op->getLoc(), op);
    auto id = LLVM::CallIntrinsicOp::create(b, b.getI32Type(), b.getStringAttr(intrinsic),
                                            mlir::ValueRange{});
    Value index = arith::IndexCastUIOp::create(b, b.getIndexType(), id.getResult(0));
    op->replaceAllUsesWith(mlir::ValueRange{index});
    op->erase();
  };
  bool nv = target == Target::kNvptx;
  entry.walk([&](mlir::gpu::ThreadIdOp op) {
    replace(op, nv ? "llvm.nvvm.read.ptx.sreg.tid.x" : "llvm.amdgcn.workitem.id.x");
  });
  entry.walk([&](mlir::gpu::BlockIdOp op) {
    replace(op, nv ? "llvm.nvvm.read.ptx.sreg.ctaid.x" : "llvm.amdgcn.workgroup.id.x");
  });
}

// What is left after tensors, ids and mathematical functions, in one conversion.
mlir::LogicalResult ConvertToLlvm(mlir::ModuleOp module) {
  mlir::MLIRContext* context = module.getContext();
  mlir::LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(64);
  mlir::LLVMTypeConverter types(context, options);
  mlir::RewritePatternSet patterns(context);
  mlir::arith::populateArithToLLVMConversionPatterns(types, patterns);
  mlir::populateMathToLLVMConversionPatterns(types, patterns);
  mlir::cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  mlir::populateFuncToLLVMConversionPatterns(types, patterns);
  mlir::LLVMConversionTarget target(*context);
  target.addLegalOp<mlir::ModuleOp>();
  return mlir::applyFullConversion(module, target, std::move(patterns));
}

mlir::LogicalResult ExpandBf16(mlir::ModuleOp module) {
  mlir::RewritePatternSet patterns(module.getContext());
  arith::populateExpandBFloat16Patterns(patterns);
  return mlir::applyPatternsGreedily(module, std::move(patterns));
}

mlir::LogicalResult Lower(mlir::ModuleOp module, llvm::StringRef name, Target target) {
  bool host = target == Target::kHost;
  LowerTensorsOptions options;
  options.checked = host;
  options.constant_address_space = host ? 0 : target == Target::kNvptx ? 1 : 4;
  mlir::PassManager tensors(module.getContext());
  tensors.addPass(CreateLowerTensorsPass(options));
  if (mlir::failed(tensors.run(module))) return mlir::failure();
  if (host) {
    AddHostEntry(Entry(module, name));
    if (mlir::failed(ExpandBf16(module))) return mlir::failure();
  } else {
    LowerDeviceIds(Entry(module, name), target);
  }
  LowerMathToCalls(module, target);
  mlir::PassManager control(module.getContext());
  control.addPass(mlir::createSCFToControlFlowPass());
  if (mlir::failed(control.run(module))) return mlir::failure();
  return ConvertToLlvm(module);
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
  std::string entry = target == Target::kHost ? kHostEntry : kernel.name;
  for (llvm::Function& function : *module) {
    if (function.isDeclaration() || function.getName() == entry) continue;
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  if (target == Target::kHost) DefineBf16Rounding(*module);
  if (target == Target::kNvptx) {
    module->getFunction(entry)->setCallingConv(llvm::CallingConv::PTX_Kernel);
  } else if (target == Target::kAmdgpu) {
    module->getFunction(entry)->setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
  }
  return module;
}

}  // namespace affirm::emit
