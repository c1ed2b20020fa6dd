// Layouts that an HLO text writes of a kernel's arrays, against those of a launch.
#ifndef AFFIRM_DRIVER_VALIDATE_WRITTEN_LAYOUTS_H_
#define AFFIRM_DRIVER_VALIDATE_WRITTEN_LAYOUTS_H_

#include "core/hlo/module.h"
#include "llvm/Support/Error.h"
#include "verify/kernel/launch.h"

namespace affirm::driver {

// Whether arrays of one shape, with a layout both, lie in memory in two ways.
bool LayoutsDiffer(const hlo::Shape& a, const hlo::Shape& b);

// An error, with its line and column in the HLO text, where a parameter of the launch lies in
// memory otherwise than the text writes: at the parameters and the root of the computation, in the
// header's entry_computation_layout where it is the entry, and at the operands and the result of
// `fusion`. Without one, some instruction that calls the computation has to agree. What has no
// layout in the text has that of the launch. The launch has the arrays of the computation, in
// number and shape.
llvm::Error CheckWrittenLayouts(const hlo::Computation& computation, const kernel::Launch& launch,
                                const hlo::Instruction* fusion = nullptr);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_WRITTEN_LAYOUTS_H_
