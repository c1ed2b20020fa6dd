// Arrays of which a trip overwrites a part that the counter says. Internal to core/analysis.
//
// Of y' = dynamic-update-slice(y, row, i, 0), for y of f32[8,4], element (d0, d1) is kept in trip t
// unless d0 = t. After t trips it is what trip d0 wrote, if d0 < t, and else what was there at
// first.
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
  // An element is kept in the trip that stands in the place of t where one of these is positive.
  std::vector<SymbolicExpr> keeping;
  // The trips that write it are those from the largest of `first` to the least of `last`.
  std::vector<SymbolicExpr> first, last;
  std::vector<SymbolicExpr> never;  // no trip writes it where one of these is positive

  // No trip after `trip`, and before t, writes the element.
  Constraint KeptAfter(SymbolicExpr trip) const;
};

// `keeps` is the identity under constraints on the index and the trip, its last dim, in
// [0, trips - 1]: which elements the trip keeps. Nothing when it is not, or when the trips that
// write an element are not those from one to another.
std::optional<LastWrite> FindLastWrite(const IndexingMap& keeps);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_LOOPS_LAST_WRITE_H_
