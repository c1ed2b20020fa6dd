// Promises of a program to its callers beside values: the layouts of operands and results, and
// which operands are still there afterwards. All that an executable says of this is
//
//   HloModule jit_f, input_output_alias={ {}: (1, {}, may-alias) },
//     entry_computation_layout={(f32[2,3]{0,1}, f32[])->f32[2,3]{1,0}}
//
// Values are compared without layouts, and kernels have those of their instructions.
#ifndef AFFIRM_DRIVER_DUMP_ENTRY_LAYOUTS_H_
#define AFFIRM_DRIVER_DUMP_ENTRY_LAYOUTS_H_

#include <vector>

#include "core/hlo/module.h"
#include "driver/dump/scheduled_work.h"

namespace affirm::driver {

// Where the layouts of the entry in the optimized HLO are not those of the first HLO of the dump,
// or those of its own header not those of its parameters and its root. What is written without a
// layout says nothing.
std::vector<Uncovered> EntryLayoutsNotKept(const hlo::Module& first, const hlo::Module& optimized);

// The operands that the optimized HLO may write over (input_output_alias, buffer_donor), and that
// the first HLO of the dump did not give away.
std::vector<Uncovered> OperandsNotKept(const hlo::Module& first, const hlo::Module& optimized);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_ENTRY_LAYOUTS_H_
