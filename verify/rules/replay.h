// An independent check of a simplification's trace. It shares no code with the simplifier, on
// purpose: it matches by instantiating each rule with the recorded bindings and comparing normal
// forms, checks the conditions anew under the facts of the step, and carries the steps out itself.
#ifndef AFFIRM_VERIFY_RULES_REPLAY_H_
#define AFFIRM_VERIFY_RULES_REPLAY_H_

#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "core/simplify/rule.h"
#include "core/simplify/trace.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/decide/decider.h"

namespace affirm {

struct ReplayProblem {
  // The step, or the number of steps for what is wrong with the whole.
  size_t step = 0;
  std::string text;
};

struct ReplayReport {
  std::vector<ReplayProblem> problems;  // empty: every step and the outcome are right
  bool ok() const { return problems.empty(); }
  std::string ToString() const;  // one line each
};

// Whether the steps are instances of `rules` whose conditions hold, and lead from `before` to
// `after`. That the rules are theorems is for the audit to say.
// The bounds in a step for lower(e) or upper(e) in a condition must bound e.
ReplayReport Replay(const IndexingMap& before, const IndexingMap& after, const Trace& trace,
                    llvm::ArrayRef<Rule> rules, const Budget& budget = {});

}  // namespace affirm

#endif  // AFFIRM_VERIFY_RULES_REPLAY_H_
