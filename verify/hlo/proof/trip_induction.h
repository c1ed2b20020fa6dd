// Trips of a loop by induction, where its integers count evenly: one step that holds for all trips
// at once, in the place of a million that are run.
//
//   i = s32[] get-tuple-element(s), index=0      // t in trip t, of 1000000
//   next = s32[] add(i, one)                     // t + 1: what i is in the next trip
//   inside = pred[] compare(i, n), direction=LT  // true in all of them, and false after the last
#ifndef AFFIRM_VERIFY_HLO_PROOF_TRIP_INDUCTION_H_
#define AFFIRM_VERIFY_HLO_PROOF_TRIP_INDUCTION_H_

#include <cstdint>

#include "core/analysis/loops/carried_maps.h"
#include "verify/hlo/proof/scalar_execution.h"

namespace affirm {

// Whether it is proved that the loop, from `start` on, runs `trips` times, and that in each trip
// every value is what is claimed. False says nothing.
bool ProveTripsByInduction(const LoopComputations& loop, const ScalarLeaves& start, int64_t trips,
                           llvm::ArrayRef<TripValue> values);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_PROOF_TRIP_INDUCTION_H_
