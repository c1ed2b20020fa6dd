// Proves that the kernels of a program compose to the module, for modules that are too large to run
// as a whole.
#ifndef AFFIRM_DRIVER_CHECK_KERNELS_TOGETHER_H_
#define AFFIRM_DRIVER_CHECK_KERNELS_TOGETHER_H_

#include <string>

#include "driver/check/program.h"

namespace affirm::driver {

// Proves that the kernels' computations, connected as the host connects them, equal the module's
// entry (verify/equivalence). Empty if that is proved, else the reason, such as a loop or a library
// call between kernels. The kernels themselves are proved elsewhere.
std::string WhyNotTheModule(const hlo::Module& module, const Program& program);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_KERNELS_TOGETHER_H_
