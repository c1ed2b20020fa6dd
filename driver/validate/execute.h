// Kernels that are run whole, on the SIMT emulator, and compared with the interpreter.
#ifndef AFFIRM_DRIVER_VALIDATE_EXECUTE_H_
#define AFFIRM_DRIVER_VALIDATE_EXECUTE_H_

#include "driver/validate/validate.h"

namespace affirm::driver {

// The claims as runs of all blocks judge them, on several sets of arguments: refuted, executed, or
// unknown where no run says anything.
Validation ExecuteWhole(const KernelSubject& subject, const ValidateOptions& options);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_EXECUTE_H_
