// Kernels that are too large to run: some blocks of them run, on operands whose elements are made
// when they are touched, and elements that these blocks wrote are compared with what the
// computation says they are, each evaluated by itself (element_values.h).
//
//   f32[64,4096,50257] -> a row of 50257 elements for each of 6 of 262144 blocks
//
// A difference, and whatever the emulator finds in these blocks, refutes as in a whole execution;
// without one, the other blocks are still unknown. Not judged: that every element is written,
// races between blocks that do not run, and elements that atomic operations of several blocks make.
#ifndef AFFIRM_DRIVER_VALIDATE_SAMPLE_H_
#define AFFIRM_DRIVER_VALIDATE_SAMPLE_H_

#include "driver/validate/validate.h"

namespace affirm::driver {

// The claims as some blocks judge them: refuted, else unknown. `executed.sample` is set, and says
// with 0 elements in `not_compared` why nothing was compared.
Validation ExecuteSample(const KernelSubject& subject, const ValidateOptions& options);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_SAMPLE_H_
