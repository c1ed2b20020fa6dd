// Which instructions the host executes by itself, and which a kernel. Internal to driver/check.
#ifndef AFFIRM_DRIVER_CHECK_HOST_OPS_H_
#define AFFIRM_DRIVER_CHECK_HOST_OPS_H_

#include "core/hlo/module.h"

namespace affirm::driver {

// Ops whose result the host has without computing: constants, parameters, and parts of other
// values.
bool ForwardsValues(hlo::Opcode opcode);

// Ops that call computations which the host runs.
bool IsControl(const hlo::Instruction& op);

// Ops that have a kernel of their own when they stand alone. Others may be refused by the emitters,
// which then say why.
bool HasKernel(hlo::Opcode opcode);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_HOST_OPS_H_
