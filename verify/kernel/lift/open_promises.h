// Finds attributes and metadata that are not known to be kept: those that the text of a kernel
// decides (Treatment::kText), and those that are unsupported (Treatment::kUnsupported).
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_OPEN_PROMISES_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_OPEN_PROMISES_H_

#include <string>
#include <vector>

#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/lift/function_effects.h"

namespace affirm::kernel {

struct OpenPromise {
  const llvm::Instruction* at = nullptr;  // or the first of its function, if it is the function's
  std::string promise;                    // "'memory(none)' of the function 'f'"
};

// Checks all functions that the kernel may call, whether or not the calls are executed.
std::vector<OpenPromise> OpenPromises(const KernelIr& ir, EffectAnalysis& effects);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_OPEN_PROMISES_H_
