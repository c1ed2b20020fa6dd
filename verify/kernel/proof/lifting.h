// What the proofs about lifted kernels share.
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_LIFTING_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_LIFTING_H_

#include "llvm/ADT/STLExtras.h"
#include "verify/kernel/kernel_ir.h"

namespace affirm::kernel {

// Runs the work in a thread with a large stack: what a thread of a kernel adds up one by one is a
// term as deep as the loop is long.
void OnLargeStack(llvm::function_ref<void()> work);

// Whether the code asks for another arithmetic of denormals than IEEE's, which terms do not know.
bool FlushesDenormals(const KernelIr& ir);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_LIFTING_H_
