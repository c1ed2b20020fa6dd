// The first half of lowering: from the dialect of kernels to arith, scf and accesses of memory.
#ifndef AFFIRM_EMIT_TRANSFORMS_TENSOR_PASSES_H_
#define AFFIRM_EMIT_TRANSFORMS_TENSOR_PASSES_H_

#include <memory>

#include "emit/plan/target.h"
#include "llvm/ADT/ArrayRef.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace affirm::emit {

// A pass that may be left out: with it and without it a kernel computes the same.
struct OptionalPass {
  const char* name;
  std::unique_ptr<mlir::Pass> (*create)();
};

// The passes with which the device pipeline begins, in order.
llvm::ArrayRef<OptionalPass> OptionalPasses();

// All passes of the first half for a target, as `affirm-opt --affirm-tensor-pipeline` runs them.
void AddTensorPasses(mlir::OpPassManager& passes, Target target);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_TENSOR_PASSES_H_
