// A kernel as LLVM IR: text read into a module, with the line of each instruction.
#ifndef AFFIRM_VERIFY_KERNEL_KERNEL_IR_H_
#define AFFIRM_VERIFY_KERNEL_KERNEL_IR_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace affirm::kernel {

struct KernelIr {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  llvm::Function* kernel = nullptr;
  // A kernel of XLA:CPU: blocks have one thread, which works through its part in loops.
  bool in_order = false;
  std::string where;                                    // the name of the text
  llvm::DenseMap<const llvm::Instruction*, int> lines;  // counted from 1

  int LineOf(const llvm::Instruction* instruction) const { return lines.lookup(instruction); }
};

// Reads LLVM IR text. `name` chooses the kernel. If it is empty, the text must have exactly one: a
// definition with the calling convention ptx_kernel or amdgpu_kernel, one that nvvm.annotations
// names, or one that takes a call frame of XLA:CPU; the frame's arrays become arguments
// (call_frame.h). Text of versions newer than LLVM 22 is rewritten first (newer_ir_text.h). Errors
// read "where:line:column: error: what, and what was expected".
llvm::Expected<KernelIr> ReadKernelIr(llvm::StringRef text, llvm::StringRef where,
                                      llvm::StringRef name = "");

// The threads of a block in each dimension: required by "nvvm.reqntid" or the annotations reqntidx,
// -y and -z, at most those of "nvvm.maxntid", or one each for a kernel of XLA:CPU. nullopt if the
// IR states nothing.
std::optional<std::array<int64_t, 3>> RequiredThreads(const KernelIr& ir);

// The text of the module with numbers in the place of the names of its functions: kernels that
// differ in these names alone are the same.
std::string TextWithoutNames(const KernelIr& ir);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_KERNEL_IR_H_
