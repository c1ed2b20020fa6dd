// Runs the LLVM IR that PTX is printed from: libclc's functions are linked in, and LLVM's passes
// have run.
#ifndef AFFIRM_TESTS_EMIT_DEVICE_CODE_H_
#define AFFIRM_TESTS_EMIT_DEVICE_CODE_H_

#include "core/hlo/literal.h"
#include "emit/kernel.h"

namespace affirm::testing {

// The root's value, and the emulator's findings as errors, as of emit::RunOnEmulator; functions are
// libclc's instead of libm's.
llvm::Expected<hlo::Literal> RunDeviceCode(const emit::Kernel& kernel,
                                           llvm::ArrayRef<hlo::Literal> arguments);

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_EMIT_DEVICE_CODE_H_
