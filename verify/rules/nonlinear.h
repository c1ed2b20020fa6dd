// Direct questions to Z3's nonlinear arithmetic: the second attempt at a proof, and the source of
// counterexamples that the search does not reach.
#ifndef AFFIRM_VERIFY_RULES_NONLINEAR_H_
#define AFFIRM_VERIFY_RULES_NONLINEAR_H_

#include <vector>

#include "core/symbolic/checked.h"
#include "verify/decide/decider.h"
#include "verify/rules/system.h"

namespace affirm::rules {

struct NonlinearResult {
  bool unsatisfiable = false;
  std::vector<int128> model;  // of the first variables; empty when none was found
};

// Products of quotients and divisors reach Z3 as products. A model gives the first `num_values`
// variables; there is none when one of them leaves 64 bits.
NonlinearResult SolveNonlinear(const System& system, size_t num_values, const Budget& budget);

}  // namespace affirm::rules

#endif  // AFFIRM_VERIFY_RULES_NONLINEAR_H_
