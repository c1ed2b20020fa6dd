// The passes that devices get and the host grid can do without, one by one, so that what each of
// them makes of a kernel can be run and compared.
#ifndef AFFIRM_EMIT_STAGES_H_
#define AFFIRM_EMIT_STAGES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "emit/kernel_artifact.h"
#include "llvm/Support/Error.h"

namespace affirm::emit {

// Names of the passes, in the order in which devices run them.
std::vector<std::string> DeviceStages();

// Runs the passes of which the bit is set in `chosen` (bit k: DeviceStages()[k]) over the kernel's
// module. What the kernel computes stays; an error says which pass failed.
llvm::Error RunStages(Kernel& kernel, uint32_t chosen);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_STAGES_H_
