// Runs the first half of lowering on a copy of the kernel and asks for a width there.
#include "emit/index_width_choice.h"

#include "emit/codegen/kernel_impl.h"
#include "emit/codegen/mlir_context.h"
#include "emit/transforms/index_width.h"
#include "emit/transforms/tensor_passes.h"

namespace affirm::emit {

llvm::Expected<IndexWidthChoice> ChooseIndexWidth(const Kernel& kernel, unsigned bits) {
  const Kernel::Impl& impl = kernel.impl();
  mlir::OwningOpRef<mlir::ModuleOp> module = impl.module.get().clone();
  DeclareIndexWidthOptions options;
  if (bits != 0) options.wanted = {bits, bits};
  IndexWidthReport report;
  llvm::Error error =
      WithDiagnostics(*impl.context, "choosing the width of index", [&]() -> mlir::LogicalResult {
        mlir::PassManager tensors(impl.context.get());
        // Devices differ in where they keep constants, which no index depends on.
        AddTensorPasses(tensors, Target::kNvptx);
        if (mlir::failed(tensors.run(*module))) return mlir::failure();
        auto chosen = DeclareIndexWidth(*module, options);
        if (mlir::succeeded(chosen)) report = *chosen;
        return mlir::success(mlir::succeeded(chosen));
      });
  if (error) return error;
  return IndexWidthChoice{
      report.width.most,         report.proved,     report.refusal, report.no_wrap,
      report.unsigned_divisions, report.exact_casts};
}

void SetIndexWidth(Kernel& kernel, unsigned bits) {
  SetDeclaredIndexWidth(*kernel.impl().module, {bits, bits});
}

}  // namespace affirm::emit
