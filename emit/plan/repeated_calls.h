// Values that one kernel would recompute too often. A value that is needed at different indices
// becomes a function (partition.h), and nested calls of such functions multiply. In 20 rounds in
// which each of two values needs both of the previous round,
//
//   x1 = x0 + y0    y1 = f(x1, y0)    x2 = x1 + y1    ...    concatenate(x20, y20)
//
// the first one would be computed a million times for each element of the result.
#ifndef AFFIRM_EMIT_PLAN_REPEATED_CALLS_H_
#define AFFIRM_EMIT_PLAN_REPEATED_CALLS_H_

#include <vector>

#include "core/hlo/module.h"

namespace affirm::emit {

// Instructions to materialize, so that fewer values are recomputed; none if no value is computed
// more than 64 times for an element, or the computation has no partition. The remaining
// computations may have such values again.
std::vector<const hlo::Instruction*> ComputedTooOften(const hlo::Computation& computation);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_REPEATED_CALLS_H_
