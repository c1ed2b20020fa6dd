// The order of the passes from the dialect of kernels to accesses of memory.
#include "emit/transforms/tensor_passes.h"

#include "emit/transforms/lower_tensors.h"
#include "emit/transforms/passes.h"
#include "mlir/Transforms/Passes.h"

namespace affirm::emit {

llvm::ArrayRef<OptionalPass> OptionalPasses() {
  static constexpr OptionalPass kPasses[] = {
      {"drop-arguments", CreateDropArgumentsPass},
      {"propagate-slices", CreatePropagateSlicesPass},
      {"inline-calls", CreateInlineCallsPass},
      {"peel-loops", CreatePeelLoopsPass},
      {"lower-loops", CreateLowerLoopsPass},
      {"flatten-tensors", CreateFlattenTensorsPass},
      {"canonicalize", CreateCanonicalizePass},
      {"cse", [] { return mlir::createCSEPass(); }},
      {"unswitch-loops", CreateUnswitchLoopsPass},
      {"vectorize", CreateVectorizePass},
      {"unroll-registers", CreateUnrollRegistersPass},
  };
  return kPasses;
}

void AddTensorPasses(mlir::OpPassManager& passes, Target target) {
  passes.addPass(mlir::createCSEPass());
  for (const OptionalPass& pass : OptionalPasses()) passes.addPass(pass.create());
  passes.addPass(CreateLowerCallsPass());
  passes.addPass(CreateLowerIndexingPass());
  passes.addPass(mlir::createCSEPass());
  passes.addPass(CreateLowerTensorsPass(target));
  passes.addPass(CreateMergeSlicesPass());
}

}  // namespace affirm::emit
