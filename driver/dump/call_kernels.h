// Kernels that XLA:CPU compiles from whole calls, such as a loop with its body, in one function.
//
// The kernel keeps the addresses of all arrays in a table on its stack, from which its functions
// load them. The dump does not say which entry is which array. It is derived from the names of the
// loaded addresses, which are those of instructions, and from the alias scopes of accesses through
// them ("buffer: {index:2, offset:0, size:4}": an allocation, and bytes in it).
#ifndef AFFIRM_DRIVER_DUMP_CALL_KERNELS_H_
#define AFFIRM_DRIVER_DUMP_CALL_KERNELS_H_

#include "driver/buffers/buffer_assignment.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "verify/kernel/kernel_ir.h"

namespace affirm::driver {

// Rewrites the kernel of `call` to take the arrays at `params`, in that order; all other arrays
// become local and uninitialized. An error if an array is not identified, overlaps a parameter
// partially, or is a constant.
llvm::Error TakeParameters(const hlo::Instruction& call, const BufferAssignment& buffers,
                           llvm::ArrayRef<BufferSlice> params, kernel::KernelIr& ir);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_CALL_KERNELS_H_
