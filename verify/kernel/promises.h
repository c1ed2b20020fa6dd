// Promises of a kernel about the buffers that its arguments point to, and requirements on its
// launch: compilers take `align`, `dereferenceable`, `nonnull` and "nvvm.reqntid" at their word, so
// the launch must keep them. Other promises: promise_table.h.
#ifndef AFFIRM_VERIFY_KERNEL_PROMISES_H_
#define AFFIRM_VERIFY_KERNEL_PROMISES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/launch.h"

namespace affirm::kernel {

// The bytes that the address of an argument's buffer is a multiple of: what the launch says; where
// it says nothing, what the argument promises, and what every allocation has at least. A power of
// two.
int64_t AlignmentOf(const llvm::Argument& argument, const Param& param);

// The first parameter that the argument points to; null where there is none.
const Param* ParamOf(const llvm::Argument& argument, const Launch& launch);

// Requirements of the kernel, or of a function that it may call, on the sizes of launches
// ("nvvm.reqntid", "nvvm.maxntid", "nvvm.cluster_dim", and those of AMD GPUs) that this launch does
// not meet, as text. None if the launch gives no sizes.
std::vector<std::string> BrokenRequirements(const KernelIr& ir, const Launch& launch);

// Broken requirements, and promises of arguments that the launch does not keep: "argument 2 is said
// to be aligned to 64 bytes, and the launch aligns it to 16".
std::vector<std::string> BrokenPromises(const KernelIr& ir, const Launch& launch);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROMISES_H_
