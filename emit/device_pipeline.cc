// Chosen passes of the device pipeline over the module of a kernel.
#include "emit/device_pipeline.h"

#include "emit/codegen/kernel_impl.h"
#include "emit/codegen/mlir_context.h"
#include "emit/transforms/tensor_passes.h"
#include "mlir/Pass/PassManager.h"

namespace affirm::emit {

std::vector<std::string> DevicePipelineNames() {
  std::vector<std::string> names;
  for (const OptionalPass& pass : OptionalPasses()) names.emplace_back(pass.name);
  return names;
}

llvm::Error RunDevicePasses(Kernel& kernel, uint32_t chosen) {
  Kernel::Impl& impl = kernel.impl();
  for (auto [k, pass] : llvm::enumerate(OptionalPasses())) {
    if (!(chosen >> k & 1)) continue;
    llvm::Error error = WithDiagnostics(*impl.context, pass.name, [&] {
      mlir::PassManager passes(impl.context.get());
      passes.addPass(pass.create());
      return passes.run(*impl.module);
    });
    if (error) return error;
  }
  return llvm::Error::success();
}

}  // namespace affirm::emit
