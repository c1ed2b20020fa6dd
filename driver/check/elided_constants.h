// Constants whose values a text leaves out, `constant({...})`, as XLA prints large ones.
#ifndef AFFIRM_DRIVER_CHECK_ELIDED_CONSTANTS_H_
#define AFFIRM_DRIVER_CHECK_ELIDED_CONSTANTS_H_

#include <cstdint>

#include "core/hlo/module.h"

namespace affirm::driver {

// Gives each of them a value, as arguments are made from the seed, and answers how many there are.
// What is found of the module then holds with these values: whoever says so says that too.
int64_t GiveValuesToElidedConstants(hlo::Module& module, uint64_t seed);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_ELIDED_CONSTANTS_H_
