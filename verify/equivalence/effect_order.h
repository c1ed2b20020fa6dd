// The order of effects that no operand says: control-predecessors, and the order of the text of a
// module that is scheduled.
//
//   A: i = (f32[4], token[]) infeed(s), j = (f32[4], token[]) infeed(t), control-predecessors={i}
//   B: i = (f32[4], token[]) infeed(s), control-predecessors={j}, j = (f32[4], token[]) infeed(t)
//
// are one graph, and receive what is fed in another order.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_EFFECT_ORDER_H_
#define AFFIRM_VERIFY_EQUIVALENCE_EFFECT_ORDER_H_

#include "core/hlo/module.h"

namespace affirm::equivalence {

// An instruction of B with an effect that may come before another one where it does not in A; null
// where there is none. Both modules are the same graph. A host may feed what it makes of what it
// was given, so that the order of all effects counts. Two that take numbers from the random state
// are in no order in A either, but each takes its own.
const hlo::Instruction* FindReorderedEffect(const hlo::Module& a, const hlo::Module& b);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_EFFECT_ORDER_H_
