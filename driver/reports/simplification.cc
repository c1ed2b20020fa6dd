// Replays a simplification and compares its outcome with the map.
#include "driver/reports/simplification.h"

#include <string>

#include "core/symbolic/error.h"
#include "driver/check/trace_text.h"
#include "verify/maps/maps.h"
#include "verify/rules/replay.h"

namespace affirm::driver {

llvm::Error ConfirmSimplification(const IndexingMap& map, const IndexingMap& simplified,
                                  const Trace& trace, const RuleTable& rules) {
  const std::string what = "the simplification of " + map.ToString() + " is not printed: ";
  ReplayReport report = Replay(map, simplified, trace, rules.rules());
  if (!report.ok()) {
    const ReplayProblem& problem = report.problems.front();
    const bool of_step = problem.step < trace.steps.size();
    return MakeError(what + "it is not confirmed by a replay" +
                     (of_step ? ", at " + StepText(trace.steps[problem.step], rules) : "") + ": " +
                     problem.text);
  }
  DecideOptions decide;
  decide.budget = {.enumeration_points = 1 << 14,
                   .z3_rlimit = 2'000'000,
                   .isl_operations = 100'000,
                   .wall_ms = 10'000};
  MapProofResult equal = ProveEqual(map, simplified, decide);
  if (equal.verdict != Verdict::kRefuted) return llvm::Error::success();
  return MakeError(what + "by a rule that is wrong it would be " + simplified.ToString() +
                   ", which differs at " + equal.counterexample->ToString(map));
}

}  // namespace affirm::driver
