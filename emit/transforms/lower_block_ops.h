// Thread and block numbers, barriers and shuffles, on each target.
#ifndef AFFIRM_EMIT_TRANSFORMS_LOWER_BLOCK_OPS_H_
#define AFFIRM_EMIT_TRANSFORMS_LOWER_BLOCK_OPS_H_

#include "emit/plan/target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace affirm::emit {

// Replaces gpu.thread_id, gpu.block_id, gpu.barrier and affirm.shuffle_reduce. On devices they are
// special registers and instructions; on the host thread and block become two more arguments of
// `entry`, in front, and the others calls of the SIMT emulator (emulator_calls.h).
void LowerBlockOps(mlir::func::FuncOp entry, Target target);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_LOWER_BLOCK_OPS_H_
