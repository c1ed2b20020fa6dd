// Claims about trips in the backend_config of a loop, by which XLA runs it.
//
//   while(t), ..., backend_config={"known_trip_count":{"n":"5"}}
//   TripClaim(loop);     // {"known_trip_count":{"n":"5"}}
//   ClaimedTrips(loop);  // 5
#ifndef AFFIRM_CORE_HLO_TRIP_CLAIM_H_
#define AFFIRM_CORE_HLO_TRIP_CLAIM_H_

#include <cstdint>
#include <optional>
#include <string>

#include "core/hlo/module.h"
#include "llvm/Support/JSON.h"

namespace affirm::hlo {

// The configuration of a loop; nullopt where there is none that is a JSON object.
std::optional<llvm::json::Object> LoopConfig(const Instruction& loop);

// A number of an object, which may be quoted; nullopt for anything else.
std::optional<int64_t> NumberIn(const llvm::json::Object& object, llvm::StringRef key);

// How often the body runs, by `known_trip_count`; nullopt where that is not claimed.
std::optional<int64_t> ClaimedTrips(const Instruction& loop);

// The claims of a loop (known_trip_count, known_init_step, known_induction_variable) as text; empty
// where there are none. A configuration that is no JSON object is a claim as a whole.
std::string TripClaim(const Instruction& loop);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_TRIP_CLAIM_H_
