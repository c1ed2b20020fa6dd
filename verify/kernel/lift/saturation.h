// Conversions from floats to integers that saturate.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_SATURATION_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_SATURATION_H_

#include "verify/terms/term.h"

namespace affirm::kernel {

// LLVM's fptosi and fptoui are poison out of range (LangRef); terms have "convert-in-range" and
// "convert-in-range-unsigned" for them. HLO's convert saturates, and converts NaN to 0, for which
// kernels put selects around such an operation:
//   x >= 2^31 ? 2^31 - 1 : x <= -2^31 ? -2^31 : x is NaN ? 0 : fptosi x
// Returns the integer of "convert" (or "convert-unsigned") if the pick `choice` has its value for
// NaN, for floats beyond either end of the range, and for all others; else null.
terms::Term Saturated(terms::Pool& pool, terms::Term choice);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_SATURATION_H_
