// The invariants of a loop, moved out of it.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_LOOP_INVARIANTS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_LOOP_INVARIANTS_H_

#include <memory>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// A copy in which an element of a loop's result that its body hands on, or makes the constant that
// it was, is the initial one:
//
//   w = (s32[], f32[8]) while((i, x)), body={ ROOT (i + 1, x) }
//   get-tuple-element(w), index=1                                  // becomes x
//
// A loop that does not end has no result at all: whoever proves something with this has to know
// that it ends. Computations that operations call are those of the original, which must outlive it.
// Null where there is no such element.
std::unique_ptr<hlo::Computation> WithInvariantsBeside(const hlo::Computation& computation);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_LOOP_INVARIANTS_H_
