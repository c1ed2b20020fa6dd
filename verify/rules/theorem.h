// The parts of the theorem that a rule states (prove.h), in their order. The prover and the printer
// for Coq both build the theorem from them, so that the meaning of a condition is written once.
//
// All functions take a rule without lower() and upper() outside of `let`, as NameRangeEnds returns
// it. The terms and conditions that they return live as long as the rule.
#ifndef AFFIRM_VERIFY_RULES_THEOREM_H_
#define AFFIRM_VERIFY_RULES_THEOREM_H_

#include <vector>

#include "core/simplify/rule.h"

namespace affirm::rules {

// Whether the term has a metavariable that stands for an expression, and not for a constant.
bool HasExpression(const Term& term, const Rule& rule);

// The left side, or the expressions and ends of the premises: the theorem assumes that they have
// values.
std::vector<const Term*> LeftTerms(const Rule& rule);
// The right side, or the expressions and ends of the conclusions: that they have values must be
// shown.
std::vector<const Term*> RightTerms(const Rule& rule);
// The conditions that the theorem assumes, in order: those on constants, then those on expressions.
// A `let` with lower() or upper() is not among them; it leaves its name free.
std::vector<const Condition*> AssumedConditions(const Rule& rule);
// The terms of a condition. That they have values is assumed where the divisor has no expression,
// and must be shown from what stands before the condition where it has one (HasExpression).
std::vector<const Term*> TermsOf(const Condition& condition);

}  // namespace affirm::rules

#endif  // AFFIRM_VERIFY_RULES_THEOREM_H_
