// The sets of a map by enumeration of its domain: the ground truth of the property suites.
//
// For `(d0)[s0] -> (d0 + s0), domain: d0 in [0, 1], s0 in [0, 1]` they are
// {({0}, {}): {{0}, {1}}, ({1}, {}): {{1}, {2}}}.
#ifndef AFFIRM_FUZZ_PROPERTIES_ENUMERATED_MAP_H_
#define AFFIRM_FUZZ_PROPERTIES_ENUMERATED_MAP_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/indexing/indexing_map.h"

namespace affirm::fuzz {

using Point = std::vector<int64_t>;
// (dims, runtime variables) -> the set of results; points that go to the empty set are absent.
using EnumeratedMap = std::map<std::pair<Point, Point>, std::set<Point>>;

// nullopt when the domain has more than `limit` candidate points or a value is not defined or
// leaves int64. Intermediate values may be of any size.
std::optional<EnumeratedMap> Enumerate(const IndexingMap& map, int64_t limit = 1 << 20);

// Empty when equal; else the first point at which they differ, with both sets.
std::string Difference(const EnumeratedMap& a, const EnumeratedMap& b);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_PROPERTIES_ENUMERATED_MAP_H_
