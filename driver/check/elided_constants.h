// Elided constants, `constant({...})`, as XLA prints large ones.
#ifndef AFFIRM_DRIVER_CHECK_ELIDED_CONSTANTS_H_
#define AFFIRM_DRIVER_CHECK_ELIDED_CONSTANTS_H_

#include <cstdint>

#include "core/hlo/module.h"

namespace affirm::driver {

// Gives each of them a value from the seed, as for arguments; returns their number. All findings
// then hold for these values only, which reports must say.
int64_t GiveValuesToElidedConstants(hlo::Module& module, uint64_t seed);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_ELIDED_CONSTANTS_H_
