// How the maps from the result of a computation to its instructions come about: each composition,
// and its simplification step by step.
#ifndef AFFIRM_DRIVER_EXPLORE_COMPOSITIONS_JSON_H_
#define AFFIRM_DRIVER_EXPLORE_COMPOSITIONS_JSON_H_

#include "core/hlo/module.h"
#include "driver/explore/map_json.h"
#include "llvm/Support/JSON.h"

namespace affirm::driver {

// How many compositions a page may have, so that its file stays small.
struct CompositionBudget {
  int64_t compositions = 600;
};

// By the id of the instruction, the maps from an element of array `output` of the root to it:
//   {"17": [{"map", "exactness", "leaf", "of"?: user, "before"?: map, "then"?: map, "raw": text,
//            "steps": [{"rule", "place", "before", "after", "bindings", "results"?}], "replayed"}]}
// `results` are those of the map behind the step, where that can be told.
llvm::json::Object CompositionsJson(const hlo::Computation& computation, int64_t output,
                                    Context& context, MapPool& maps, CompositionBudget& budget);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EXPLORE_COMPOSITIONS_JSON_H_
