// Conditions that ranges do not decide, asked of the deciders of verify/decide.
//
//   // i <= 76 and j = floor(i / 7): is 329 - i - 23 * j >= 0?
//   TermDecider decider({});
//   decider.Proves(scope, pool.AtLeastZero(...));   // true; scope.Decide gives no answer
//
// Integers become expressions, a choice between integers a variable that is one or the other, and
// what has no such form (a loaded integer, one that is unknown) a variable with the range that the
// scope knows. So what is proved holds; what is not proved may hold.
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
  // After this many questions, or this many without a proof, nothing is asked any more.
  int64_t questions = 4000, failures = 40;
};

// Integers of terms, and values of theirs: of variables, of loaded integers, of others that a query
// takes for a variable; predicates are 1 or 0.
using Model = std::vector<std::pair<Term, int64_t>>;

class TermDecider {
 public:
  explicit TermDecider(TermDeciderOptions options) : options_(options) {}

  // Whether the condition holds wherever the facts of the scope do, as far as that is proved. Of a
  // condition that is false: whether the facts contradict each other.
  bool Proves(Scope& scope, Term condition);
  // Values at which the facts of the scope hold and the condition does not, where such are found:
  // for the query, in which loaded integers may be anything in their ranges, each by itself, and
  // facts that cannot be written are left out. Whoever uses them has to try whether they are some.
  std::optional<Model> Refute(Scope& scope, Term condition);
  // Begins anew to count questions without a proof: another way is tried.
  void ForgetFailures() { failures_ = 0; }
  // Whether no further question is asked, after too many without a proof.
  bool HasGivenUp() const { return failures_ >= options_.failures; }
  // How many conditions were proved, and by whom the last one was.
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
