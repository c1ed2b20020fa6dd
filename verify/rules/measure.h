// The declared measure of the engine, and the check that a rule lowers it: why rewriting ends.
//
// The measure M of an expression, with M(slot) >= 1 unknown:
//   constant 0; sum: of its terms; product: of its factors' M, constants left out;
//   floordiv 6 + 3 M(numerator) + M(divisor); ceildiv 8 + ...; mod 5 + M(operand) + M(modulus);
//   min and max 4 + the sum.
// In the left side a term k * x of a sum, with x bound by another term, counts 0: the engine finds
// it by subtraction. Facts count as their expressions. Where M stays the same, these must fall, the
// first that differs deciding: the sum of the divisors' absolute values (of a negative divisor
// twice that and one more); the number of strays; the sum of the other constants' absolute values,
// those under more divisions, minima and maxima first; the widths of the facts' bounds.
//
// A stray is a quotient or residue by a constant c of x + k, k not 0, where c divides k or the
// least value of x + k is not in [0, c - 1].
#ifndef AFFIRM_VERIFY_RULES_MEASURE_H_
#define AFFIRM_VERIFY_RULES_MEASURE_H_

#include <string>

#include "core/simplify/rule.h"

namespace affirm {

struct MeasureVerdict {
  bool lowers = false;
  // By M alone, for all instances; else by constants, over many instances.
  bool by_structure = false;
  std::string reason;  // when it doesn't lower: an instance, with both sides' measures
};
MeasureVerdict CheckMeasure(const Rule& rule);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_RULES_MEASURE_H_
