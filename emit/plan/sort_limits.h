// Limits of sorts in one kernel.
#ifndef AFFIRM_EMIT_PLAN_SORT_LIMITS_H_
#define AFFIRM_EMIT_PLAN_SORT_LIMITS_H_

#include <algorithm>
#include <bit>

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::emit {

// The longest row that a block sorts, a power of two; a thread has two elements.
inline constexpr int64_t kMaxSortedRow = 512;
inline constexpr int64_t kMaxSortedBytes = 48 * 1024;
// The longest row that several launches sort; longer ones would need too many launches.
inline constexpr int64_t kMaxRowOfLaunches = int64_t{1} << 20;

// The longest row of these arrays that a block sorts in shared memory, a power of two.
//
//   f32: 512      f32, s64: 512      ten of c128: 256
inline int64_t LongestSortedRow(llvm::ArrayRef<hlo::Instruction*> arrays) {
  int64_t bytes = 1;
  for (const hlo::Instruction* array : arrays) bytes += hlo::ByteWidth(array->shape.type);
  return std::min(
      kMaxSortedRow,
      static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(kMaxSortedBytes / bytes))));
}

// Whether a block can sort a row.
inline bool FitsOneBlock(const hlo::Instruction& sort) {
  const hlo::Shape& shape = sort.operands[0]->shape;
  return shape.dims[sort.attributes.dimensions[0]] <= LongestSortedRow(sort.operands);
}

// Whether elements that compare equal are identical, so that their order does not matter: for one
// operand, compared by < or > in a total order.
bool EqualsAreTheSame(const hlo::Instruction& sort);

// Whether the sort's result is unique for any network: equal elements are identical, or positions
// break ties, as in the sorts that expansions make.
bool HasOneResult(const hlo::Instruction& sort);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_SORT_LIMITS_H_
