// Counts sectors and wavefronts of a lifted kernel's accesses (access_count.h) from their terms,
// without running the kernel.
//
//   LiftOptions options;
//   options.list_accesses = true;
//   auto lifted = Lift(*ir, launch, pool, options);
//   for (const CountedAccess& a : CountAccesses(*lifted, launch)->instructions) ...
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_ACCESSES_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_ACCESSES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/kernel/access_count.h"
#include "verify/kernel/lift/lift.h"

namespace affirm::kernel {

// The accesses of one instruction of a kernel.
struct CountedAccess {
  int line = 0;
  bool is_shared = false, is_write = false;
  int64_t buffer = -1;  // of global memory: the first parameter with the memory
  int64_t bytes = 0;    // of a lane
  AccessCount count;
  std::string unknown;  // why there is no `count`; else empty
  // Bounds, if `count` is unknown and these are not.
  std::optional<AccessBounds> bounds;
};

struct AccessCounts {
  std::vector<CountedAccess> instructions;  // by line
  // How many blocks were counted, from the first on: all of them, or until `most` was used up.
  int64_t blocks = 0;
};

// Counts exactly, by evaluating the address and guard of each lane; `most` is the fuel, in
// evaluations. Where these depend on data, the count is unknown, with bounds that hold for all
// data. Where the number of executions depends on other threads, there are no bounds.
AccessCounts CountAccesses(const LiftedKernel& lifted, const Launch& launch,
                           const WarpModel& model = {}, int64_t most = int64_t{1} << 22);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_ACCESSES_H_
