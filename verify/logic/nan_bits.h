// Terms whose value depends on more of a NaN than that it is one.
#ifndef AFFIRM_VERIFY_LOGIC_NAN_BITS_H_
#define AFFIRM_VERIFY_LOGIC_NAN_BITS_H_

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

}  // namespace affirm::logic

#endif  // AFFIRM_VERIFY_LOGIC_NAN_BITS_H_
