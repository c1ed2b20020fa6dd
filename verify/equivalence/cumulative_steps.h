// Cumulative windows, as a sum of all elements up to each, written as the steps in which they can
// be taken.
//
//   y[i] = i < step ? y[i] : f(y[i - step], y[i])      for step = 1, 2, 4, ... below the row's size
//   result[i] = f(init, y[i])
//
// After the step of 2^k, y[i] is f of the 2^(k + 1) elements up to i, or of all of them where there
// are fewer, in their order: the last 2^k of these are y[i], those before them y[i - 2^k], and f is
// associative. HLO presumes that of what a window is reduced by; here it is one operation that is.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_CUMULATIVE_STEPS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_CUMULATIVE_STEPS_H_

#include <memory>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// Whether each window of a reduce-window of one array is the one before it and one more element, or
// one less, up to an end of the row, reduced by one operation that is associative (of floats: up to
// rounding).
bool IsCumulative(const hlo::Instruction& op);

// A copy in which these are steps.
std::unique_ptr<hlo::Computation> WithCumulativeSteps(const hlo::Computation& computation);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_CUMULATIVE_STEPS_H_
