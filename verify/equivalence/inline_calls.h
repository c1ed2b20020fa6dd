// Inlines called computations.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_INLINE_CALLS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_INLINE_CALLS_H_

#include <memory>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// A copy with each `call` inlined, and each fusion if `fusions`, or if it contains an operation
// without value terms. Computations of other operations are those of the original, which must
// outlive the copy. The copy belongs to no module. Null if nothing is to be inlined, or the copy
// would have too many instructions.
std::unique_ptr<hlo::Computation> InlineCalls(const hlo::Computation& computation,
                                              bool fusions = false);

// The array `value` in the layout of `op`, which it replaces: a copy, added to `into`, if the
// layouts differ, since users such as bitcasts depend on them. Other values stay unchanged.
//
//   InLayoutOf(f32[2,3]{0,1} get-tuple-element(t), f32[2,3]{1,0} p, into)  // f32[2,3]{0,1} copy(p)
hlo::Instruction* InLayoutOf(const hlo::Instruction& op, hlo::Instruction* value,
                             hlo::Computation& into);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_INLINE_CALLS_H_
