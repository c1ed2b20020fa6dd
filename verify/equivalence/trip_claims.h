// The claims of a loop's backend_config about its trips.
//
//   while(t), ..., backend_config={"known_trip_count":{"n":"5"}}
//
// XLA runs the body five times, whatever the condition says. The claim is redundant where the
// condition holds in five trips and then fails; else it is a part of what the loop means.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_TRIP_CLAIMS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_TRIP_CLAIMS_H_

#include <memory>
#include <string>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// Whether the claims of a loop of the module follow from its condition and its body: integers that
// start from constants are run through the trips. False where that is not seen.
bool FollowsTripClaim(const hlo::Instruction& loop);

// Whether the loop ends after at most 65,536 trips, as far as integers show that start from
// constants, and so does each loop in its trips. One that claims something is not known to end. Of
// another instruction: whether the loops in what it calls do.
bool IsKnownToEnd(const hlo::Instruction& op);

// Whether a loop claims how often it runs.
bool ClaimsTrips(const hlo::Module& module);

// A copy of the module in which no loop claims what follows; null where there is no such claim.
std::unique_ptr<hlo::Module> WithoutRedundantTripClaims(const hlo::Module& module);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_TRIP_CLAIMS_H_
