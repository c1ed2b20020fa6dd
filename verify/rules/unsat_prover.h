// Shows that a system of facts has no integer solution: case distinctions on the signs of divisors
// and on choices, and in each case a query to Z3 in linear arithmetic, in which every monomial is a
// variable of its own and lemmas say what products of positive numbers satisfy.
//
// The rule (x * a) floordiv a => x, a > 0 has the obligation that q >= x + 1 has no solution where
// q = (x * a) floordiv a, which is 0 <= a * x - a * q <= a - 1. With a >= 1 and D = q - x >= 1 the
// lemma a * D >= a + D - 1 makes a * x - a * q <= -1: no solution.
#ifndef AFFIRM_VERIFY_RULES_UNSAT_PROVER_H_
#define AFFIRM_VERIFY_RULES_UNSAT_PROVER_H_

#include <memory>

#include "verify/rules/system.h"

namespace affirm::rules {

struct UnsatProverLimits {
  unsigned rlimit = 4'000'000;  // of Z3, per query
  unsigned wall_ms = 20'000;    // backstop, per query
  int max_cases = 2000;         // per system
};

class UnsatProver {
 public:
  explicit UnsatProver(const UnsatProverLimits& limits);
  ~UnsatProver();

  // True: proved to have no solution. False: not shown.
  bool ProveUnsat(const System& system);
  int cases() const { return cases_; }

 private:
  bool ProveCaseUnsat(System system, int depth);
  bool ProveLeafUnsat(const System& system);

  struct Solver;
  UnsatProverLimits limits_;
  std::unique_ptr<Solver> solver_;
  int cases_ = 0, first_case_ = 0;
};

// The facts of a system's quotients for divisors whose sign the facts determine, positive
// multipliers, and candidate lemmas: what the linear query is made of.
struct LinearQuery {
  std::vector<PolyFact> facts;
  // A case distinction on the sign of a polynomial D, with what it says of the product of D with
  // each of its multipliers p, all of which are positive: D >= 1 and p*D >= p + D - 1, or D <= -1
  // and p*D <= D - p + 1, or D = 0 and p*D = 0.
  struct Lemma {
    Poly d;
    std::vector<Monomial> multipliers;
    // Only for D = 0, of any sign.
    std::vector<Monomial> zero_multipliers;
  };
  std::vector<Lemma> lemmas;
};
// `wide` adds lemmas whose monomials occur nowhere else, and products of facts.
LinearQuery Linearize(const System& system, bool wide);

}  // namespace affirm::rules

#endif  // AFFIRM_VERIFY_RULES_UNSAT_PROVER_H_
