// Roundings that HLO leaves open where two modules are compared to the bit.
//
//   a: dot(x, y)                 OpenRounding: "dot d of A may round its operands, for ..."
//   b: dot(bf16(x), bf16(y))     so that another value of B is no difference
#ifndef AFFIRM_DRIVER_EQUIVALENCE_OPEN_ROUNDINGS_H_
#define AFFIRM_DRIVER_EQUIVALENCE_OPEN_ROUNDINGS_H_

#include <string>

#include "core/hlo/module.h"

namespace affirm::driver {

// Which operation that an element of the result depends on rounds as it likes: the updates of a
// scatter in A or B, in any order; a product of A in less than the highest precision. Empty where
// there is none. `leaf`: of the result, counted from 0.
std::string OpenRounding(const hlo::Computation& a, const hlo::Computation& b, size_t leaf);

// Whether a size at run time is computed of what has floats.
bool HasSizesOfFloats(const hlo::Computation& computation);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EQUIVALENCE_OPEN_ROUNDINGS_H_
