// Which element of the array lies under a position of a window.
#ifndef AFFIRM_VERIFY_REFERENCE_WINDOW_H_
#define AFFIRM_VERIFY_REFERENCE_WINDOW_H_

#include <optional>

#include "core/hlo/module.h"
#include "core/symbolic/checked.h"

namespace affirm::hlo {

// The index under position `offset` of the window at `window_index`, in a dimension of `size`
// elements; nullopt in the padding and between the elements of a dilated base.
inline std::optional<int64_t> IndexUnderWindow(const WindowDimension& window, int64_t window_index,
                                               int64_t offset, int64_t size) {
  const int128 position = int128{window_index} * window.stride +
                          int128{offset} * window.window_dilation - window.padding_low;
  if (position < 0 || position % window.base_dilation != 0) return std::nullopt;
  const int128 element = position / window.base_dilation;
  if (element >= size) return std::nullopt;
  return static_cast<int64_t>(element);
}

// Whether the size is not negative, and stride and dilations are positive.
inline bool IsValid(const WindowDimension& window) {
  return window.size >= 0 && window.stride >= 1 && window.base_dilation >= 1 &&
         window.window_dilation >= 1;
}

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_WINDOW_H_
