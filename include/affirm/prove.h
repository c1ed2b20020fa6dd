// Proofs: of claims about maps, and of rewrite rules. Link affirm::verify.
//
//   auto answer = affirm::ProveEqual(a, b);
//   if (answer.verdict == affirm::Verdict::kRefuted) {
//     answer.counterexample->ToString(a);  // "d0 = 3: lhs {(4)}, rhs {(5)}"
//   }
//
// A verdict is kProved, kRefuted with a counterexample that was evaluated again, or kUnknown with a
// reason. Budgets count the solvers' steps, so that a verdict does not depend on the machine.
#ifndef AFFIRM_INCLUDE_AFFIRM_PROVE_H_
#define AFFIRM_INCLUDE_AFFIRM_PROVE_H_

#include "verify/decide/decider.h"
#include "verify/maps/maps.h"
#include "verify/rules/audit.h"

#endif  // AFFIRM_INCLUDE_AFFIRM_PROVE_H_
