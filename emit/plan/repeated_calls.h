// Values that one kernel would compute too often: what several places need at different indices is
// a function that each of them calls (partition.h), and where such functions call each other the
// calls multiply. Of 20 rounds in which each of two values needs both of the round before,
//
//   x1 = x0 + y0    y1 = f(x1, y0)    x2 = x1 + y1    ...    concatenate(x20, y20)
//
// the first would be computed a million times for each element of the result.
#ifndef AFFIRM_EMIT_PLAN_REPEATED_CALLS_H_
#define AFFIRM_EMIT_PLAN_REPEATED_CALLS_H_

#include <vector>

#include "core/hlo/module.h"

namespace affirm::emit {

// Instructions of the computation that are to be in memory before the others run, so that fewer
// values are computed often; none where no value is computed more than 64 times for an element, or
// where the computation has no partition. The computations that are left may have such values
// again.
std::vector<const hlo::Instruction*> ComputedTooOften(const hlo::Computation& computation);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_REPEATED_CALLS_H_
