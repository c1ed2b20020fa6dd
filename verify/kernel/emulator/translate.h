// LLVM IR of a kernel -> code for the emulator.
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_TRANSLATE_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_TRANSLATE_H_

#include "llvm/Support/Error.h"
#include "verify/kernel/emulator/program.h"
#include "verify/kernel/kernel_ir.h"

namespace affirm::kernel {

// Translates the kernel and what it calls. The variables of the module get the regions from
// `first_region` on. What the emulator does not execute is an error that names the instruction:
// "where:line:column: error: ...". With `observes` a code before each access tells of it.
llvm::Expected<Program> Translate(const KernelIr& ir, uint64_t first_region, bool observes = false);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_TRANSLATE_H_
