// Helpers shared by the proofs about lifted kernels.
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_LIFTING_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_LIFTING_H_

#include "llvm/ADT/STLExtras.h"
#include "verify/kernel/kernel_ir.h"

namespace affirm::kernel {

// Runs `work` in a thread with a large stack: the term of a serial sum is as deep as the loop is
// long, and terms are visited recursively.
void OnLargeStack(llvm::function_ref<void()> work);

// Whether the code asks for flushing of denormals, which terms do not model.
bool FlushesDenormals(const KernelIr& ir);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_LIFTING_H_
