// What a `while` reads of its operand: the invariants of the carried tuple.
//
// Of   (i, sum, x) = while(0, z, x)   with   i + 1, sum + x[i], x   for a body that runs 8 times,
// after t trips
//
//   sum[d0]  was computed from  sum[d0] of the operand        (d0, t) -> (d0)
//            and from           x[s0, d0], s0 < t             (d0, t)[s0] -> (s0, d0),
//                                                             s0 in [0, 7], s0 - t in [-8, -1]
//
// and the maps of the `while` are these at t = 8. Each is an invariant: it holds at t = 0, where an
// array is what the operand has, and what holds after t trips holds after t + 1, because
// the body at trip t reads what it reads. verify/hlo/proof/loops.h proves both.
#ifndef AFFIRM_CORE_ANALYSIS_LOOPS_CARRIED_MAPS_H_
#define AFFIRM_CORE_ANALYSIS_LOOPS_CARRIED_MAPS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/indexing.h"

namespace affirm {

// What a runtime variable of the body is in trip Dim(0), counted from 0: the value of the scalar
// `producer`, clamped.
struct TripValue {
  int64_t producer = -1;
  Interval clamp;
  SymbolicExpr value;
  friend bool operator==(const TripValue&, const TripValue&) = default;
};

struct CarriedMaps {
  // How often the body runs, as the condition says; the maps below then have one more dim behind
  // those of the array, t in [0, trips]. Absent: it depends on values, or is not known; the maps
  // hold after any number of trips and have no such dim.
  std::optional<int64_t> trips;
  // By leaf of the result: maps to the leaves of the operand. Leaves that were not asked for, and
  // that none of these depends on, are absent.
  std::map<int64_t, std::vector<LabeledMap>> maps;
  // The runtime variables that the trip takes the place of.
  std::vector<TripValue> values;
};

// The invariants of these leaves, and of the leaves that they depend on. Nothing for what is no
// well-formed `while`.
CarriedMaps AnalyzeCarried(const hlo::Instruction& loop, llvm::ArrayRef<int64_t> leaves,
                           Context& context);

// How often a loop runs: as its condition says, which is what maps are made of, and as the module
// claims in `known_trip_count`, which is an assumption where the condition does not say it.
struct TripCount {
  std::optional<int64_t> by_condition, claimed;
};
TripCount TripCountOf(const hlo::Instruction& loop, Context& context);

// A map of `carried`, after all trips: over the dims of the array alone.
IndexingMap AfterAllTrips(const CarriedMaps& carried, const IndexingMap& map);

namespace analysis {

struct Session;

// The same, with those of the leaves that the session was asked for before; there may be more of
// them when it is asked again.
std::shared_ptr<const CarriedMaps> AnalyzeCarried(const hlo::Instruction& loop,
                                                  llvm::ArrayRef<int64_t> leaves, Session& session);

}  // namespace analysis
}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_LOOPS_CARRIED_MAPS_H_
