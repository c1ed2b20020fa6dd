// Shared memory of a block, and memory of a thread: bytes whose addresses are numbers.
#include "verify/kernel/lift/lifter.h"

namespace affirm::kernel {

namespace {

using Claim = Obligation::Claim;
constexpr const char* kNoRace = "no two threads race for shared memory";

}  // namespace

// The bytes that the place has, and where the access is in them.
ByteMemory* Lifter::BytesAt(LiftThread& thread, uint32_t place, Term offset, int64_t& at) {
  terms::Range range = scope_.RangeOf(offset);
  if (!range.single()) {
    Fail(*now_, "an address in memory of the block or thread that is no number");
    return nullptr;
  }
  at = static_cast<int64_t>(range.lo);
  if (place >= kOfThread && place < kNowhere) return &thread.own[place - kOfThread];
  if (place >= memories_.size() || !by_block_) {
    Fail(*now_, "an access to this memory");
    return nullptr;
  }
  return &shared_.try_emplace(place, memories_[place].bytes).first->second;
}

Value Lifter::LoadBytes(LiftThread& thread, uint32_t place, Term offset,
                        llvm::ArrayRef<Scalar> scalars, llvm::Type* type) {
  int64_t at = 0;
  ByteMemory* bytes = BytesAt(thread, place, offset, at);
  if (!bytes) return {};
  llvm::SmallVector<Value, 4> values;
  for (Scalar scalar : scalars) {
    scalar.offset += at;
    if (place < kOfThread) {
      Moment now = {static_cast<int32_t>(thread.number), thread.phase, thread.warp_phase};
      auto& races = races_.try_emplace(place, memories_[place].bytes).first->second;
      auto other = races.Read(scalar.offset, scalar.size, now);
      if (other) {
        Unproved(Claim::kRaces, kNoRace, "thread " + llvm::Twine(*other) + " writes what is read");
      } else {
        Met(Claim::kRaces, kNoRace);
      }
    }
    values.push_back(FromCells(bytes->At(scalar.offset, scalar.size), scalar));
    if (failed()) return {};
  }
  llvm::ArrayRef<Value> rest = values;
  return Assemble(type, rest);
}

void Lifter::StoreBytes(LiftThread& thread, uint32_t place, Term offset,
                        llvm::ArrayRef<Scalar> scalars, llvm::ArrayRef<Value> values) {
  int64_t at = 0;
  ByteMemory* bytes = BytesAt(thread, place, offset, at);
  if (!bytes) return;
  for (size_t k = 0; k < scalars.size(); ++k) {
    Cell cell = {scalars[k].offset + at, scalars[k].size, scalars[k].type, values[k]};
    auto before = bytes->At(cell.offset, cell.size);
    if (place < kOfThread) {
      // Under a condition on data, shared memory keeps what it held where the condition fails. What
      // a thread alone sees is put together where the branch ends.
      if (!guards_.empty()) {
        Value old = FromCells(before, {cell.type, cell.offset, cell.size});
        if (failed()) return;
        // The scope has the condition as a fact, and memory outlives it.
        terms::Scope outside(pool_);
        cell.value = ChooseIn(outside, Guard(), cell.value, old);
        if (failed()) return;
      }
      Moment now = {static_cast<int32_t>(thread.number), thread.phase, thread.warp_phase};
      auto& races = races_.try_emplace(place, memories_[place].bytes).first->second;
      bool same = guards_.empty() && before.size() == 1 && before[0] == cell;
      auto other = races.Write(cell.offset, cell.size, now, same);
      if (other) {
        Unproved(Claim::kRaces, kNoRace,
                 "thread " + llvm::Twine(*other) + " accesses what is written");
      } else {
        Met(Claim::kRaces, kNoRace);
      }
    }
    bytes->Store(cell);
  }
}

}  // namespace affirm::kernel
