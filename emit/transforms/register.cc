// The passes by name, for affirm-opt.
#include "emit/transforms/index_width.h"
#include "emit/transforms/lower_tensors.h"
#include "emit/transforms/passes.h"
#include "emit/transforms/tensor_passes.h"
#include "mlir/Pass/PassRegistry.h"

namespace affirm::emit {

void RegisterPasses() {
  RegisterIndexWidthPasses();
  mlir::registerPass([] { return CreateCanonicalizePass(); });
  mlir::registerPass([] { return CreateDropArgumentsPass(); });
  mlir::registerPass([] { return CreatePropagateSlicesPass(); });
  mlir::registerPass([] { return CreateMergeSlicesPass(); });
  mlir::registerPass([] { return CreateInlineCallsPass(); });
  mlir::registerPass([] { return CreateFlattenTensorsPass(); });
  mlir::registerPass([] { return CreatePeelLoopsPass(); });
  mlir::registerPass([] { return CreateUnswitchLoopsPass(); });
  mlir::registerPass([] { return CreateVectorizePass(); });
  mlir::registerPass([] { return CreateUnrollRegistersPass(); });
  mlir::registerPass([] { return CreateLowerLoopsPass(); });
  mlir::registerPass([] { return CreateLowerCallsPass(); });
  mlir::registerPass([] { return CreateLowerIndexingPass(); });
  mlir::registerPass([] { return CreateLowerTensorsPass(Target::kNvptx); });
  mlir::PassPipelineRegistration<>(
      "affirm-tensor-pipeline", "all passes from the dialect to accesses of memory, in order",
      [](mlir::OpPassManager& passes) { AddTensorPasses(passes, Target::kNvptx); });
}

}  // namespace affirm::emit
