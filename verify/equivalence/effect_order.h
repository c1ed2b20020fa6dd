// The order of effects that no operand expresses: by control-predecessors, and by the text of a
// scheduled module.
//
//   A: i = (f32[4], token[]) infeed(s), j = (f32[4], token[]) infeed(t), control-predecessors={i}
//   B: i = (f32[4], token[]) infeed(s), control-predecessors={j}, j = (f32[4], token[]) infeed(t)
//
// are the same graph, but receive their inputs in a different order.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_EFFECT_ORDER_H_
#define AFFIRM_VERIFY_EQUIVALENCE_EFFECT_ORDER_H_

#include "core/hlo/module.h"

namespace affirm::equivalence {

// For two modules with the same graph: an instruction of B whose effect may precede another one
// that it cannot precede in A; null if there is none. The order of all effects matters, since a
// host may compute inputs from earlier outputs. Uses of the random state must be ordered in B by
// operands, even if A leaves them open, since each takes its own numbers.
const hlo::Instruction* FindReorderedEffect(const hlo::Module& a, const hlo::Module& b);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_EFFECT_ORDER_H_
