// The passes of a dump for the page: their verdicts, and the HLO before and after each.
#ifndef AFFIRM_DRIVER_EXPLORE_PASSES_JSON_H_
#define AFFIRM_DRIVER_EXPLORE_PASSES_JSON_H_

#include <vector>

#include "core/hlo/module.h"
#include "driver/dump/dump.h"
#include "driver/explore/line_diff.h"
#include "llvm/Support/JSON.h"

namespace affirm::driver {

// [{"pipeline", "pass", "verdict", "changed", "before", "after", "reason"?, "replay"?, "diff"?}]
// Files that differ have a diff (line_diff.h). A refuted pass is also added to `refutations`, with
// the element of `module`'s result that it changes.
//
//   json["passes"] = PassesJson(result.modules.front().passes, module, budget, refutations);
llvm::json::Array PassesJson(const std::vector<PassRow>& rows, const hlo::Module& module,
                             DiffBudget& budget, llvm::json::Array& refutations);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EXPLORE_PASSES_JSON_H_
