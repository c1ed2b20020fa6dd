// Proves conditions that ranges do not decide, by the deciders of verify/decide.
//
//   // i <= 76 and j = floor(i / 7): is 329 - i - 23 * j >= 0?
//   TermDecider decider({});
//   decider.Proves(scope, pool.AtLeastZero(...));   // true; scope.Decide gives no answer
//
// Integer terms become expressions, and a pick a variable that equals the chosen arm. Any other
// integer, such as a loaded or an unknown one, becomes a free variable in the range that the scope
// knows. This over-approximates, so a proved condition holds; an unproved one may hold too.
#ifndef AFFIRM_VERIFY_TERMS_QUERY_H_
#define AFFIRM_VERIFY_TERMS_QUERY_H_

#include <optional>
#include <utility>
#include <vector>

#include "verify/decide/decider.h"
#include "verify/terms/scope.h"

namespace affirm::terms {

struct TermDeciderOptions {
  // Small: a kernel has many questions, and ranges decide most of them.
  Budget budget = {.enumeration_points = 1 << 14,
                   .z3_rlimit = 1'000'000,
                   .isl_operations = 200'000,
                   .isl_seconds = 1,
                   .wall_ms = 20'000};
  // The decider gives up after this many questions, or this many that it did not prove.
  int64_t questions = 4000, failures = 40;
};

// Values of the terms that a query takes for variables: variables, loaded integers and others; a
// predicate is 1 or 0.
using Model = std::vector<std::pair<Term, int64_t>>;

class TermDecider {
 public:
  explicit TermDecider(TermDeciderOptions options) : options_(options) {}

  // Whether the facts of the scope are proved to imply the condition. For pool.False(): whether the
  // facts are proved contradictory.
  bool Proves(Scope& scope, Term condition);
  // A model of the facts and the negated condition, if one is found. It is only a candidate: the
  // query takes loaded integers as independent, and leaves out facts that it cannot express. The
  // caller must check it.
  std::optional<Model> Refute(Scope& scope, Term condition);
  // Resets the count of unproved questions, before another strategy.
  void ForgetFailures() { failures_ = 0; }
  // Whether too many questions went unproved, so that no further one is asked.
  bool HasGivenUp() const { return failures_ >= options_.failures; }
  // How many conditions were proved, and the engine of the last proof.
  int64_t proved() const { return proved_; }
  Engine engine() const { return engine_; }

 private:
  struct Answer {
    SolverResult result = {};
    std::vector<Term> variables = {};  // of the query
  };
  Answer Ask(Scope& scope, Term condition);

  TermDeciderOptions options_;
  int64_t failures_ = 0, proved_ = 0;
  Engine engine_ = Engine::kIntervalAnalysis;
};

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_QUERY_H_
