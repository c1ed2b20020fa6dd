// Mutants of a rule: the rule with one small mistake. Where every mutant is refuted, each part of
// the rule is needed; a mutant that is proved shows a rule that could be more general, or a
// condition that only makes rewriting end.
#ifndef AFFIRM_VERIFY_RULES_MUTANTS_H_
#define AFFIRM_VERIFY_RULES_MUTANTS_H_

#include <string>
#include <vector>

#include "core/simplify/rule.h"
#include "verify/rules/prove.h"

namespace affirm {

struct Mutant {
  std::string what;  // "condition 'c > 0' dropped"
  Rule rule;
};

// One condition dropped or made weaker by equality; a number, or an end of a range or of a
// conclusion, shifted by one; floordiv, ceildiv and mod, min and max, gcd and lcm exchanged; a term
// of a sum negated. No mutant comes twice or is the rule itself; their order is fixed. A `let` with
// lower() or upper() is no part of the theorem and stays as it is.
std::vector<Mutant> Mutate(const Rule& rule);

struct MutantReport {
  std::string what;
  std::string text;  // the mutant, in the language of rules
  RuleProofResult verdict;
};
std::vector<MutantReport> TestMutants(const Rule& rule, const Budget& budget);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_RULES_MUTANTS_H_
