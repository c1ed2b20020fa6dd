// The reduction order of the simplifier, and the check that a rule lowers it: why rewriting ends.
//
// The order compares two expressions first by a polynomial interpretation M (as in proofs of
// termination of term rewriting), where M(x) >= 1 is unknown for a metavariable x of an expression:
//
//   M(constant) = 0                               M(a mod b) = 5 + M(a) + M(b)
//   M(a + b)    = M(a) + M(b)                     M(a floordiv b) = 6 + 3 M(a) + M(b)
//   M(a * b)    = M(a) * M(b), constants left out M(a ceildiv b)  = 8 + 3 M(a) + M(b)
//   M(min(a, b)) = M(max(a, b)) = 4 + M(a) + M(b)
//
// x * 1 => x does not change M; x floordiv 1 => x lowers it from 6 + 3 M(x) to M(x). In the left
// side a term k * x of a sum, with x bound by another term, counts 0: the simplifier finds it by
// subtraction. A fact counts as its expression. In a sum that is split into nearest multiples
// (core/simplify/nearest_multiples.h), multiples and rest share terms: one of the two counts 0.
//
// If M stays the same, the first of these that differs must be smaller: the sum of the divisors'
// absolute values (for a negative divisor twice that and one more); the number of unnormalized
// offsets; the sums of the other constants' absolute values, from those under the most divisions,
// minima and maxima outward; the widths of the facts' bounds.
//
// An unnormalized offset is a quotient or residue by a constant c of x + k, k not 0, where c
// divides k or the least value of x + k is not in [0, c - 1]: (x + 9) floordiv 8 with x in [0, 31]
// has one, and the rule that makes it (x + 1) floordiv 8 + 1 removes it.
#ifndef AFFIRM_VERIFY_RULES_REDUCTION_ORDER_H_
#define AFFIRM_VERIFY_RULES_REDUCTION_ORDER_H_

#include <string>

#include "core/simplify/rule.h"

namespace affirm {

struct ReductionOrderResult {
  bool lowers = false;
  // Shown by M alone, for all instances. Else M stays the same, and what breaks the tie has been
  // compared at many instances.
  bool by_interpretation = false;
  std::string reason;  // when it doesn't lower: an instance, with both sides' measures
};
ReductionOrderResult CheckReductionOrder(const Rule& rule);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_RULES_REDUCTION_ORDER_H_
