// The values of a computation's instructions while it is interpreted.
#ifndef AFFIRM_VERIFY_REFERENCE_VALUES_H_
#define AFFIRM_VERIFY_REFERENCE_VALUES_H_

#include <memory>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "verify/reference/ops.h"

namespace affirm::hlo {

// Keeps each value as long as it has users left. The arguments are owned by the caller.
class Values {
 public:
  Values(const Computation& computation, llvm::ArrayRef<const Literal*> arguments)
      : computation_(computation) {
    for (size_t k = 0; k < arguments.size(); ++k)
      borrowed_[computation.parameters[k]] = arguments[k];
  }

  const Literal* Get(const Instruction* instruction) const {
    const auto given = borrowed_.find(instruction);
    if (given != borrowed_.end()) return given->second;
    const auto own = owned_.find(instruction);
    return own == owned_.end() ? nullptr : own->second.get();
  }
  void Set(const Instruction* instruction, Literal value) {
    owned_[instruction] = std::make_unique<Literal>(std::move(value));
    pending_[instruction] = instruction->users.size();
  }
  // The instruction has been evaluated: frees those operands that have no users left.
  void Release(const Instruction& instruction) {
    llvm::SmallDenseSet<const Instruction*> seen;
    for (const Instruction* operand : instruction.operands) {
      if (operand == computation_.root || !seen.insert(operand).second) continue;
      const auto left = pending_.find(operand);
      if (left != pending_.end() && --left->second <= 0) owned_.erase(operand);
    }
  }

 private:
  const Computation& computation_;
  llvm::DenseMap<const Instruction*, const Literal*> borrowed_;
  llvm::DenseMap<const Instruction*, std::unique_ptr<Literal>> owned_;
  llvm::DenseMap<const Instruction*, int64_t> pending_;
};

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_VALUES_H_
