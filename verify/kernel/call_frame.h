// Kernels of XLA:CPU. Their function takes one pointer, to a call frame:
//
//   %XLA_CPU_KernelCallFrame = type { ptr, ptr, i64, ptr }   ; how many workgroups, which of them
//                                                            ; this is, how many arguments, these
//   %kernel_dim3 = type { i64, i64, i64 }                    ; of both
//   %XLA_CPU_KernelArg = type { ptr, i64 }                   ; an array, and its size in bytes
//
// and returns null where all went well. A workgroup is a block of one thread.
#ifndef AFFIRM_VERIFY_KERNEL_CALL_FRAME_H_
#define AFFIRM_VERIFY_KERNEL_CALL_FRAME_H_

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace affirm::kernel {

// Whether the function is defined, and takes a call frame.
bool TakesCallFrame(const llvm::Function& function);

// Replaces such a function, in its module, by one that does the same with its arrays as arguments,
// in the order of the frame, and the numbers of its workgroup from where kernels of a GPU have that
// of their block. Its arrays are aligned as XLA:CPU's are, so are constants that leave it to the
// target, and XLA:CPU's own functions for roundings of floats become instructions. An error for a
// frame that is used in another way, and for a function that may return anything but null.
llvm::Expected<llvm::Function*> UnpackCallFrame(llvm::Function& function, llvm::StringRef where);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_CALL_FRAME_H_
