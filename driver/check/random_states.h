// Makes random numbers and states, which a device keeps, parameters of the module.
#ifndef AFFIRM_DRIVER_CHECK_RANDOM_STATES_H_
#define AFFIRM_DRIVER_CHECK_RANDOM_STATES_H_

#include <cstdint>

#include "core/hlo/module.h"

namespace affirm::driver {

// Replaces each rng-get-and-update-state of the entry, each call of GetRngSeed, and each rng of
// constants and parameters by a new parameter; returns their number. A claim about all values of
// the parameter holds for the device's value. An rng's values are not defined by the program; only
// type and sizes count. States in loops are not replaced, since they change from trip to trip.
int64_t MakeStatesParameters(hlo::Module& module);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_RANDOM_STATES_H_
