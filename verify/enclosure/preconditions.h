// Instructions whose preconditions on their operands roundings may break, so that HLO does not
// define the result.
//
//   i = s32[2,1] ...                                   // {{6}, {7}}, or {{7}, {7}}, or {{7}, {6}}
//   gather(x, i), indices_are_sorted=true              // MayBreak
//   gather(x, i)                                       // not MayBreak
#ifndef AFFIRM_VERIFY_ENCLOSURE_PRECONDITIONS_H_
#define AFFIRM_VERIFY_ENCLOSURE_PRECONDITIONS_H_

#include "verify/enclosure/evaluation.h"

namespace affirm::enclosure {

// Whether a sort of floats by < or > has a NaN among its keys, or may have one: that is no strict
// weak order.
bool MaySortNaNs(const hlo::Instruction& sort, EnclosedOperands operands);

// Whether the instruction, with these operands, may break a precondition that the interpreter's
// values keep: sorted or unique indices, a comparator that orders the elements of a sort, the
// claimed number of trips of a loop. `may_not_run`: roundings decide whether it runs, so that the
// interpreter's values do not decide. Instructions of called computations answer for
// themselves where they are enclosed one by one (`follows_calls`).
bool MayBreak(const hlo::Instruction& op, EnclosedOperands operands, bool may_not_run,
              bool follows_calls);

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_PRECONDITIONS_H_
