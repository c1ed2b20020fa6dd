// Which operations observe the payload or sign of a NaN operand, or the sign of a zero operand.
#ifndef AFFIRM_VERIFY_LOGIC_NAN_BITS_H_
#define AFFIRM_VERIFY_LOGIC_NAN_BITS_H_

#include <cstddef>

#include "verify/logic/theorem.h"
#include "verify/terms/term.h"

namespace affirm::logic {

// Whether the value of the term may be, or contain, a NaN: its type is neither an integer type nor
// pred.
bool MayBeNan(terms::Term term);

// Whether the value of the term may depend on the sign or payload of a NaN operand.
//
//   ShowsNanBits(bitcast(load0[0] : f32))   true
//   ShowsNanBits(add(load0[0], load0[1]))   false: HLO leaves the bits of the sum open
//
// Conservative: true for a fold by a computation, unless it was analyzed
// (Operation::TakingNansForOne).
bool ShowsNanBits(terms::Term term);

// Whether the sign of a zero in operand `operand` may change the value of the term by more than the
// sign of a zero.
//
//   ShowsZeroSign(divide(1, x), 1)   true: an infinity of either sign
//   ShowsZeroSign(add(x, y), 0)      false
//
// Conservative: true for every operation that is not listed.
bool ShowsZeroSign(terms::Term term, size_t operand);

// Whether the value does not depend on the sign of a zero in operand `operand`: e^x, x + 1e-5.
bool HidesZeroSign(terms::Term term, size_t operand);

// Whether replacing operand `operand` by a value that is equal to it in this sense gives a term
// that is equal in this sense, or to the bit for results that are not floats.
bool MayReplace(terms::Term term, size_t operand, Equality equality);
// The equality of the terms after such a replacement.
Equality AfterReplacing(terms::Term term, size_t operand, Equality equality);

}  // namespace affirm::logic

#endif  // AFFIRM_VERIFY_LOGIC_NAN_BITS_H_
