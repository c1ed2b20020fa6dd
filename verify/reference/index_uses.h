// Which elements of arguments become indices, and between which bounds.
#ifndef AFFIRM_VERIFY_REFERENCE_INDEX_USES_H_
#define AFFIRM_VERIFY_REFERENCE_INDEX_USES_H_

#include <cstdint>
#include <vector>

#include "core/hlo/module.h"

namespace affirm::hlo {

// The integers of one array leaf of a parameter.
struct IndexUse {
  // Inclusive: the starts that a dynamic-slice, dynamic-update-slice or gather clamps to, those
  // with which a window of a scatter fits, the branches of a conditional. Sorted, distinct. For
  // `dynamic-slice(f32[10], i), dynamic_slice_sizes={3}` the bounds of i are [0, 7].
  struct Bounds {
    int64_t low = 0, high = 0;
    friend auto operator<=>(const Bounds&, const Bounds&) = default;
  };
  std::vector<Bounds> bounds;
  // How often a loop runs may depend on them.
  bool in_loop_state = false;
};

// By parameter and leaf. Values are followed through calls, loops and branches, and through every
// op: a start that is computed from an argument is one of its uses.
std::vector<std::vector<IndexUse>> FindIndexUses(const Computation& computation);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_INDEX_USES_H_
