// A computation with the computations that it calls put in their place, so that what they compute
// stands beside what the caller does.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_INLINE_CALLS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_INLINE_CALLS_H_

#include <memory>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// A copy of the computation in which each `call` is the body of what it calls, and so is each
// fusion where that is wanted, or where it computes what has no value terms; computations that
// other operations call are those of the original, which must outlive the copy. The copy belongs to
// no module. Null where nothing is called, or where the copy would have too many instructions.
std::unique_ptr<hlo::Computation> InlineCalls(const hlo::Computation& computation,
                                              bool fusions = false);

// The array `value` as it is taken, or given back, by `op`: where that is to lie in memory in
// another way than it does, a copy of it, added to `into`. A bitcast goes by how its operand lies.
// Whatever is no array is the value itself.
//
//   InLayoutOf(f32[2,3]{0,1} get-tuple-element(t), f32[2,3]{1,0} p, into)  // f32[2,3]{0,1} copy(p)
hlo::Instruction* InLayoutOf(const hlo::Instruction& op, hlo::Instruction* value,
                             hlo::Computation& into);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_INLINE_CALLS_H_
