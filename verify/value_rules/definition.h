// Whether a value rule follows from what operations on narrow floats are by definition: those on
// f32 of the operands, rounded (verify/scalar).
//
//   x + y  =>  convert(convert(x, f32) + convert(y, f32), T)   with T = bf16: it does
//
// So rules about power and atan2 are proved of which Z3 has no form.
#ifndef AFFIRM_VERIFY_VALUE_RULES_DEFINITION_H_
#define AFFIRM_VERIFY_VALUE_RULES_DEFINITION_H_

#include "verify/value_rules/instance.h"

namespace affirm::value_rules {

// Whether the sides are one term where each such operation is replaced by what it is.
bool IsByDefinition(const Instance& instance);

// An operation of the sides on floats that devices round as they like (exponential, power): what it
// gives on this host is no proof. kUnknown where there is none.
hlo::Opcode ApproximatedOp(const Instance& instance);

}  // namespace affirm::value_rules

#endif  // AFFIRM_VERIFY_VALUE_RULES_DEFINITION_H_
