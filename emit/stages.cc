#include "emit/stages.h"

#include "emit/kernel_impl.h"
#include "emit/passes/passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace affirm::emit {
namespace {

struct DeviceStage {
  const char* name;
  std::unique_ptr<mlir::Pass> (*create)();
};

constexpr DeviceStage kStages[] = {
    {"propagate-slices", CreatePropagateSlicesPass},
    {"inline-calls", CreateInlineCallsPass},
    {"peel-loops", CreatePeelLoopsPass},
    {"lower-loops", CreateLowerLoopsPass},
    {"flatten-tensors", CreateFlattenTensorsPass},
    {"canonicalize", [] { return mlir::createCanonicalizerPass(); }},
    {"cse", [] { return mlir::createCSEPass(); }},
    {"unswitch-loops", CreateUnswitchLoopsPass},
    {"vectorize", CreateVectorizePass},
};

}  // namespace

std::vector<std::string> DeviceStages() {
  std::vector<std::string> names;
  for (const DeviceStage& stage : kStages) names.emplace_back(stage.name);
  return names;
}

llvm::Error RunStages(Kernel& kernel, uint32_t chosen) {
  Kernel::Impl& impl = kernel.impl();
  for (size_t k = 0; k < std::size(kStages); ++k) {
    if (!(chosen >> k & 1)) continue;
    llvm::Error error = WithDiagnostics(*impl.context, kStages[k].name, [&] {
      mlir::PassManager passes(impl.context.get());
      passes.addPass(kStages[k].create());
      return passes.run(*impl.module);
    });
    if (error) return error;
  }
  return llvm::Error::success();
}

}  // namespace affirm::emit
