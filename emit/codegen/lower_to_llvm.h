// From the tensor level to LLVM IR, for each target.
#ifndef AFFIRM_EMIT_CODEGEN_LOWER_TO_LLVM_H_
#define AFFIRM_EMIT_CODEGEN_LOWER_TO_LLVM_H_

#include <memory>

#include "emit/codegen/kernel_impl.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace affirm::emit {

// The kernel in the LLVM dialect. Thread and block are special registers, and mathematical
// functions are calls of libclc's OpenCL functions.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> LowerToLlvmDialect(const Kernel::Impl& kernel,
                                                                     Target target);

// The same as LLVM IR, not yet optimized. Functions other than the entry are internal.
llvm::Expected<std::unique_ptr<llvm::Module>> LowerToLlvm(const Kernel::Impl& kernel, Target target,
                                                          llvm::LLVMContext& context);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_CODEGEN_LOWER_TO_LLVM_H_
