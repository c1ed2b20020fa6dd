// Promises that the text of a kernel decides (Treatment::kText), or that nothing decides
// (Treatment::kUnsupported): those of them that are not known to be kept.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_OPEN_PROMISES_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_OPEN_PROMISES_H_

#include <string>
#include <vector>

#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/lift/function_effects.h"

namespace affirm::kernel {

struct OpenPromise {
  const llvm::Instruction* at = nullptr;  // the first of its function, where it is no instruction's
  std::string promise;                    // "'memory(none)' of the function 'f'"
};

// Judges all functions that the kernel may call, at each place where a promise can stand. Whether
// the places are executed does not matter.
std::vector<OpenPromise> OpenPromises(const KernelIr& ir, EffectAnalysis& effects);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_OPEN_PROMISES_H_
