// Kernels that XLA:CPU makes of whole calls: a loop and all that it does in one function.
//
// The kernel keeps the addresses of all arrays in a table on its stack, and its functions load them
// from there. No text says which entry is which array: what says it is the names of the addresses
// that are loaded, which are those of instructions, and the alias scopes of the accesses through
// them ("buffer: {index:2, offset:0, size:4}", an allocation, and bytes in it).
#ifndef AFFIRM_DRIVER_DUMP_CALL_KERNELS_H_
#define AFFIRM_DRIVER_DUMP_CALL_KERNELS_H_

#include "driver/buffers/buffer_assignment.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "verify/kernel/kernel_ir.h"

namespace affirm::driver {

// Makes the kernel of `call` one that takes the arrays at `params`, in that order; all others that
// it uses are its own, and hold nothing at first. An error where it is not known what an array is,
// where one lies across another one that is a parameter, and for constants.
llvm::Error TakeParameters(const hlo::Instruction& call, const BufferAssignment& buffers,
                           llvm::ArrayRef<BufferSlice> params, kernel::KernelIr& ir);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_CALL_KERNELS_H_
