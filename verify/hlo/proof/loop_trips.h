// The proof that a `while` runs as often as is claimed, and of what runtime variables of its body
// are in each trip: by running its integers, from the entry of the module to the last trip.
#ifndef AFFIRM_VERIFY_HLO_PROOF_LOOP_TRIPS_H_
#define AFFIRM_VERIFY_HLO_PROOF_LOOP_TRIPS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/loops/carried_maps.h"
#include "core/hlo/module.h"

namespace affirm {

// Runs the loop. Empty when its condition holds `trips` times and then fails, and in each trip
// every value is what is claimed; else what is not so, or not known. Producers in branches that
// never run, which have no value in any trip, are put into `never`.
std::string RefuteTrips(const hlo::Instruction& loop, int64_t trips,
                        llvm::ArrayRef<TripValue> values, std::set<int64_t>& never);

// The instructions of a loop's body, and of the computations that it calls, whose elements are the
// same whenever they are computed, in whatever trip.
class TripInvariants {
 public:
  // Empty if there is no body.
  explicit TripInvariants(const hlo::Computation* body);
  bool Contains(int64_t id) const {
    const auto at = same_.find(id);
    return at != same_.end() && at->second;
  }

 private:
  using Leaves = std::vector<bool>;
  Leaves Visit(const hlo::Computation& computation, llvm::ArrayRef<Leaves> arguments);

  std::map<int64_t, bool> same_;  // by instruction id; false where it is computed in several places
  int depth_ = 0;
};

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_PROOF_LOOP_TRIPS_H_
