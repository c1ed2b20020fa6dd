// Which sorts one kernel computes.
#ifndef AFFIRM_EMIT_PLAN_SORT_LIMITS_H_
#define AFFIRM_EMIT_PLAN_SORT_LIMITS_H_

#include <algorithm>
#include <bit>

#include "core/hlo/module.h"

namespace affirm::emit {

// The longest row that a block sorts: a thread takes two elements.
inline constexpr int64_t kMaxSortedRow = 2048;
inline constexpr int64_t kMaxSortedBytes = 48 * 1024;

// The longest row of such elements that a block sorts in shared memory, a power of two.
//
//   f32: 2048      f32, s64, s64: 2048      ten of c128: 256
inline int64_t LongestRowOfBlock(const hlo::Instruction& sort) {
  int64_t bytes = 0;
  for (const hlo::Instruction* operand : sort.operands) {
    bytes += hlo::ByteWidth(operand->shape.type);
  }
  const auto fits = static_cast<uint64_t>(kMaxSortedBytes / std::max<int64_t>(bytes, 1));
  return std::min(kMaxSortedRow, static_cast<int64_t>(std::bit_floor(fits)));
}

// Whether a block can sort a row.
inline bool FitsOneBlock(const hlo::Instruction& sort) {
  const hlo::Shape& shape = sort.operands[0]->shape;
  return shape.dims[sort.attributes.dimensions[0]] <= LongestRowOfBlock(sort);
}

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_SORT_LIMITS_H_
