// Removes custom calls without uses.
#ifndef AFFIRM_DRIVER_CHECK_UNUSED_CALLS_H_
#define AFFIRM_DRIVER_CHECK_UNUSED_CALLS_H_

#include "core/hlo/module.h"

namespace affirm::driver {

// Removes unused custom calls without a declared side effect: no result depends on them.
void DropUnusedCalls(hlo::Module& module);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_UNUSED_CALLS_H_
