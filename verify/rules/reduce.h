// Elementary steps that make a system of facts smaller without changing its solutions.
#ifndef AFFIRM_VERIFY_RULES_REDUCE_H_
#define AFFIRM_VERIFY_RULES_REDUCE_H_

#include "verify/rules/bounds_propagation.h"
#include "verify/rules/system.h"

namespace affirm::rules {

// Tightens the facts, replaces variables and products by what they equal, and takes multiples of
// the divisor out of quotients. False when the facts contradict each other.
bool Normalize(System& system);

// Divides an equality by factors that are not zero, or applies Euclid's lemma to one. True when
// something changed.
bool CancelFactors(System& system, const BoundsPropagation& bounds);

}  // namespace affirm::rules

#endif  // AFFIRM_VERIFY_RULES_REDUCE_H_
