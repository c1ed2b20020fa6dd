// Which parameters of a computation hold indices, and the bounds to which these are clamped.
#ifndef AFFIRM_VERIFY_REFERENCE_INDEX_USES_H_
#define AFFIRM_VERIFY_REFERENCE_INDEX_USES_H_

#include <cstdint>
#include <vector>

#include "core/hlo/module.h"

namespace affirm::hlo {

// How the integers of one array leaf of a parameter are used as indices.
struct IndexUse {
  // Inclusive bounds: the starts to which a dynamic-slice, dynamic-update-slice or gather clamps,
  // those with which a window of a scatter fits, or the branches of a conditional. Sorted,
  // distinct. For `dynamic-slice(f32[10], i), dynamic_slice_sizes={3}` the bounds of i are [0, 7].
  struct Bounds {
    int64_t low = 0, high = 0;
    friend auto operator<=>(const Bounds&, const Bounds&) = default;
  };
  std::vector<Bounds> bounds;
  // The number of trips of a loop may depend on them.
  bool in_loop_state = false;
};

// The uses by parameter and array leaf. Values are followed through calls, loops, branches and
// every op, so that a start that is computed from an argument is a use of that argument.
std::vector<std::vector<IndexUse>> FindIndexUses(const Computation& computation);

// The size of the windows of a scatter along each dimension of its operand: 1 along inserted and
// batching dimensions.
std::vector<int64_t> ScatterWindowSizes(const Instruction& scatter);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_INDEX_USES_H_
