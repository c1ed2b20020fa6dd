// Random numbers and their states, which a device makes and keeps and no argument gives.
#ifndef AFFIRM_DRIVER_CHECK_RANDOM_STATES_H_
#define AFFIRM_DRIVER_CHECK_RANDOM_STATES_H_

#include <cstdint>

#include "core/hlo/module.h"

namespace affirm::driver {

// Makes each rng-get-and-update-state of the entry, each call of GetRngSeed, and each rng of
// constants and parameters, one more parameter, and answers how many there are: what holds of all
// values of it holds of the one that the device has. The numbers of an rng have no value that a
// program defines; only their type and sizes count. In a loop a state changes from trip to trip;
// there it stays as it is.
int64_t MakeStatesParameters(hlo::Module& module);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_RANDOM_STATES_H_
