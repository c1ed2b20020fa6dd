// What the accesses of a lifted kernel cost (access_count.h), from their terms: no kernel is run.
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
  std::string unknown;  // why `count` says nothing; else empty
  // Then what is certain all the same; absent where that is nothing.
  std::optional<AccessBounds> bounds;
};

struct AccessCounts {
  std::vector<CountedAccess> instructions;  // by line
  // How many blocks were counted: all of them, or as many as fit `most`, from the first on.
  int64_t blocks = 0;
};

// Counts exactly, by evaluating the addresses and guards of each lane, up to `most` times. Where
// these depend on data the count is unknown and has bounds, which hold of all data; where how often
// an instruction runs depends on other threads, there are none.
AccessCounts CountAccesses(const LiftedKernel& lifted, const Launch& launch,
                           const WarpModel& model = {}, int64_t most = int64_t{1} << 22);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_ACCESSES_H_
