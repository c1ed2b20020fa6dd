// Runs the LLVM IR that a kernel for PTX is compiled from on this computer: the code that devices
// get, without the checks of the SIMT emulator.
#ifndef AFFIRM_TESTS_EMIT_DEVICE_CODE_H_
#define AFFIRM_TESTS_EMIT_DEVICE_CODE_H_

#include "core/hlo/literal.h"
#include "emit/kernel.h"

namespace affirm::testing {

// The root's value, one thread after another; each slice is one buffer. An error for kernels whose
// threads wait for each other or share memory.
llvm::Expected<hlo::Literal> RunDeviceCode(const emit::Kernel& kernel,
                                           llvm::ArrayRef<hlo::Literal> arguments);

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_EMIT_DEVICE_CODE_H_
