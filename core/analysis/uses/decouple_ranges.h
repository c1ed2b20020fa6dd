// Decouples the range variables of a map: makes each independent of the others, where it can.
// Internal to core/analysis.
//
// (d0)[s0, s1] -> (s0 * 4 + s1 + d0), with s0 in [0, 2] and s1 in [0, 3], becomes
// (d0)[s0] -> (s0 + d0) with s0 in [0, 11]; a constraint s0 + d0 in [0, 9] then becomes the affine
// bounds -d0 and 9 - d0 of s0.
#ifndef AFFIRM_CORE_ANALYSIS_USES_DECOUPLE_RANGES_H_
#define AFFIRM_CORE_ANALYSIS_USES_DECOUPLE_RANGES_H_

#include <string>
#include <vector>

#include "core/analysis/uses/progression.h"
#include "core/indexing/indexing_map.h"

namespace affirm::analysis {

// A map whose range variables run independently within their intervals and affine bounds. It gives
// the same sets as the original map, or supersets; `over_approximation_reason` then says why.
struct DecoupledMap {
  IndexingMap map;  // no constraint has range variables; known-empty when nothing is in the set
  std::vector<AffineBounds> affine_bounds;  // by range variable
  std::string over_approximation_reason;
};

// Solves the constraints of `map` for its range variables: bounds on one variable become its affine
// bounds, a congruence of one variable renumbers it, variables that occur in one linear combination
// only are replaced by one for that combination, and a variable that several results need is split
// into the digits that they need.
DecoupledMap DecoupleRangeVariables(const IndexingMap& map);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_USES_DECOUPLE_RANGES_H_
