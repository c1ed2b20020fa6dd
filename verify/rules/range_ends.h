// lower() and upper() outside of `let`, made part of a rule's theorem.
#ifndef AFFIRM_VERIFY_RULES_RANGE_ENDS_H_
#define AFFIRM_VERIFY_RULES_RANGE_ENDS_H_

#include "core/simplify/rule.h"

namespace affirm::rules {

// The rule with each lower(e) replaced by a constant of which only lower(e) <= e is known, and
// likewise upper(e); except in a `let`, whose name the theorem leaves free. The metavariables of
// the rule keep their numbers. The constant is called "lower(e)".
Rule NameRangeEnds(const Rule& rule);
// The same in a `let` too, which then defines its name: as the simplifier reads it.
Rule NameRangeEndsInLets(const Rule& rule);

}  // namespace affirm::rules

#endif  // AFFIRM_VERIFY_RULES_RANGE_ENDS_H_
