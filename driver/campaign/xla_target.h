// The target `xla`: random modules through one of XLA's compilers, and what it dumps through all
// that `affirm xla` does.
#ifndef AFFIRM_DRIVER_CAMPAIGN_XLA_TARGET_H_
#define AFFIRM_DRIVER_CAMPAIGN_XLA_TARGET_H_

#include "driver/campaign/fuzz_target.h"
#include "driver/campaign/xla_compiler.h"

namespace affirm::driver {

// A module that is refused by the compiler is fine, and so is one of which nothing is seen to be
// wrong. Findings are a pass that changes a result, a buffer that is overwritten too early, a
// kernel with a claim that is refuted, and a compiler that crashes.
std::unique_ptr<FuzzTarget> MakeXlaTarget(const fuzz::HloLimits& limits, uint64_t seed,
                                          XlaCompiler compiler);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CAMPAIGN_XLA_TARGET_H_
