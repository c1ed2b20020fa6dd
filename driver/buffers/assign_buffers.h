// A place in memory for each array of a module: who shares memory with whom.
//
//   input_output_alias={ {}: (0, {}, may-alias) }      x is in allocation 0, the caller's,
//   ENTRY e {                                          a in 1, b in 2: a is needed with it,
//     x = f32[8] parameter(0)                          c in 1 again: a is no longer needed,
//     a = f32[8] fusion(x) ...                         r in 0: it takes the place of x, of which
//     b = f32[8] fusion(a) ...                           its kernel reads the same elements that
//     c = f32[8] fusion(b) ...                           it writes
//     ROOT r = f32[8] fusion(c, x) ... }
#ifndef AFFIRM_DRIVER_BUFFERS_ASSIGN_BUFFERS_H_
#define AFFIRM_DRIVER_BUFFERS_ASSIGN_BUFFERS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/hlo/module.h"
#include "driver/buffers/buffer_assignment.h"

namespace affirm::driver {

// Array leaf `leaf` of what an instruction makes.
using ArrayOf = std::pair<const hlo::Instruction*, int64_t>;

// The array that this one names: through tuples, bitcasts and whatever hands its operand on.
ArrayOf MadeBy(ArrayOf array);

// Whether array `result_leaf` of an instruction may take the memory of array `leaf` of operand
// `operand`, which no later instruction needs.
using MayTakeOperand = std::function<bool(const hlo::Instruction& op, int64_t result_leaf,
                                          size_t operand, int64_t leaf)>;

struct AssignedBuffers {
  BufferAssignment slices;
  // By result that the caller wants in the memory of a parameter and that could not be made there:
  // where it is, and where it is copied to at the end.
  std::vector<std::pair<BufferSlice, BufferSlice>> copies;
  int64_t bytes = 0;  // of all allocations
};

// The order is that of the instructions. The entry's arrays reuse memory; those of what it calls
// have an allocation each. An input_output_alias that is malformed counts as none: the verifier
// refuses it.
AssignedBuffers AssignBuffers(const hlo::Module& module, const MayTakeOperand& may_take);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_BUFFERS_ASSIGN_BUFFERS_H_
