// From the tensor level to LLVM IR, for each target.
#ifndef AFFIRM_EMIT_CODEGEN_LOWER_TO_LLVM_H_
#define AFFIRM_EMIT_CODEGEN_LOWER_TO_LLVM_H_

#include <memory>

#include "emit/codegen/kernel_impl.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace affirm::emit {

// The symbol of the host's entry: void(int64_t thread, int64_t block, void** buffers).
inline constexpr char kHostEntry[] = "affirm_host_entry";

// The kernel in the LLVM dialect. On the host every access is checked (lower_tensors.h), thread and
// block are arguments, and mathematical functions are calls of libm; on devices they are special
// registers and calls of libclc's OpenCL functions.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> LowerToLlvmDialect(const Kernel::Impl& kernel,
                                                                     Target target);

// The same as LLVM IR, not yet optimized. Functions other than the entry are internal.
llvm::Expected<std::unique_ptr<llvm::Module>> LowerToLlvm(const Kernel::Impl& kernel, Target target,
                                                          llvm::LLVMContext& context);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_CODEGEN_LOWER_TO_LLVM_H_
