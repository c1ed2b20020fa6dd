// Registers that asynchronous products of matrices still write.
#include "verify/kernel/lift/open_sums.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"

namespace affirm::kernel {

namespace {

constexpr int64_t kNone = -1;

unsigned NumScalars(const llvm::Value& value) {
  const auto* structure = llvm::dyn_cast<llvm::StructType>(value.getType());
  return structure ? std::max(structure->getNumElements(), 1u) : 1;
}

// The group that ends last.
int64_t Last(llvm::ArrayRef<int64_t> groups) { return *llvm::max_element(groups); }

}  // namespace

OpenSums::Groups OpenSums::At(const llvm::Value& value) const {
  const auto found = groups_.find(&value);
  return found != groups_.end() ? found->second : Groups(NumScalars(value), kNone);
}

void OpenSums::Set(const llvm::Value& value, Groups groups) {
  if (llvm::all_of(groups, [](int64_t group) { return group == kNone; }))
    groups_.erase(&value);
  else
    groups_[&value] = std::move(groups);
}

void OpenSums::Open(const llvm::CallBase& product, int64_t group) {
  Set(product, Groups(NumScalars(product), group));
}

void OpenSums::EndBelow(int64_t group) {
  llvm::SmallVector<const llvm::Value*> open;
  for (const auto& [value, groups] : groups_) open.push_back(value);
  for (const llvm::Value* value : open) {
    Groups groups = At(*value);
    for (int64_t& of : groups) of = of < group ? kNone : of;
    Set(*value, std::move(groups));
  }
}

void OpenSums::Tie(const llvm::CallBase& assembly,
                   llvm::ArrayRef<std::pair<unsigned, unsigned>> ties) {
  Groups groups(NumScalars(assembly), kNone);
  for (const auto& [result, argument] : ties)
    groups[result] = Last(At(*assembly.getArgOperand(argument)));
  Set(assembly, std::move(groups));
}

bool OpenSums::Moves(const llvm::Instruction& instruction) {
  if (llvm::none_of(instruction.operand_values(),
                    [&](const llvm::Value* operand) { return Has(*operand); })) {
    groups_.erase(&instruction);
    return true;
  }
  if (const auto* of = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    if (of->getNumIndices() != 1) return false;
    const int64_t group = At(*of->getAggregateOperand())[of->getIndices()[0]];
    Set(instruction, Groups(NumScalars(instruction), group));
    return true;
  }
  if (const auto* into = llvm::dyn_cast<llvm::InsertValueInst>(&instruction)) {
    if (into->getNumIndices() != 1) return false;
    Groups groups = At(*into->getAggregateOperand());
    groups[into->getIndices()[0]] = Last(At(*into->getInsertedValueOperand()));
    Set(instruction, std::move(groups));
    return true;
  }
  if (!llvm::isa<llvm::FreezeInst, llvm::BitCastInst>(&instruction)) return false;
  Set(instruction, At(*instruction.getOperand(0)));
  return true;
}

void OpenSums::Enter(const llvm::BasicBlock& to, const llvm::BasicBlock* from) {
  if (IsEmpty()) return;
  llvm::SmallVector<std::pair<const llvm::Value*, Groups>> entered;
  for (const llvm::PHINode& phi : to.phis())
    entered.emplace_back(&phi, At(*phi.getIncomingValueForBlock(from)));
  for (auto& [phi, groups] : entered) Set(*phi, std::move(groups));
}

}  // namespace affirm::kernel
