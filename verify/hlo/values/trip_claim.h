// What the backend_config of a loop claims of its trips, which XLA runs by.
//
//   while(t), ..., backend_config={"known_trip_count":{"n":"5"}}
//   TripClaim(loop);  // {"known_trip_count":{"n":"5"}}
#ifndef AFFIRM_VERIFY_HLO_VALUES_TRIP_CLAIM_H_
#define AFFIRM_VERIFY_HLO_VALUES_TRIP_CLAIM_H_

#include <optional>
#include <string>

#include "core/hlo/module.h"
#include "llvm/Support/JSON.h"

namespace affirm::hlo_values {

// The configuration of a loop; nullopt where there is none that is a JSON object.
std::optional<llvm::json::Object> LoopConfig(const hlo::Instruction& loop);

// The claims of a loop (known_trip_count, known_init_step, known_induction_variable) as text; empty
// where there are none. A configuration that is no JSON object is a claim as a whole.
std::string TripClaim(const hlo::Instruction& loop);

}  // namespace affirm::hlo_values

#endif  // AFFIRM_VERIFY_HLO_VALUES_TRIP_CLAIM_H_
