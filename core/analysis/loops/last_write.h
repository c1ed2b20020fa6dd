// Arrays of which each trip overwrites a part that the counter selects. Internal to core/analysis.
//
// In y' = dynamic-update-slice(y, row, i, 0), for y of f32[8,4], trip t keeps element (d0, d1)
// unless d0 = t. After t trips the element has the value that trip d0 wrote, if d0 < t, and else
// its initial value.
#ifndef AFFIRM_CORE_ANALYSIS_LOOPS_LAST_WRITE_H_
#define AFFIRM_CORE_ANALYSIS_LOOPS_LAST_WRITE_H_

#include <optional>
#include <vector>

#include "core/analysis/ops/op_maps.h"

namespace affirm::analysis {

// After t trips, over the index of the array and t.
struct LastWrite {
  SymbolicExpr trip;                // the last trip that wrote the element
  std::vector<Constraint> written;  // where there is one
  Constraint kept;                  // where there is none
  // With a trip in place of t: that trip keeps the element where one of these is positive.
  std::vector<SymbolicExpr> keeping;
  // The trips that write it are those from the maximum of `first` to the minimum of `last`.
  std::vector<SymbolicExpr> first, last;
  std::vector<SymbolicExpr> never;  // no trip writes it where one of these is positive

  // No trip after `trip`, and before t, writes the element.
  Constraint KeptAfter(SymbolicExpr trip) const;
};

// `keeps` is the identity under constraints on the index and the trip, its last dim, in
// [0, trips - 1]: which elements the trip keeps. nullopt when it is not, or when the trips that
// write an element are not an interval.
std::optional<LastWrite> FindLastWrite(const IndexingMap& keeps);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_LOOPS_LAST_WRITE_H_
