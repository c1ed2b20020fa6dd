// Whether the host or a kernel executes an instruction. Internal to driver/check.
#ifndef AFFIRM_DRIVER_CHECK_HOST_OPS_H_
#define AFFIRM_DRIVER_CHECK_HOST_OPS_H_

#include "core/hlo/module.h"

namespace affirm::driver {

// Ops that compute nothing: constants, parameters, and parts of other values.
bool ForwardsValues(hlo::Opcode opcode);

// Control flow: ops that call computations on the host.
bool IsControl(const hlo::Instruction& op);

// Ops that get a kernel of their own outside of fusions. The emitters may still refuse one, with a
// reason.
bool HasKernel(hlo::Opcode opcode);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_HOST_OPS_H_
