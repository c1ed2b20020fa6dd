// Proves a rule for all integer constants and all integer values of its expressions, or finds an
// instance at which it is wrong. Of the two rules
//
//   rule good: (x mod c) mod a  =>  x mod a  when a > 0, a divides c
//   rule bad:  (x mod c) mod a  =>  x mod a  when a > 0, c > 0
//
// the first is proved, for every a, c and x at once; the second is refuted at, for example, x = 2,
// c = 2, a = 3: left is 0, right is 2.
//
// The theorem. Hypotheses: the conditions; and that the left side and the premises have values (no
// divisor is zero, every modulus is positive), and so the constants that the conditions compare. To
// prove: the expressions of which the conditions speak, and the right side or the conclusions, have
// values too; and both sides are equal, or the premises hold together exactly when the conclusions
// do.
#ifndef AFFIRM_VERIFY_RULES_PROVE_H_
#define AFFIRM_VERIFY_RULES_PROVE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/simplify/rule.h"
#include "verify/decide/decider.h"

namespace affirm {

// Values of a rule's metavariables at which its sides differ, as decimal numbers.
struct RuleCounterexample {
  std::vector<std::pair<std::string, std::string>> values;  // name, value; in order of the names
  std::string left, right;  // the values of the sides; "true"/"false" for facts; "undefined"
  // "x = 1, c = 2: left is 3, right is 4"
  std::string ToString() const;
};

struct RuleProofResult {
  Verdict verdict = Verdict::kUnknown;
  // kRefuted: evaluated again, in exact arithmetic. lower(e) and upper(e) have values there, also
  // in a `let`, with lower(e) <= e <= upper(e).
  std::optional<RuleCounterexample> counterexample;
  // No instance satisfies the conditions: the rule is of no use. It is proved, or unknown where a
  // `let` of a range end has no value for which they hold, and the theorem leaves its name free.
  bool vacuous = false;
  // kUnknown: proved where the names in each `let` of a range end have values that ranges have, but
  // the theorem, of which a replayed step is an instance, leaves them free.
  bool holds_of_ranges = false;
  std::string reason;  // kUnknown: which part stayed open
  int cases = 0;       // of the proof
  double ms = 0;
};

// `budget.z3_rlimit` bounds the work of each query.
RuleProofResult ProveRule(const Rule& rule, const Budget& budget = {});

// The proof alone, without a search for counterexamples: proved or unknown.
RuleProofResult ProveWithoutSearch(const Rule& rule, const Budget& budget = {});

// Why no expression or fact can ever match the rule, or why a match would leave it undetermined.
// Empty when neither is so. A rule is unmatchable when
//  - its left side (a premise) is no sum, product, quotient, residue, minimum or maximum and no
//    metavariable of an expression, or has no metavariable of an expression at all;
//  - its left side is a bare metavariable, and no condition contains it;
//  - a name in the right side, the conclusions or a condition occurs neither on the left side nor
//    in a premise, nor is given by a `let`;
//  - a `let` gives a value to a name that the left side already has.
std::vector<std::string> FindUnmatchable(const Rule& rule);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_RULES_PROVE_H_
