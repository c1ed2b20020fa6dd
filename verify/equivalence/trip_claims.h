// Checks known_trip_count in a loop's backend_config.
//
//   while(t), ..., backend_config={"known_trip_count":{"n":"5"}}
//
// XLA runs the body five times without evaluating the condition. The claim is redundant if the
// condition holds for five trips and then fails; otherwise it is part of the loop's semantics.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_TRIP_CLAIMS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_TRIP_CLAIMS_H_

#include <memory>
#include <string>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// Whether the claim follows from the loop's condition and body, by executing the trips on the
// integers that start from constants. False if that does not decide it.
bool FollowsTripClaim(const hlo::Instruction& loop);

// Whether the loop, and each nested one, is proved to end after at most 65,536 trips, by executing
// the integers that start from constants. False for a loop with a claim, and for a conditional with
// a collective in a branch, where devices may wait for others that take another one. For another
// instruction: whether all that it calls is proved to end.
bool IsKnownToEnd(const hlo::Instruction& op);

// Whether a loop of the module has a known_trip_count.
bool ClaimsTrips(const hlo::Module& module);

// A copy of the module without redundant claims; null if there is none.
std::unique_ptr<hlo::Module> WithoutRedundantTripClaims(const hlo::Module& module);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_TRIP_CLAIMS_H_
