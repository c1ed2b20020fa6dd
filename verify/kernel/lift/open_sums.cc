// Registers that asynchronous products of matrices still write.
#include "verify/kernel/lift/open_sums.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"

namespace affirm::kernel {

namespace {

constexpr int64_t kNone = -1;

size_t NumElements(const llvm::Value& value) {
  const llvm::Type* type = value.getType();
  if (type->isStructTy()) return type->getStructNumElements();
  return type->isArrayTy() ? type->getArrayNumElements() : 1;
}

bool HasSum(llvm::ArrayRef<int64_t> numbers) {
  return llvm::any_of(numbers, [](int64_t number) { return number != kNone; });
}

}  // namespace

OpenSums::Numbers OpenSums::At(const llvm::Value& value) const {
  const auto found = registers_.find(&value);
  return found != registers_.end() ? found->second : Numbers(NumElements(value), kNone);
}

void OpenSums::Set(const llvm::Value& value, Numbers numbers) {
  if (HasSum(numbers))
    registers_[&value] = std::move(numbers);
  else
    registers_.erase(&value);
}

bool OpenSums::MayAdd(const llvm::CallBase& product, Ties ties, const MatrixProduct& of,
                      int64_t fence) const {
  return llvm::all_of(ties, [&](const auto& tie) {
    return llvm::all_of(At(*product.getArgOperand(tie.second)), [&](int64_t number) {
      if (number == kNone) return true;
      const Sum& sum = sums_[number];
      return (sum.n == of.n && sum.k == of.k) || sum.step < fence;
    });
  });
}

bool OpenSums::GoesOn(const llvm::CallBase& product, Ties ties, const MatrixProduct& of) const {
  constexpr int64_t kNoFence = -1;
  return !ties.empty() && MayAdd(product, ties, of, kNoFence) &&
         llvm::all_of(ties, [&](const auto& tie) {
           return !llvm::is_contained(At(*product.getArgOperand(tie.second)), kNone);
         });
}

bool OpenSums::Take(const llvm::CallBase& call, Ties ties) {
  bool is_right = llvm::all_of(call.args(), [&](const llvm::Use& argument) {
    return !Has(*argument) || llvm::any_of(ties, [&](const auto& tie) {
      return tie.second == argument.getOperandNo();
    });
  });
  for (const auto& [result, argument] : ties) {
    for (int64_t number : At(*call.getArgOperand(argument))) {
      if (number == kNone) continue;
      is_right = is_right && !sums_[number].is_taken;
      sums_[number].is_taken = true;
    }
  }
  return is_right;
}

bool OpenSums::Begin(const llvm::CallBase& product, Ties ties, const MatrixProduct& of,
                     int64_t group, int64_t step) {
  const bool is_right = IsEmpty() || Take(product, ties);
  Numbers numbers;
  for (size_t k = 0; k < NumElements(product); ++k) {
    numbers.push_back(std::ssize(sums_));
    sums_.push_back({.group = group, .step = step, .n = of.n, .k = of.k});
  }
  Set(product, std::move(numbers));
  return is_right;
}

bool OpenSums::Wait(const llvm::CallBase& wait, Ties ties, int64_t ended) {
  if (IsEmpty()) return true;
  const bool is_right = Take(wait, ties);
  Numbers numbers(NumElements(wait), kNone);
  for (const auto& [result, argument] : ties) {
    for (int64_t number : At(*wait.getArgOperand(argument))) {
      if (number == kNone || sums_[number].group < ended) continue;
      Sum still_open = sums_[number];
      still_open.is_taken = false;
      numbers[result] = std::ssize(sums_);
      sums_.push_back(still_open);
    }
  }
  Set(wait, std::move(numbers));
  return is_right;
}

bool OpenSums::Moves(const llvm::Instruction& instruction) {
  if (llvm::none_of(instruction.operand_values(),
                    [&](const llvm::Value* operand) { return Has(*operand); })) {
    registers_.erase(&instruction);
    return true;
  }
  if (const auto* of = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    if (of->getNumIndices() != 1 || NumElements(instruction) != 1) return false;
    Set(instruction, {At(*of->getAggregateOperand())[of->getIndices()[0]]});
    return true;
  }
  if (const auto* into = llvm::dyn_cast<llvm::InsertValueInst>(&instruction)) {
    const llvm::Value& inserted = *into->getInsertedValueOperand();
    if (into->getNumIndices() != 1 || NumElements(inserted) != 1) return false;
    Numbers numbers = At(*into->getAggregateOperand());
    numbers[into->getIndices()[0]] = At(inserted)[0];
    Set(instruction, std::move(numbers));
    return true;
  }
  if (!llvm::isa<llvm::FreezeInst, llvm::BitCastInst>(&instruction)) return false;
  Set(instruction, At(*instruction.getOperand(0)));
  return true;
}

void OpenSums::Enter(const llvm::BasicBlock& to, const llvm::BasicBlock* from) {
  if (IsEmpty()) return;
  llvm::SmallVector<std::pair<const llvm::Value*, Numbers>> entered;
  for (const llvm::PHINode& phi : to.phis())
    entered.emplace_back(&phi, At(*phi.getIncomingValueForBlock(from)));
  for (auto& [phi, numbers] : entered) Set(*phi, std::move(numbers));
}

}  // namespace affirm::kernel
