// Where the elements of a leaf come from within a group of leaves that depend on each other, n
// trips earlier. Internal to core/analysis.
//
// For a body that gives (b, a * 2) for (a, b), the paths from the first leaf are
//   n = 0: the first leaf, (d0) -> (d0)     n = 1: the second leaf     n = 2: the first leaf, ...
// which repeat from n = 0 on with the period 2. For h' = tanh(h W), a row of h depends on that row
// from n = 1 on: (d0, d1)[s0] -> (d0, s0), with the period 1.
#ifndef AFFIRM_CORE_ANALYSIS_LOOPS_PATH_SETS_H_
#define AFFIRM_CORE_ANALYSIS_LOOPS_PATH_SETS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/analysis/ops/op_maps.h"

namespace affirm::analysis {

// The maps between the leaves of a group in one trip, by the leaf that they start from. They don't
// depend on the trip.
using GroupEdges = std::map<int64_t, std::vector<LabeledMap>>;

struct PathSets {
  // steps[n]: by leaf, the distinct maps to what it was computed from n trips earlier.
  std::vector<GroupEdges> steps;
  // steps[n] for n >= steps.size() is steps[n - period].
  int64_t period = 1;
  int64_t first_repeated() const { return std::ssize(steps) - period; }
};

// nullopt when the sets do not repeat soon, as those of a shift do not.
std::optional<PathSets> FindPathSets(const GroupEdges& edges,
                                     const std::map<int64_t, hlo::Shape>& shapes, Session& session);

// Supersets of all paths of any length. A coordinate that each edge on the way passes through in
// its place is kept; every other one may have any value. For y[i] = y[i - 1, :] + 1 and y of
// f32[8,4], where only rows mix, the result is (d0, d1)[s0] -> (s0, d1).
GroupEdges BoundPaths(const GroupEdges& edges, const std::map<int64_t, hlo::Shape>& shapes,
                      Session& session);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_LOOPS_PATH_SETS_H_
