// Functions of real numbers on intervals: every exact result for numbers that are inside, widened
// by the error of double's own functions.
#ifndef AFFIRM_VERIFY_ENCLOSURE_REAL_FUNCTIONS_H_
#define AFFIRM_VERIFY_ENCLOSURE_REAL_FUNCTIONS_H_

#include <optional>

#include "core/hlo/opcode.h"
#include "verify/enclosure/interval.h"

namespace affirm::enclosure {

// The function of an elementwise operation of floats; nullopt of others.
std::optional<Interval> RealFunctionOf(hlo::Opcode opcode, const Interval& a);
std::optional<Interval> RealFunctionOf(hlo::Opcode opcode, const Interval& a, const Interval& b);

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_REAL_FUNCTIONS_H_
