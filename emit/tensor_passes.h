// The first half of lowering: from the dialect of kernels to arith, scf and accesses of memory.
#ifndef AFFIRM_EMIT_TENSOR_PASSES_H_
#define AFFIRM_EMIT_TENSOR_PASSES_H_

#include "emit/kernel.h"
#include "mlir/Pass/PassManager.h"

namespace affirm::emit {

// On the host functions and the dimensions of tensors stay, so that each index is checked for
// itself and a fault is known by its function.
void AddTensorPasses(mlir::PassManager& passes, Target target);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TENSOR_PASSES_H_
