// Rules that say something else than a value rule, mostly something wrong: what a check of the
// table must find.
//
//   x + -0.0 => x    x + 0.0 => x, x - -0.0 => x, x * -0.0 => x, ...
#ifndef AFFIRM_VERIFY_VALUE_RULES_MUTANTS_H_
#define AFFIRM_VERIFY_VALUE_RULES_MUTANTS_H_

#include <string>
#include <vector>

#include "verify/value_rules/value_rule.h"

namespace affirm::value_rules {

struct Mutant {
  std::string what;  // "subtract for add"
  ValueRule rule;
};

// Each differs from the rule in one place: another operation, operands that change places, another
// number, another variable, or no condition.
std::vector<Mutant> MutantsOf(const ValueRule& rule);

}  // namespace affirm::value_rules

#endif  // AFFIRM_VERIFY_VALUE_RULES_MUTANTS_H_
