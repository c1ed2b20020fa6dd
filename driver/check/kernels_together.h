// Whether the kernels of a program, one after the other, are the module that they were cut from:
// proved, for modules that are too large to run as a whole.
#ifndef AFFIRM_DRIVER_CHECK_KERNELS_TOGETHER_H_
#define AFFIRM_DRIVER_CHECK_KERNELS_TOGETHER_H_

#include <string>

#include "driver/check/program.h"

namespace affirm::driver {

// Proves that the computations of the kernels, each given what the host gives it, compute what the
// module's entry computes (verify/equivalence). Empty where that is proved, else why it is not: a
// loop or a library call between kernels, for example. It says nothing of the kernels themselves.
std::string WhyNotTheModule(const hlo::Module& module, const Program& program);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_KERNELS_TOGETHER_H_
