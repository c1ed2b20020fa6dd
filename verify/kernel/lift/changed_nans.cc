#include "verify/kernel/lift/changed_nans.h"

#include <cmath>

#include "core/hlo/float_format.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Intrinsics.h"

namespace affirm::kernel {

namespace {

// Whether a function gives some NaN where an argument is one. Those that change a sign alone do
// not.
bool GivesSomeNan(const llvm::Instruction& call, const Callee& callee) {
  switch (callee.kind) {
    case Callee::Kind::kMath:
      return callee.operation != terms::Op::kAbs && callee.operation != terms::Op::kCopysign;
    case Callee::Kind::kIntrinsic: {
      const llvm::Intrinsic::ID intrinsic = llvm::cast<llvm::CallBase>(call).getIntrinsicID();
      return intrinsic != llvm::Intrinsic::fabs && intrinsic != llvm::Intrinsic::copysign;
    }
    default:
      return false;
  }
}

// So do operations of LLVM IR.
bool GivesSomeNan(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FRem:
    case llvm::Instruction::FPTrunc:
    case llvm::Instruction::FPExt:
      return true;
    default:
      return false;
  }
}

bool IsNan(terms::Term literal) {
  return hlo::IsFloat(literal->type) &&
         std::isnan(hlo::DecodeFloat(literal->type, static_cast<uint64_t>(literal->number)));
}

// Whether the term says that its NaN was computed. The sign of a value is changed without that.
bool IsComputed(terms::Term term) {
  switch (term->kind) {
    case terms::Kind::kFold:
      return true;
    case terms::Kind::kLiteral:
      return !IsNan(term);
    case terms::Kind::kSelect:
      return IsComputed(term->args[1]) && IsComputed(term->args[2]);
    case terms::Kind::kApply:
      return term->op() != terms::Op::kAbs && term->op() != terms::Op::kNegate &&
             term->op() != terms::Op::kCopysign && term->op() != terms::Op::kBitcast;
    default:
      return false;
  }
}

}  // namespace

void ChangedNans::Note(const llvm::Instruction& instruction, const Callee* callee,
                       const Value& result) {
  if (callee != nullptr ? GivesSomeNan(instruction, *callee) : GivesSomeNan(instruction))
    NoteValue(instruction, result);
}

void ChangedNans::NoteValue(const llvm::Instruction& instruction, const Value& value) {
  if (auto list = value.As<Value::List>()) {
    for (const Value& part : list->parts) NoteValue(instruction, part);
  } else if (auto data = value.As<Value::Data>()) {
    NoteTerm(instruction, data->term);
  }
}

void ChangedNans::NoteTerm(const llvm::Instruction& instruction, terms::Term term) {
  if (IsComputed(term) || !seen_.insert(term).second) return;
  if (first_ == nullptr) first_ = &instruction;
  terms::ForEachPart(term, [&](terms::Term part) {
    if (part->kind == terms::Kind::kLoad) buffers_.insert(static_cast<int64_t>(part->number));
    is_any_ |= part->kind == terms::Kind::kLoad && part->number < 0;
    has_literal_ |= part->kind == terms::Kind::kLiteral && IsNan(part);
    return terms::Visit::kInto;
  });
}

}  // namespace affirm::kernel
