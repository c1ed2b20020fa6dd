// Terms whose value depends on more of a NaN than that it is one, or on the sign of a zero.
#ifndef AFFIRM_VERIFY_LOGIC_NAN_BITS_H_
#define AFFIRM_VERIFY_LOGIC_NAN_BITS_H_

#include <cstddef>

#include "verify/logic/theorem.h"
#include "verify/terms/term.h"

namespace affirm::logic {

// Whether the value of the term may be, or hold, a NaN: it is no integer, predicate or condition.
bool MayBeNan(terms::Term term);

// Whether the sign or the payload of a NaN among the operands of the term may decide its value.
//
//   ShowsNanBits(bitcast(load0[0] : f32))   true
//   ShowsNanBits(add(load0[0], load0[1]))   false: HLO leaves the bits of the sum open
//
// True of a fold by a computation, unless it was looked at (Operation::TakingNansForOne).
bool ShowsNanBits(terms::Term term);

// Whether the sign of a zero that operand `operand` of the term is may decide more of its value
// than the sign of a zero.
//
//   ShowsZeroSign(divide(1, x), 1)   true: an infinity of either sign
//   ShowsZeroSign(add(x, y), 0)      false
//
// True of every operation of which the opposite is not listed.
bool ShowsZeroSign(terms::Term term, size_t operand);

// Whether the value is the same for a zero of either sign as operand `operand`: e^x, x + 1e-5.
bool HidesZeroSign(terms::Term term, size_t operand);

// Whether a value that is equal to operand `operand` of the term in this way may stand in its
// place: the term is then equal in this way, or to the bit where it has no floats.
bool MayReplace(terms::Term term, size_t operand, Equality equality);
// How equal the terms are then.
Equality AfterReplacing(terms::Term term, size_t operand, Equality equality);

}  // namespace affirm::logic

#endif  // AFFIRM_VERIFY_LOGIC_NAN_BITS_H_
