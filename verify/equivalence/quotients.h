// Finds float quotients and square roots, which a device may approximate although IEEE 754 defines
// a correctly rounded result.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_QUOTIENTS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_QUOTIENTS_H_

#include "core/hlo/module.h"

namespace affirm::equivalence {

// Whether the computation, or one that it calls, has an instruction that may be a quotient or a
// square root of floats, or be written as one.
//
//   HasQuotients({ROOT d = f32[4] divide(p, q)})   // true
//   HasQuotients({ROOT d = s32[4] divide(p, q)})   // false
bool HasQuotients(const hlo::Computation& computation);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_QUOTIENTS_H_
