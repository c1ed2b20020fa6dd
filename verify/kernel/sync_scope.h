// Scopes of atomic operations: which threads take one for atomic.
#ifndef AFFIRM_VERIFY_KERNEL_SYNC_SCOPE_H_
#define AFFIRM_VERIFY_KERNEL_SYNC_SCOPE_H_

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/LLVMContext.h"

namespace affirm::kernel {

// Whether the scope holds all threads of the device: "device" (NVPTX), "agent", and with "-one-as"
// those that order accesses to one address space alone (LLVM, "User Guide for AMDGPU Backend",
// "Memory Scopes"). The system's scope is wider.
//   IsOfDevice(atomic, LLVMContext::getOrInsertSyncScopeID("workgroup")) is false.
inline bool IsOfDevice(const llvm::Instruction& atomic, llvm::SyncScope::ID scope) {
  llvm::SmallVector<llvm::StringRef, 8> names;
  atomic.getContext().getSyncScopeNames(names);
  return llvm::StringSwitch<bool>(names[scope])
      .Cases({"", "device", "agent", "one-as", "agent-one-as"}, true)
      .Default(false);
}

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_SYNC_SCOPE_H_
