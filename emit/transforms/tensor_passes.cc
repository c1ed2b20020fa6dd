// The order of the passes from the dialect of kernels to accesses of memory.
#include "emit/transforms/tensor_passes.h"

#include "emit/transforms/lower_tensors.h"
#include "emit/transforms/passes.h"
#include "mlir/Transforms/Passes.h"

namespace affirm::emit {

llvm::ArrayRef<OptionalPass> OptionalPasses() {
  static constexpr OptionalPass kPasses[] = {
      {"propagate-slices", CreatePropagateSlicesPass},
      {"inline-calls", CreateInlineCallsPass},
      {"peel-loops", CreatePeelLoopsPass, /*on_host=*/true},
      {"lower-loops", CreateLowerLoopsPass, /*on_host=*/true},
      {"flatten-tensors", CreateFlattenTensorsPass},
      {"canonicalize", [] { return mlir::createCanonicalizerPass(); }, /*on_host=*/true},
      {"cse", [] { return mlir::createCSEPass(); }, /*on_host=*/true},
      {"unswitch-loops", CreateUnswitchLoopsPass, /*on_host=*/true},
      {"vectorize", CreateVectorizePass},
  };
  return kPasses;
}

void AddTensorPasses(mlir::PassManager& passes, Target target) {
  bool host = target == Target::kHost;
  passes.addPass(mlir::createCSEPass());
  for (const OptionalPass& pass : OptionalPasses()) {
    if (!host || pass.on_host) passes.addPass(pass.create());
  }
  passes.addPass(CreateLowerCallsPass());
  passes.addPass(CreateLowerIndexingPass());
  passes.addPass(mlir::createCSEPass());
  LowerTensorsOptions options;
  options.checked = host;
  options.constant_address_space = host ? 0 : target == Target::kNvptx ? 1 : 4;
  options.shared_address_space = host ? 0 : 3;
  passes.addPass(CreateLowerTensorsPass(options));
  if (!host) passes.addPass(CreateMergeSlicesPass());
}

}  // namespace affirm::emit
