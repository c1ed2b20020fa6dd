// Maps of a loop's body with the trip as a further dim. Internal to core/analysis.
//
// For a body that reads row i of x, where i is the counter,
//   (d0){rt0} -> (rt0, d0)       rt0 = i                  is what the body reads, and
//   (d0, d1)  -> (d1, d0)        d1 in [0, trips - 1]     what it reads in trip d1.
#ifndef AFFIRM_CORE_ANALYSIS_LOOPS_TRIP_MAPS_H_
#define AFFIRM_CORE_ANALYSIS_LOOPS_TRIP_MAPS_H_

#include <optional>
#include <vector>

#include "core/analysis/loops/carried_maps.h"
#include "core/analysis/loops/scalar_values.h"
#include "core/analysis/ops/op_maps.h"

namespace affirm::analysis {

// `map` over other variables. The substitution expresses its variables by the new ones; the runtime
// variables at the positions in `kept` stay, in that order.
IndexingMap OverVariables(const IndexingMap& map, SymbolicExpr::Substitution fn,
                          std::vector<Variable> dims, std::vector<Variable> ranges,
                          llvm::ArrayRef<int64_t> kept, llvm::ArrayRef<SymbolicExpr> results,
                          llvm::ArrayRef<Constraint> more = {});

// The positions of all of them.
std::vector<int64_t> AllOf(const std::vector<Variable>& variables);

// The map with one more dim, which nothing uses.
IndexingMap WithDim(const IndexingMap& map, Interval bounds);
// The map without its last dim, which has the value given.
IndexingMap WithLastDim(const IndexingMap& map, int64_t value);
// The map with a further result, the trip that it leads to, and with the constraints and the range
// variable of `next`.
struct NextTrip {
  SymbolicExpr trip;                    // the further result
  std::vector<Constraint> constraints;  // over the dims of the map
  std::optional<Interval> any;          // bounds of a new range variable, numbered last
};
IndexingMap WithTripResult(const IndexingMap& map, const NextTrip& next);

// The body of a loop: what it reads in a trip.
class TripMaps {
 public:
  TripMaps(const hlo::Instruction& loop, Session& session);

  const std::optional<int64_t>& trips() const { return trips_; }
  // The maps from leaf `leaf` of what the body gives to the leaves of what it takes, with the trip
  // as the last dim where the number of trips is known.
  std::vector<LabeledMap> From(int64_t leaf);
  // The runtime variables whose values the maps express by the trip.
  const std::vector<TripValue>& values() const { return used_; }

 private:
  LabeledMap InTrip(const LabeledMap& labeled);
  SymbolicExpr ValueInTrip(const RuntimeSource& source);
  // Whether the elements of `op` are the same in every trip.
  bool IsInvariant(const hlo::Instruction& op);
  bool IsInvariantLeaf(InstructionLeaf at);

  Session& session_;
  LoopParts parts_;
  CallSites sites_;
  bool is_body_shared_ = false;  // by several loops: a runtime variable of it is no single value
  std::optional<int64_t> trips_;
  std::optional<ScalarValues> values_;
  std::vector<TripValue> used_;
  std::map<std::pair<const hlo::Instruction*, int64_t>, bool> invariant_;
};

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_LOOPS_TRIP_MAPS_H_
