// Checks the calling convention of a program: the layouts of operands and results, and which
// operands stay valid. An executable states these by
//
//   HloModule jit_f, input_output_alias={ {}: (1, {}, may-alias) },
//     entry_computation_layout={(f32[2,3]{0,1}, f32[])->f32[2,3]{1,0}}
//
// Other checks do not cover this: values are compared without layouts, and kernels use the layouts
// of their instructions.
#ifndef AFFIRM_DRIVER_DUMP_ENTRY_LAYOUTS_H_
#define AFFIRM_DRIVER_DUMP_ENTRY_LAYOUTS_H_

#include <vector>

#include "core/hlo/module.h"
#include "driver/dump/scheduled_work.h"

namespace affirm::driver {

// Differences between the entry's layouts in the optimized HLO and in the first HLO of the dump, or
// between its header and its parameters and root. A missing layout matches any.
std::vector<Uncovered> EntryLayoutsNotKept(const hlo::Module& first, const hlo::Module& optimized);

// The operands that the optimized HLO may overwrite (input_output_alias, buffer_donor), but that
// the first HLO of the dump does not donate.
std::vector<Uncovered> OperandsNotKept(const hlo::Module& first, const hlo::Module& optimized);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_ENTRY_LAYOUTS_H_
