// How many threads and blocks a kernel has, from the operations of an emitter that give their ids:
// gpu.thread_id, gpu.block_id, xla.workgroup_id, and scf.forall over threads. Used by the walk
// (emitter_walker.h).
#ifndef AFFIRM_DRIVER_DUMP_EMITTER_LAUNCH_H_
#define AFFIRM_DRIVER_DUMP_EMITTER_LAUNCH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/symbolic/interval.h"
#include "driver/dump/emitter_log.h"

namespace affirm::driver {

// Which id an operation gives, in the order of LaunchBounds: 0 for "gpu.thread_id x".
std::optional<int64_t> IdOf(const EmitterOp& op);
// "xla.range = [0 : index, 127 : index]"
std::optional<Interval> RangeAttribute(llvm::StringRef text);
// 4 and 1 of "(%a, %b) in (4, 1) shared_outs(...)"; empty where they are no numbers.
std::vector<int64_t> ForallSizes(llvm::StringRef text);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_EMITTER_LAUNCH_H_
