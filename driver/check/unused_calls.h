// Custom calls whose results nobody reads.
#ifndef AFFIRM_DRIVER_CHECK_UNUSED_CALLS_H_
#define AFFIRM_DRIVER_CHECK_UNUSED_CALLS_H_

#include "core/hlo/module.h"

namespace affirm::driver {

// Takes out those that say of no side effect: whatever they compute, nothing depends on it.
void DropUnusedCalls(hlo::Module& module);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_UNUSED_CALLS_H_
