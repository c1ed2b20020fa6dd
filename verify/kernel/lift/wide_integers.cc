// Integers of 128 bits, as which kernels load and store complex numbers of f64. Only operations
// that move whole words are supported.
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"

namespace affirm::kernel {

using llvm::Instruction;

Value Lifter::WideBinary(const llvm::Instruction& i, const Value& a, const Value& b) {
  const auto [low, high] = RequireWide(a);
  const auto [other_low, other_high] = RequireWide(b);
  if (failed()) return {};
  Term zero = pool_.Number(0);
  const bool by_a_word = other_low->IsNumber() && other_low->number == 64 && other_high == zero;
  // A shift by a word drops the other word, which must be 0 for the flags to hold.
  const auto* overflow = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&i);
  const auto* exact = llvm::dyn_cast<llvm::PossiblyExactOperator>(&i);
  const bool flagged =
      (overflow && (overflow->hasNoSignedWrap() || overflow->hasNoUnsignedWrap())) ||
      (exact && exact->isExact());
  switch (i.getOpcode()) {
    case Instruction::LShr:
      if (by_a_word && !flagged) return Value::Wide(high, zero);
      break;
    case Instruction::AShr:
      if (by_a_word && !flagged)
        return Value::Wide(high, terms::ShiftRightArithmetic(scope_, high, pool_.Number(63), 64));
      break;
    case Instruction::Shl:
      if (by_a_word && !flagged) return Value::Wide(zero, low);
      break;
    case Instruction::Or: {
      if (const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&i);
          disjoint && disjoint->isDisjoint()) {
        break;
      }
      return Value::Wide(terms::Or(scope_, low, other_low, 64),
                         terms::Or(scope_, high, other_high, 64));
    }
    default:
      break;
  }
  return Fail(i, "an operation on integers of 128 bits of this kind");
}

Value Lifter::WideCast(const llvm::CastInst& i, const Value& a, int64_t from, int64_t to) {
  if (i.getOpcode() == Instruction::Trunc && from == 128 && to <= 64 && to > 1) {
    const auto& trunc = llvm::cast<llvm::TruncInst>(i);
    if (!trunc.hasNoSignedWrap() && !trunc.hasNoUnsignedWrap())
      return Value::Integer(terms::Congruent(pool_, RequireWide(a).low, to));
  }
  if (i.getOpcode() == Instruction::ZExt && to == 128 && from == 64) {
    if (!llvm::cast<llvm::PossiblyNonNegInst>(i).hasNonNeg())
      return Value::Wide(RequireInteger(a), pool_.Number(0));
  }
  return Fail(i, "an integer of more than 64 bits");
}

}  // namespace affirm::kernel
