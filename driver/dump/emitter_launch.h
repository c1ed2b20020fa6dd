// Extracts the launch dimensions of a kernel from an emitter's operations with IDs: gpu.thread_id,
// gpu.block_id, xla.workgroup_id, and scf.forall over threads. Used by the walk (emitter_walker.h).
#ifndef AFFIRM_DRIVER_DUMP_EMITTER_LAUNCH_H_
#define AFFIRM_DRIVER_DUMP_EMITTER_LAUNCH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/symbolic/interval.h"
#include "driver/dump/emitter_log.h"

namespace affirm::driver {

// The ID that an operation returns, in the order of LaunchBounds: 0 for "gpu.thread_id x".
std::optional<int64_t> IdOf(const EmitterOp& op);
// "xla.range = [0 : index, 127 : index]"
std::optional<Interval> RangeAttribute(llvm::StringRef text);
// 4 and 1 for "(%a, %b) in (4, 1) shared_outs(...)"; empty if they are not numbers.
std::vector<int64_t> ForallSizes(llvm::StringRef text);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_EMITTER_LAUNCH_H_
