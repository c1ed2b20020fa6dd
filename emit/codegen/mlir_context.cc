// The list of dialects that kernels use, and the handler that collects what MLIR reports.
#include "emit/codegen/mlir_context.h"

#include "emit/ir/dialect.h"
#include "emit/plan/error.h"
#include "emit/transforms/exact_casts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

namespace affirm::emit {

void InsertDialects(mlir::DialectRegistry& registry) {
  registry
      .insert<IndexDialect, mlir::DLTIDialect, ir::AffirmDialect, mlir::arith::ArithDialect,
              mlir::cf::ControlFlowDialect, mlir::complex::ComplexDialect, mlir::func::FuncDialect,
              mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
              mlir::scf::SCFDialect, mlir::tensor::TensorDialect, mlir::vector::VectorDialect>();
  // Attributes of a dialect that is not loaded are not verified; these are on what others have.
  registry.addExtension(+[](mlir::MLIRContext* context, mlir::arith::ArithDialect*) {
    context->getOrLoadDialect<IndexDialect>();
  });
  registry.addExtension(+[](mlir::MLIRContext* context, mlir::DLTIDialect*) {
    context->getOrLoadDialect<IndexDialect>();
  });
}

std::unique_ptr<mlir::MLIRContext> MakeMlirContext() {
  mlir::DialectRegistry registry;
  InsertDialects(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

llvm::Error WithDiagnostics(mlir::MLIRContext& context, llvm::StringRef what,
                            llvm::function_ref<mlir::LogicalResult()> fn) {
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic& diagnostic) {
    if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error) return mlir::success();
    messages += (messages.empty() ? "" : "; ") + diagnostic.str();
    return mlir::success();
  });
  if (mlir::succeeded(fn())) return llvm::Error::success();
  return InvalidArgument(llvm::Twine(what) + " failed: " + messages);
}

}  // namespace affirm::emit
