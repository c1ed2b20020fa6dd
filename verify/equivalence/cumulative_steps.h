// Rewrites cumulative windows, such as prefix sums, to a Hillis-Steele scan of log(n) steps.
//
//   y[i] = i < step ? y[i] : f(y[i - step], y[i])      for step = 1, 2, 4, ... below the row's size
//   result[i] = f(init, y[i])
//
// Correctness: after the step 2^k, y[i] is f of the last 2^(k + 1) elements up to i (or of all, if
// there are fewer), in order. For before the step, y[i] was f of the last 2^k of these, y[i - 2^k]
// was f of those before them, and f is associative, as HLO requires of a reducer.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_CUMULATIVE_STEPS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_CUMULATIVE_STEPS_H_

#include <memory>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// Whether each window of a reduce-window of one array extends to an end of the row, so that the
// next window has one element more or less, and the reducer is one associative operation (for
// floats, up to rounding).
bool IsCumulative(const hlo::Instruction& op);

// A copy in which cumulative windows are scans.
std::unique_ptr<hlo::Computation> WithCumulativeSteps(const hlo::Computation& computation);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_CUMULATIVE_STEPS_H_
