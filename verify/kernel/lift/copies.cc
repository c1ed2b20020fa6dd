// Asynchronous copies from global to shared memory (PTX ISA, "cp.async").
//
// A copy may write at any time from its start until the thread has waited for it. So it is modelled
// by two stores: an arbitrary value at the start, and the copied one at the wait. Both take part in
// race detection, and an obligation says that nothing else writes there in between.
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"

namespace affirm::kernel {

using Claim = Obligation::Claim;

// Copies are supported only by block, and outside of data-dependent branches and summarized loops.
bool Lifter::MayCopy() {
  if (!by_block_)
    Fail(*now_, "a copy beside what comes next, where threads are not executed one by one");
  else if (!guards_.empty() || !loops_.empty())
    Fail(*now_, "a copy beside what comes next, under a condition");
  return !failed();
}

Term Lifter::TakesBytes(const PtxInstruction& instruction, const PtxRegisters& registers,
                        int64_t bytes) {
  if (instruction.sources.empty()) return pool_.True();
  const PtxInstruction::Source& source = instruction.sources[0];
  Term count = pool_.Number(source.immediate);
  if (source.binding) {
    const Value given = registers.At(*source.binding);
    ObligeNoPoison(given);
    count = RequireInteger(given);
    if (failed()) return nullptr;
    count = terms::Unsigned(scope_, count, 32);
  }
  constexpr const char* kAll = "a copy takes all bytes, or none";
  Term all = pool_.Number(bytes), none = pool_.Number(0);
  const bool chosen = count->kind == terms::Kind::kPick;
  if (chosen && count->args[1] == all && count->args[2] == none) {
    Met(Claim::kBounds, kAll);
    return count->args[0];
  }
  if (chosen && count->args[1] == none && count->args[2] == all) {
    Met(Claim::kBounds, kAll);
    return pool_.Not(count->args[0]);
  }
  Term takes = pool_.Not(pool_.IsZero(count));
  Oblige(Claim::kBounds, kAll, pool_.Or({pool_.IsZero(count), pool_.Equal(count, all)}));
  return takes;
}

void Lifter::StartCopy(LiftThread& thread, const PtxInstruction& instruction,
                       const PtxRegisters& registers) {
  if (!MayCopy()) return;
  constexpr unsigned kGlobal = 1, kShared = 3;
  Value::Pointer to = RequirePointer(registers.At(instruction.destination)),
                 from = RequirePointer(registers.At(instruction.address));
  if (failed()) return;
  constexpr const char* kSpace = "the address is one of the instruction's space";
  if (!IsInSpace(to, kShared) || !IsInSpace(from, kGlobal) ||
      !IsSharedAddress(registers.TypeOf(instruction.destination)))
    Unproved(Claim::kBounds, kSpace, "");
  to.offset = pool_.Add(to.offset, pool_.Number(instruction.destination_offset));
  from.offset = pool_.Add(from.offset, pool_.Number(instruction.offset));
  if (from.memory < memories_.size() && memories_[from.memory].written) {
    Fail(*now_, "a copy of what may be written before it has ended");
    return;
  }
  const int64_t bytes = instruction.bits / 8;
  // A copy must be a whole number of elements of the source buffer.
  llvm::Type* element = from.memory < memories_.size() && memories_[from.memory].param != nullptr
                            ? TypeOfElements(*memories_[from.memory].param)
                            : nullptr;
  const int64_t size =
      element != nullptr ? static_cast<int64_t>(layout_.getTypeStoreSize(element)) : 0;
  if (size == 0 || bytes % size != 0) {
    Fail(*now_, "a copy of parts of elements");
    return;
  }
  LiftedCopy copy;
  copy.to = to;
  copy.type = llvm::FixedVectorType::get(element, static_cast<unsigned>(bytes / size));
  Term takes = TakesBytes(instruction, registers, bytes);
  if (failed()) return;
  const Value zero = ConstantValue(llvm::Constant::getNullValue(element));
  const Value zeros = ListOf(std::vector<Value>(bytes / size, zero));
  auto decided = Decide(takes);
  if (!decided) {
    split_ = BlockPart(takes);
    if (split_) return;
  }
  copy.values = zeros;
  if (decided != false) {
    const size_t saved = scope_.Save();
    if (decided || scope_.Assume(takes)) {
      if (!decided) guards_.push_back(takes);
      const Value loaded = Load(thread, from, copy.type, bytes);
      if (!decided) guards_.pop_back();
      if (failed()) return;
      scope_.Restore(saved);
      copy.values = decided ? loaded : Choose(takes, loaded, zeros);
    } else {
      scope_.Restore(saved);
    }
  }
  if (failed()) return;
  Store(thread, to, copy.type, UnspecifiedOf(copy.type, Unspecified::kUndef), bytes);
  if (failed()) return;
  int64_t at = 0;
  const ByteMemory* memory = BytesAt(thread, to.memory, to.offset, at);
  if (failed()) return;
  const auto held = memory->At(at, bytes);
  copy.held.assign(held.begin(), held.end());
  copy.group = thread.groups;
  thread.copies.push_back(std::move(copy));
}

// Completes all groups but the last `but`; -1: all copies, also those that are in no group.
void Lifter::WaitForCopies(LiftThread& thread, int64_t but) {
  if (!MayCopy()) return;
  std::vector<LiftedCopy> open = std::move(thread.copies);
  thread.copies.clear();
  for (LiftedCopy& copy : open) {
    if (but >= 0 && copy.group >= thread.groups - but) {
      thread.copies.push_back(std::move(copy));
      continue;
    }
    ObligeUntouched(thread, copy);
    if (failed()) return;
    const int64_t bytes = static_cast<int64_t>(layout_.getTypeStoreSize(copy.type));
    Store(thread, copy.to, copy.type, copy.values, bytes);
    if (failed()) return;
  }
}

void Lifter::ObligeUntouched(LiftThread& thread, const LiftedCopy& copy) {
  const int64_t bytes = static_cast<int64_t>(layout_.getTypeStoreSize(copy.type));
  int64_t at = 0;
  const ByteMemory* memory = BytesAt(thread, copy.to.memory, copy.to.offset, at);
  if (failed()) return;
  constexpr const char* kAlone = "nobody writes where a copy goes that has not ended";
  if (llvm::equal(memory->At(at, bytes), copy.held))
    Met(Claim::kRaces, kAlone);
  else
    Unproved(Claim::kRaces, kAlone, "");
}

// A copy without a wait stays pending until the block has ended.
void Lifter::CheckOpenCopies(LiftThread& thread) {
  thread_ = &thread;
  for (const LiftedCopy& copy : thread.copies) {
    ObligeUntouched(thread, copy);
    if (failed()) return;
  }
}

}  // namespace affirm::kernel
