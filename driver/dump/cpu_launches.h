// How XLA:CPU launches the kernels of a module. Its dumps do not say it; what follows from the HLO:
//
//   %wrapped_add = f32[2000,1000] fusion(...), backend_config={"outer_dimension_partitions":["2"]}
//
// is the kernel `wrapped_add` on 2 workgroups. Without partitions there is one.
#ifndef AFFIRM_DRIVER_DUMP_CPU_LAUNCHES_H_
#define AFFIRM_DRIVER_DUMP_CPU_LAUNCHES_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "driver/dump/thunks.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::driver {

// A launch for each instruction that one of the functions is the kernel of, in the order of the
// instructions; and what else the module executes: instructions without a kernel.
Thunks LaunchesOnCpu(const hlo::Module& module, llvm::ArrayRef<std::string> kernels);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_CPU_LAUNCHES_H_
