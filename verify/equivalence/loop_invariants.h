// Moves loop invariants out of loops.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_LOOP_INVARIANTS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_LOOP_INVARIANTS_H_

#include <memory>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// A copy in which each result element of a loop that its body passes through, or sets to the same
// constant, is replaced by its initial value:
//
//   w = (s32[], f32[8]) while((i, x)), body={ ROOT (i + 1, x) }
//   get-tuple-element(w), index=1                                  // becomes x
//
// The rewrite assumes that the loop terminates, which callers must check. Computations of
// operations are those of the original, which must outlive the copy. Null if there is no such
// element.
std::unique_ptr<hlo::Computation> WithInvariantsBeside(const hlo::Computation& computation);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_LOOP_INVARIANTS_H_
