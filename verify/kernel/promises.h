// What a kernel's arguments promise of the buffers that they point to: `align`, `dereferenceable`
// and `noalias` are taken at their word by whoever compiles the kernel, so they must hold of the
// launch.
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

// A promise of an argument that the launch does not keep: "argument 2 is said to be aligned to 64
// bytes, and the launch aligns it to 16".
std::vector<std::string> BrokenPromises(const KernelIr& ir, const Launch& launch);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROMISES_H_
