// How large a module is to run.
#ifndef AFFIRM_DRIVER_CHECK_MODULE_SIZE_H_
#define AFFIRM_DRIVER_CHECK_MODULE_SIZE_H_

#include "core/hlo/module.h"

namespace affirm::driver {

// About how many elements an interpretation touches, loops counted once: the elements of each
// result, of dots and windows those that are summed for each, of reductions those of the operand.
double WorkOf(const hlo::Module& module);

// Whether the values of all instructions fit 4 GiB together.
bool FitsMemory(const hlo::Module& module);
bool FitsMemory(const hlo::Computation& computation);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_MODULE_SIZE_H_
