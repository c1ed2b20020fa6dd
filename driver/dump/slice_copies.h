// Checks slices that are copied without a kernel. XLA:GPU may run a fusion of dynamic-slice and
// dynamic-update-slice as one copy of bytes, and may pass a slice to a library call in place. It
// computes the offset at compile time:
//
//   ROOT u = f32[8,64] dynamic-update-slice(x, y, i, zero),
//     backend_config={"dynamic_slice_config":{"loop_index":"0","byte_offset":"0","byte_stride":"256"}}
//
// copies to byte 256 t of x in trip t of the innermost loop. That is right if i is t in that trip,
// for t from 0 to 7; starts are clamped so that the slice lies within the array (XLA operation
// semantics, "DynamicUpdateSlice"). The starts are found by executing the module's integers, trip
// by trip (verify/hlo/proof/scalar_execution.h), which holds for all arguments.
#ifndef AFFIRM_DRIVER_DUMP_SLICE_COPIES_H_
#define AFFIRM_DRIVER_DUMP_SLICE_COPIES_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "driver/buffers/buffer_assignment.h"
#include "driver/validate/validate.h"

namespace affirm::driver {

// The result for such a fusion. Proved: each slice is contiguous in its array, starts at the
// configured offset in every execution, and updates are in place. Refuted: an execution has another
// offset. Unknown: one of these was not decided.
struct SliceCopy {
  std::string module;
  std::string instruction;  // the fusion
  SourceRegion where = {};  // the slice in the optimized HLO
  Verdict verdict = Verdict::kUnknown;
  std::string reason = {};  // why it is not proved
  bool is_all = true;       // the fusion consists of slices alone, without a library call
};

// The results for the fusions with these names, in order.
std::vector<SliceCopy> CheckSliceCopies(const hlo::Module& scheduled,
                                        const BufferAssignment& buffers,
                                        llvm::ArrayRef<std::string> fusions);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_SLICE_COPIES_H_
