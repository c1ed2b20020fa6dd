// Registers that asynchronous products of matrices still write (PTX ISA 8.5, 9.7.15.2 "Async
// proxy", and "wgmma.wait_group"): until the thread has waited for a product, nothing but a further
// product may access its sums.
//
//   %s = call { float, float } asm "wgmma.mma_async ..."   ; both scalars are open: group 0
//   %a = extractvalue { float, float } %s, 0               ; moves one; it is open as well
//   %b = fadd float %a, 1.0                                ; accesses an open sum
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_OPEN_SUMS_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_OPEN_SUMS_H_

#include <cstdint>
#include <utility>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"

namespace affirm::kernel {

// The open sums of a thread. LLVM's values name registers; a struct has one for each element.
class OpenSums {
 public:
  bool IsEmpty() const { return groups_.empty(); }
  bool Has(const llvm::Value& value) const { return groups_.contains(&value); }
  // The scalars of a product's result are open until the thread has waited for the group.
  void Open(const llvm::CallBase& product, int64_t group);
  // The groups below have ended.
  void EndBelow(int64_t group);
  // A result of inline assembly that begins as an open argument is open: (result, argument).
  void Tie(const llvm::CallBase& assembly, llvm::ArrayRef<std::pair<unsigned, unsigned>> ties);
  // Whether an instruction only moves open sums, if it has some; its result is open then.
  bool Moves(const llvm::Instruction& instruction);
  // Sets the phis of a block that is entered.
  void Enter(const llvm::BasicBlock& to, const llvm::BasicBlock* from);

 private:
  // For each scalar, the group that writes it; -1: none.
  using Groups = llvm::SmallVector<int64_t, 4>;
  Groups At(const llvm::Value& value) const;
  void Set(const llvm::Value& value, Groups groups);
  llvm::DenseMap<const llvm::Value*, Groups> groups_;  // of open values
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_OPEN_SUMS_H_
