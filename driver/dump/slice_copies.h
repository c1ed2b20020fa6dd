// Slices that no kernel reads or writes. A fusion that is a dynamic-slice or a
// dynamic-update-slice, or one of the other, may be one copy of bytes, and a library call may be
// given a slice as it lies in its array; XLA:GPU has computed where that is when it compiled:
//
//   ROOT u = f32[8,64] dynamic-update-slice(x, y, i, zero),
//     backend_config={"dynamic_slice_config":{"loop_index":"0","byte_offset":"0","byte_stride":"256"}}
//
// copies to byte 256 t of x in trip t of the innermost loop. That is right where i is t there, from
// 0 to 7: the starts are what the operation says, each clamped so that the slice lies within the
// array. They are found by running the integers of the module, trip after trip
// (verify/hlo/proof/scalar_execution.h), which holds for all arguments.
#ifndef AFFIRM_DRIVER_DUMP_SLICE_COPIES_H_
#define AFFIRM_DRIVER_DUMP_SLICE_COPIES_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "driver/buffers/buffer_assignment.h"
#include "driver/validate/validate.h"

namespace affirm::driver {

// What was found of such a fusion. Proved: each slice in it is one run of bytes of its array, and
// begins where the configuration says, whenever it is copied; what is updated is in place. Refuted:
// once it does not. Unknown: a start is not known, or something of this is not.
struct SliceCopy {
  std::string module;
  std::string instruction;  // the fusion
  SourceRegion where = {};  // of the slice in the optimized HLO
  Verdict verdict = Verdict::kUnknown;
  std::string reason = {};  // why it is not proved
  bool is_all = true;       // the fusion is these slices alone, and no library call of them
};

// Of the fusions with these names, one each, in their order.
std::vector<SliceCopy> CheckSliceCopies(const hlo::Module& scheduled,
                                        const BufferAssignment& buffers,
                                        llvm::ArrayRef<std::string> fusions);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_SLICE_COPIES_H_
