#include "verify/kernel/lift/word_swap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace affirm::kernel {

using namespace llvm::PatternMatch;

namespace {

constexpr uint64_t kBytesOfWord = 4;

// The low bits of the address, matched in the part's shift amount in bits.
const llvm::Value* LowOf(const llvm::Value* by) {
  const llvm::Value* low = nullptr;
  const bool is_shift = match(by, m_c_Mul(m_Trunc(m_Value(low)), m_SpecificInt(8))) ||
                        match(by, m_Shl(m_Trunc(m_Value(low)), m_SpecificInt(3)));
  return is_shift ? low : nullptr;
}

// Whether the pointer is `address` rounded down by its low bits.
bool IsWordOf(const llvm::Value* pointer, const llvm::Value* address, const llvm::Value* low) {
  const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
  return gep && gep->getPointerOperand() == address && gep->getNumIndices() == 1 &&
         gep->getSourceElementType()->isIntegerTy(8) &&
         (match(gep->getOperand(1), m_c_Mul(m_Specific(low), m_AllOnes())) ||
          match(gep->getOperand(1), m_Neg(m_Specific(low))));
}

// Whether an instruction's flags and metadata hold by construction: `by` is at most 24, and the
// inserted part has no bits beyond the word.
bool IsWithoutPromises(const llvm::Instruction& part, const llvm::Value* by) {
  if (part.hasMetadataOtherThanDebugLoc()) return false;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&part))
    return load->getAlign().value() <= kBytesOfWord;
  if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&part))
    return !gep->hasNoUnsignedWrap();
  const bool is_of_shift = &part == by || llvm::is_contained(part.users(), by);
  if (!part.hasPoisonGeneratingFlags() || is_of_shift || part.getOpcode() == llvm::Instruction::Or)
    return true;
  const auto* wraps = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&part);
  if (!wraps) return false;
  return part.getOpcode() == llvm::Instruction::Shl ? !wraps->hasNoSignedWrap()
                                                    : !wraps->hasNoUnsignedWrap();
}

}  // namespace

std::optional<WordSwap> WordSwapOf(const llvm::PHINode& expected,
                                   const llvm::AtomicCmpXchgInst& swap) {
  if (!expected.getType()->isIntegerTy(kBytesOfWord * 8) ||
      expected.getModule()->getDataLayout().isBigEndian())
    return std::nullopt;
  WordSwap word;
  const llvm::Value *others = nullptr, *by = nullptr;
  const llvm::Value* next = swap.getNewValOperand();
  const auto put = m_Shl(m_ZExt(m_Value(word.stored)), m_Value(by));
  if (!match(next, m_c_Or(m_c_And(m_Specific(&expected), m_Value(others)), put)))
    return std::nullopt;
  const unsigned bits = word.stored->getType()->getScalarSizeInBits();
  const llvm::Value *low = LowOf(by), *mask = nullptr;
  const llvm::APInt all_of_part = llvm::APInt::getLowBitsSet(kBytesOfWord * 8, bits);
  if (!low || (bits != 8 && bits != 16) || !word.stored->getType()->isIntegerTy() ||
      !match(others, m_Not(m_Value(mask))) ||
      !match(mask, m_Shl(m_SpecificInt(all_of_part), m_Specific(by))) ||
      !match(low, m_c_And(m_PtrToInt(m_Value(word.address)), m_SpecificInt(kBytesOfWord - 1))) ||
      !IsWordOf(swap.getPointerOperand(), word.address, low)) {
    return std::nullopt;
  }
  // The instructions between these values; they must have no other uses.
  llvm::SmallPtrSet<const llvm::Value*, 16> inside = {&expected};
  auto add = [&](const llvm::Value* value) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction && inside.insert(instruction).second) word.parts.push_back(instruction);
  };
  auto add_with_operands = [&](const llvm::Value* value) {
    add(value);
    for (const llvm::Value* operand : llvm::cast<llvm::Instruction>(value)->operands()) {
      if (operand != word.address && operand != word.stored && operand != &expected) add(operand);
    }
  };
  add_with_operands(next);
  for (const llvm::Value* operand : llvm::cast<llvm::Instruction>(next)->operands())
    add_with_operands(operand);
  for (const llvm::Value* value : {by, low, others, mask}) add_with_operands(value);
  add_with_operands(swap.getPointerOperand());
  for (const llvm::User* user : expected.users()) {
    const auto* shift = llvm::dyn_cast<llvm::Instruction>(user);
    if (!shift || !match(shift, m_LShr(m_Specific(&expected), m_Specific(by)))) continue;
    for (const llvm::User* part : shift->users()) {
      const auto* trunc = llvm::dyn_cast<llvm::TruncInst>(part);
      if (!trunc || trunc->getType() != word.stored->getType() || word.found) return std::nullopt;
      word.found = trunc;
    }
    add(shift);
  }
  if (!word.found) return std::nullopt;
  // The load of the first expected value.
  for (const llvm::Value* first : expected.incoming_values()) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(first);
    if (load && load->getPointerOperand() == swap.getPointerOperand()) add(load);
  }
  const bool used_elsewhere = llvm::any_of(inside, [&](const llvm::Value* value) {
    return llvm::any_of(value->users(), [&](const llvm::User* user) {
      return !inside.contains(user) && user != &swap && user != word.found;
    });
  });
  if (used_elsewhere) return std::nullopt;
  word.parts.push_back(word.found);
  const bool promises = llvm::any_of(
      word.parts, [&](const llvm::Instruction* part) { return !IsWithoutPromises(*part, by); });
  if (promises || swap.getAlign().value() > kBytesOfWord || swap.hasMetadataOtherThanDebugLoc())
    return std::nullopt;
  return word;
}

}  // namespace affirm::kernel
