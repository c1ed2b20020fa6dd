// Maps of a module that are refuted, as what the page draws: an element, what the map says that it
// reads, and what it reads.
#ifndef AFFIRM_DRIVER_EXPLORE_MAP_REFUTATIONS_H_
#define AFFIRM_DRIVER_EXPLORE_MAP_REFUTATIONS_H_

#include "core/hlo/module.h"
#include "driver/check/check.h"
#include "llvm/Support/JSON.h"

namespace affirm::driver {

// {"claim", "reason", "instruction", "maps": [..], "detail", "from": {"array", "shape", "dims",
// "element"}, "to": {"array", "shape", "dims"}, "wanted": [[..]], "given": [[..]], "all_wanted",
// "all_given"} for each. Where a counterexample has values of runtime variables, or an array is
// part of a tuple, nothing is drawn: "from" and what follows it are missing.
void AddMapRefutations(const hlo::Module& module, const ModuleReport& report,
                       llvm::json::Array& refutations);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EXPLORE_MAP_REFUTATIONS_H_
