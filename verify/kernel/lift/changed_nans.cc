#include "verify/kernel/lift/changed_nans.h"

#include <cmath>

#include "core/hlo/float_format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Intrinsics.h"

namespace affirm::kernel {

namespace {

// Whether a function may return another NaN for a NaN argument. Functions that change the sign bit
// alone preserve the payload.
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

// The same for instructions of LLVM IR.
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

// Whether the term is an operation that computes its NaN, or a choice among such operations.
// Negation only flips the sign bit.
bool IsComputed(terms::Term term) {
  if (term->kind == terms::Kind::kSelect) {
    // The arms of nested choices, each once: terms share parts.
    llvm::SmallSetVector<terms::Term, 8> arms;
    arms.insert(term);
    for (size_t k = 0; k < arms.size(); ++k) {
      const terms::Term arm = arms[k];
      if (arm->kind == terms::Kind::kSelect)
        arms.insert_range(arm->args.drop_front());
      else if (!IsComputed(arm))
        return false;
    }
    return true;
  }
  switch (term->kind) {
    case terms::Kind::kFold:
      return true;
    case terms::Kind::kLiteral:
      return !IsNan(term);
    case terms::Kind::kApply:
      return term->op() != terms::Op::kAbs && term->op() != terms::Op::kNegate &&
             term->op() != terms::Op::kCopysign && term->op() != terms::Op::kBitcast;
    default:
      return false;
  }
}

bool IsBitsOfFloat(terms::Term term) {
  return term->kind == terms::Kind::kApply && term->op() == terms::Op::kBitcast &&
         hlo::IsFloat(term->args[0]->type);
}

// Whether `from` is a part of the term, up to a depth: then so is each float whose bits it has.
bool IsPart(terms::Term from, terms::Term in, int depth) {
  if (from->kind == terms::Kind::kInteger) from = from->args[0];  // whose float bits are the same
  if (from == in) return true;
  if (depth == 0 || in->id < from->id || IsBitsOfFloat(in)) return false;
  return llvm::any_of(in->args, [&](terms::Term of) { return IsPart(from, of, depth - 1); }) ||
         llvm::any_of(in->sum,
                      [&](const terms::Monomial& m) { return IsPart(from, m.atom, depth - 1); });
}

// The terms of a value: of a vector, those of its elements.
void AddTerms(const Value& value, llvm::SmallVectorImpl<terms::Term>& terms) {
  if (const auto list = value.As<Value::List>()) {
    for (const Value& part : list->parts) AddTerms(part, terms);
  } else if (const auto integer = value.As<Value::Integer>()) {
    terms.push_back(integer->term);
  } else if (const auto condition = value.As<Value::Condition>()) {
    terms.push_back(condition->term);
  } else if (const auto wide = value.As<Value::Wide>()) {
    terms.append({wide->low, wide->high});
  } else if (const auto pointer = value.As<Value::Pointer>()) {
    terms.push_back(pointer->offset);
  } else if (const auto data = value.As<Value::Data>()) {
    terms.push_back(data->term);
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
  if (IsComputed(term)) {
    if (term->kind == terms::Kind::kLiteral || computed_.insert(term).second) return;
    twice_.insert(term);
    if (first_ == nullptr) first_ = &instruction;
    return;
  }
  if (!seen_.insert(term).second) return;
  if (first_ == nullptr) first_ = &instruction;
  terms::ForEachPart(term, [&](terms::Term part) {
    if (part->kind == terms::Kind::kLoad) buffers_.insert(static_cast<int64_t>(part->number));
    is_any_ |= part->kind == terms::Kind::kLoad && part->number < 0;
    has_literal_ |= part->kind == terms::Kind::kLiteral && IsNan(part);
    return terms::Visit::kInto;
  });
}

// Not recursive: a row's sum is as deep as the row is long.
bool ChangedNans::HasFloats(terms::Term term) {
  llvm::SmallVector<terms::Term> open = {term};
  while (!open.empty()) {
    const terms::Term part = open.back();
    const size_t height = open.size();
    bool has = IsBitsOfFloat(part);
    auto look_at = [&](terms::Term of) {
      const auto known = has_floats_.find(of);
      if (known == has_floats_.end())
        open.push_back(of);
      else
        has = has || known->second;
    };
    if (!has && !has_floats_.contains(part)) {
      llvm::for_each(part->args, look_at);
      for (const terms::Monomial& m : part->sum) look_at(m.atom);
    }
    if (open.size() > height) continue;
    open.pop_back();
    has_floats_.try_emplace(part, has);
  }
  return has_floats_.lookup(term);
}

const ChangedNans::Floats& ChangedNans::FloatsIn(terms::Term term) {
  if (const auto known = floats_in_.find(term); known != floats_in_.end()) return known->second;
  llvm::SmallSetVector<terms::Term, 4> found;
  terms::ForEachPart(term, [&](terms::Term part) {
    if (const auto known = floats_in_.find(part); known != floats_in_.end()) {
      found.insert(known->second.begin(), known->second.end());
      return terms::Visit::kPast;
    }
    if (!IsBitsOfFloat(part)) return HasFloats(part) ? terms::Visit::kInto : terms::Visit::kPast;
    found.insert(part->args[0]);
    return terms::Visit::kPast;
  });
  return floats_in_.try_emplace(term, found.begin(), found.end()).first->second;
}

void ChangedNans::NoteUse(const Value& operand, const Value& result) {
  const auto taken_parts = operand.As<Value::List>(), made_parts = result.As<Value::List>();
  if (taken_parts && made_parts && taken_parts->parts.size() == made_parts->parts.size()) {
    for (const auto& [taken, made] : llvm::zip(taken_parts->parts, made_parts->parts))
      NoteUse(taken, made);
    return;
  }
  llvm::SmallVector<terms::Term, 4> taken, made;
  AddTerms(operand, taken);
  AddTerms(result, made);
  llvm::erase_if(taken, [&](terms::Term from) {
    return !HasFloats(from) ||
           llvm::any_of(made, [&](terms::Term in) { return IsPart(from, in, 2); });
  });
  if (taken.empty()) return;
  llvm::DenseSet<terms::Term> left;
  for (terms::Term in : made) {
    const Floats& floats = FloatsIn(in);
    left.insert(floats.begin(), floats.end());
  }
  for (terms::Term from : taken) {
    for (terms::Term of : FloatsIn(from)) {
      if (!left.contains(of)) with_bits_gone_.insert(of);
    }
  }
}

void ChangedNans::NoteDecided(terms::Term integer) {
  const Floats& floats = FloatsIn(integer);
  decided_by_.insert(floats.begin(), floats.end());
}

}  // namespace affirm::kernel
