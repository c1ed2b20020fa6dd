// The elements of its operand that a `while` reads: the invariants of the carried tuple.
//
// Let   (i, sum, x) = while(0, z, x)   have the body   i + 1, sum + x[i], x   and run 8 times.
// After t trips
//
//   sum[d0]  was computed from  sum[d0] of the operand        (d0, t) -> (d0)
//            and from           x[s0, d0], s0 < t             (d0, t)[s0] -> (s0, d0),
//                                                             s0 in [0, 7], s0 - t in [-8, -1]
//
// and the maps of the `while` are these at t = 8. Each is a loop invariant. It holds at t = 0,
// where the arrays are those of the operand. If it holds after t trips, it holds after t + 1, by
// the maps of the body at trip t. verify/hlo/proof/loops.h proves both.
#ifndef AFFIRM_CORE_ANALYSIS_LOOPS_CARRIED_MAPS_H_
#define AFFIRM_CORE_ANALYSIS_LOOPS_CARRIED_MAPS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/indexing.h"

namespace affirm {

// The value of a runtime variable of the body in trip Dim(0), counted from 0: that of the scalar
// `producer`, clamped.
struct TripValue {
  int64_t producer = -1;
  Interval clamp;
  SymbolicExpr value;
  friend bool operator==(const TripValue&, const TripValue&) = default;
};

struct CarriedMaps {
  // How often the body runs, as the condition says. The maps below then have one more dim after
  // those of the array, t in [0, trips]. Absent where the count depends on values or is unknown;
  // the maps then hold after any number of trips and have no such dim.
  std::optional<int64_t> trips;
  // By leaf of the result: maps to the leaves of the operand. A leaf is absent unless it was asked
  // for or a leaf that was asked for depends on it.
  std::map<int64_t, std::vector<LabeledMap>> maps;
  // The runtime variables that the maps express by the trip.
  std::vector<TripValue> values;
};

// The invariants of these leaves, and of the leaves that they depend on. Empty unless `loop` is a
// well-formed `while`.
CarriedMaps AnalyzeCarried(const hlo::Instruction& loop, llvm::ArrayRef<int64_t> leaves,
                           Context& context);

// How often a loop runs: by its condition, which is what the maps use, and as the module claims in
// `known_trip_count`, which is an assumption where the condition does not imply it.
struct TripCount {
  std::optional<int64_t> by_condition, claimed;
};
TripCount TripCountOf(const hlo::Instruction& loop, Context& context);

// A map of `carried`, after all trips: over the dims of the array alone.
IndexingMap AfterAllTrips(const CarriedMaps& carried, const IndexingMap& map);

namespace analysis {

struct Session;

// The same, and also the leaves that this session was asked for before. A later call may return
// more leaves.
std::shared_ptr<const CarriedMaps> AnalyzeCarried(const hlo::Instruction& loop,
                                                  llvm::ArrayRef<int64_t> leaves, Session& session);

}  // namespace analysis
}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_LOOPS_CARRIED_MAPS_H_
