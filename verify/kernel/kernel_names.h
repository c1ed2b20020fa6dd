// The kernels that a text of LLVM IR defines.
#ifndef AFFIRM_VERIFY_KERNEL_KERNEL_NAMES_H_
#define AFFIRM_VERIFY_KERNEL_KERNEL_NAMES_H_

#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::kernel {

// The names that ReadKernelIr (kernel_ir.h) takes, in order; the same errors.
llvm::Expected<std::vector<std::string>> KernelNames(llvm::StringRef text, llvm::StringRef where);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_KERNEL_NAMES_H_
