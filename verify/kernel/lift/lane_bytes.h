// The bytes that lanes of a warp access, and the number of sectors that these touch. Internal to
// verify/kernel/lift.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_LANE_BYTES_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_LANE_BYTES_H_

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "llvm/ADT/ArrayRef.h"

namespace affirm::kernel {

struct LaneBytes {
  int64_t lane = 0, memory = 0, first = 0, bytes = 0;
};

inline bool IsBefore(const LaneBytes& a, const LaneBytes& b) {
  return std::tie(a.memory, a.first, a.bytes) < std::tie(b.memory, b.first, b.bytes);
}

// The number of units of `unit` bytes that the lanes touch. `lanes` is sorted by IsBefore.
inline int64_t UnitsTouched(llvm::ArrayRef<LaneBytes> lanes, int64_t unit) {
  int64_t units = 0, next = 0, memory = -1;
  for (const LaneBytes& lane : lanes) {
    if (lane.memory != memory) next = 0;
    memory = lane.memory;
    const int64_t from = std::max(lane.first / unit, next);
    const int64_t end = (lane.first + lane.bytes - 1) / unit + 1;
    units += std::max<int64_t>(end - from, 0);
    next = std::max(next, end);
  }
  return units;
}

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_LANE_BYTES_H_
