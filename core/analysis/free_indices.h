// The range variables of a map, made independent of each other as far as that goes. Internal to
// core/analysis.
#ifndef AFFIRM_CORE_ANALYSIS_FREE_INDICES_H_
#define AFFIRM_CORE_ANALYSIS_FREE_INDICES_H_

#include <string>
#include <vector>

#include "core/analysis/progression.h"
#include "core/indexing/indexing_map.h"

namespace affirm::analysis {

// A map whose range variables run within their bounds and cuts, each on its own. It gives the same
// sets as the map that it was made of, or larger ones when `why_wider` says why.
struct FreeIndices {
  IndexingMap map;  // no constraint has range variables; known-empty when nothing is in the set
  std::vector<Cut> cuts;  // by range variable
  std::string why_wider;
};

// Solves the constraints of `map` for its range variables: bounds for one variable become its cuts,
// a congruence of one variable renumbers it, variables that occur in one combination only become
// that combination, and a variable that several results need is split into the digits that they
// need.
FreeIndices Free(const IndexingMap& map);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_FREE_INDICES_H_
