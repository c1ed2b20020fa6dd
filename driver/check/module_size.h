// Estimates the cost of running a module.
#ifndef AFFIRM_DRIVER_CHECK_MODULE_SIZE_H_
#define AFFIRM_DRIVER_CHECK_MODULE_SIZE_H_

#include "core/hlo/module.h"

namespace affirm::driver {

// The approximate number of elements that an interpretation touches, with loops counted once: the
// result's elements, times the number of summands for dots, windows and transforms; the operand's
// elements for reductions; all elements for each trip for factorizations and linear systems.
double WorkOf(const hlo::Module& module);

double WorkOf(const hlo::Computation& computation);

// The most work for which a module is run: if only a run covers it, and if proofs and samples would
// do. `time_limit` is in seconds (0: no limit).
double MostWorkAtAll(double time_limit);
double MostWork(double time_limit);

// Whether the values of all instructions, on this many devices, fit 4 GiB.
bool FitsMemory(const hlo::Module& module, int64_t devices = 1);
bool FitsMemory(const hlo::Computation& computation);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_MODULE_SIZE_H_
