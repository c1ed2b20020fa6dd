// Operations whose kernels work in place, on copies of their operands that the program has made
// before in the memory of the results: XLA's sort, scatter and dynamic-update-slice.
#ifndef AFFIRM_DRIVER_VALIDATE_IN_PLACE_H_
#define AFFIRM_DRIVER_VALIDATE_IN_PLACE_H_

#include "core/hlo/module.h"
#include "verify/kernel/launch.h"

namespace affirm::driver {

// If the root of the computation is such an operation on parameters, lets each result that lies
// in another memory than its operand start as that operand. Requires a launch that fits the
// computation (CheckSubject). Returns whether any result starts otherwise than before.
bool StartResultsAsOperands(const hlo::Computation& computation, kernel::Launch& launch);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_IN_PLACE_H_
