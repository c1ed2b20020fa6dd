// Thread and block numbers, barriers and shuffles, on each device.
#ifndef AFFIRM_EMIT_TRANSFORMS_LOWER_BLOCK_OPS_H_
#define AFFIRM_EMIT_TRANSFORMS_LOWER_BLOCK_OPS_H_

#include "emit/plan/target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace affirm::emit {

// Replaces gpu.thread_id, gpu.block_id, gpu.barrier and affirm.shuffle_reduce by special registers
// and instructions of the device.
void LowerBlockOps(mlir::func::FuncOp entry, Target target);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_LOWER_BLOCK_OPS_H_
