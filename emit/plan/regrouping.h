// Which reductions may be reordered and regrouped, so that threads can share the work: those by one
// operation that is associative and commutative, and has an identity.
//
//   reduce(x, 0), to_apply={add(a, b)}: add     reduce(x, 0), to_apply={subtract(a, b)}: none
#ifndef AFFIRM_EMIT_PLAN_REGROUPING_H_
#define AFFIRM_EMIT_PLAN_REGROUPING_H_

#include <optional>

#include "core/hlo/module.h"

namespace affirm::emit {

// The operation of a reduce of one array. nullopt if the instruction is another one, its
// computation is not one operation on its two parameters, or the operation is not associative and
// commutative (for floats, up to rounding), or has no identity in the type.
std::optional<hlo::Opcode> RegroupedOperation(const hlo::Instruction& op);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_REGROUPING_H_
