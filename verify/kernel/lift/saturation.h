// Conversions from floats to integers that saturate.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_SATURATION_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_SATURATION_H_

#include "verify/terms/term.h"

namespace affirm::kernel {

// LLVM's fptosi and fptoui say nothing where the float is beyond the integer's range: they are the
// operations "convert-in-range" and "convert-in-range-unsigned". HLO's convert saturates, and takes
// NaN to zero, which kernels write with choices around such an operation:
//   x >= 2^31 ? 2^31 - 1 : x <= -2^31 ? -2^31 : x is NaN ? 0 : fptosi x
// Where an integer is a choice that has the value of "convert" (or "convert-unsigned") for NaN, for
// floats beyond either end, and for all others, that operation's integer is returned; else null.
terms::Term Saturated(terms::Pool& pool, terms::Term choice);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_SATURATION_H_
