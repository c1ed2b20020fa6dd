// How large a module is to run.
#ifndef AFFIRM_DRIVER_CHECK_MODULE_SIZE_H_
#define AFFIRM_DRIVER_CHECK_MODULE_SIZE_H_

#include "core/hlo/module.h"

namespace affirm::driver {

// About how many elements an interpretation touches, loops counted once: the elements of each
// result, of dots, windows and transforms those that are summed for each, of reductions those of
// the operand, of factors and systems all of them for each trip.
double WorkOf(const hlo::Module& module);

double WorkOf(const hlo::Computation& computation);

// How much work a module may be that is run where nothing else than a run covers it, and how much
// where its proofs and samples would do, when its check has `time_limit` seconds (0: no limit).
double MostWorkAtAll(double time_limit);
double MostWork(double time_limit);

// Whether the values of all instructions, on so many devices, fit 4 GiB together.
bool FitsMemory(const hlo::Module& module, int64_t devices = 1);
bool FitsMemory(const hlo::Computation& computation);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_MODULE_SIZE_H_
