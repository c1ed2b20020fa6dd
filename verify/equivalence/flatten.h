// A computation with all that it calls in place, and each value once.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_FLATTEN_H_
#define AFFIRM_VERIFY_EQUIVALENCE_FLATTEN_H_

#include <memory>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// A copy in which calls and fusions are the bodies of what they call, no tuple is made to be taken
// apart, operations that are the same on the same operands are one, and what no result and no
// effect depends on is left out. Computations that other operations call are those of the original,
// which must outlive the copy. Where there would be too many instructions, calls stay.
std::unique_ptr<hlo::Computation> Flattened(const hlo::Computation& computation);

// A copy of the computation whose result is the value of one of its instructions.
std::unique_ptr<hlo::Computation> UpTo(const hlo::Computation& computation,
                                       const hlo::Instruction& result);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_FLATTEN_H_
