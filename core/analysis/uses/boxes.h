// Boxes: products of strided intervals, and how many elements several of them have together.
// Internal to core/analysis.
//
// {0, 2, 4} x {1} and {0, 3} x {1, 2} are boxes of 3 and of 4 elements; they share (0, 1), so their
// union has 6.
#ifndef AFFIRM_CORE_ANALYSIS_USES_BOXES_H_
#define AFFIRM_CORE_ANALYSIS_USES_BOXES_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace affirm::analysis {

// A strided interval: first, first + stride, .., `size` values in all. `stride` is positive.
struct StridedInterval {
  int64_t first = 0, size = 0, stride = 1;
  friend bool operator==(const StridedInterval&, const StridedInterval&) = default;
};

// The tuples whose component k is in entry k. Boxes that are combined have the same rank.
using Box = std::vector<StridedInterval>;

// The intersection.
StridedInterval Intersect(const StridedInterval& a, const StridedInterval& b);
Box Intersect(const Box& a, const Box& b);

// The number of elements; nullopt past int64.
std::optional<int64_t> Count(const Box& box);
// The number of elements of the union; nullopt past int64, and when finding it takes more than
// `limit` intersections.
std::optional<int64_t> CountUnion(std::vector<Box> boxes, int64_t limit = 1 << 14);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_USES_BOXES_H_
