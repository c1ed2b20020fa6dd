// Products of arithmetic progressions, and how many elements several of them have together.
// Internal to core/analysis.
#ifndef AFFIRM_CORE_ANALYSIS_BOXES_H_
#define AFFIRM_CORE_ANALYSIS_BOXES_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace affirm::analysis {

// first, first + stride, ..: `size` values. `stride` is positive.
struct Steps {
  int64_t first = 0, size = 0, stride = 1;
  friend bool operator==(const Steps&, const Steps&) = default;
};

// The tuples with component k in entry k. Boxes that are put together have one rank.
using Box = std::vector<Steps>;

// What both contain.
Steps Intersect(const Steps& a, const Steps& b);
Box Intersect(const Box& a, const Box& b);

// The number of elements; nullopt past int64.
std::optional<int64_t> Count(const Box& box);
// The number of elements that at least one of them has; nullopt past int64, and when it takes more
// than `limit` intersections to find it.
std::optional<int64_t> CountUnion(std::vector<Box> boxes, int64_t limit = 1 << 14);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_BOXES_H_
