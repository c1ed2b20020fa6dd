// A few points of a box, for cheap refutations.
#ifndef AFFIRM_VERIFY_DECIDE_SAMPLING_H_
#define AFFIRM_VERIFY_DECIDE_SAMPLING_H_

#include <cstdint>
#include <vector>

#include "core/symbolic/interval.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm {

// At most `count` points, always the same: the corners (of the first six sides) first, since
// mistakes like to live at the ends, then points of a fixed pseudo-random sequence. None when an
// interval is empty. Infinite sides are cut near zero.
std::vector<std::vector<int64_t>> SamplePoints(llvm::ArrayRef<Interval> box, int64_t count);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_DECIDE_SAMPLING_H_
