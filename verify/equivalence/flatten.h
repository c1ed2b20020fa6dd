// Inlines calls and fusions, and applies CSE and dead-code elimination.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_FLATTEN_H_
#define AFFIRM_VERIFY_EQUIVALENCE_FLATTEN_H_

#include <memory>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// A copy with calls and fusions inlined, get-tuple-element of tuple folded, common subexpressions
// merged, and dead instructions removed (those without effects that no result needs). Computations
// of other operations are those of the original, which must outlive the copy. Calls stay if the
// copy would have too many instructions.
std::unique_ptr<hlo::Computation> Flattened(const hlo::Computation& computation);

// A copy of the computation with another instruction as its root.
std::unique_ptr<hlo::Computation> UpTo(const hlo::Computation& computation,
                                       const hlo::Instruction& result);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_FLATTEN_H_
