// Happens-before between threads (vector_clock.h): barriers of some threads, release and acquire.
#include "verify/kernel/emulator/machine.h"

namespace affirm::kernel {
namespace {

SharedClock Joined(const SharedClock& a, const SharedClock& b) {
  if (a == nullptr || a == b) return b;
  if (b == nullptr) return a;
  auto both = std::make_shared<VectorClock>(*a);
  both->Join(*b);
  return both;
}

}  // namespace

Accessor Machine::MomentOf(const Thread& thread) const {
  const Accessor& warp = warps_[thread.index / kWarpSize];
  return {.block = static_cast<uint32_t>(block_),
          .thread = static_cast<uint16_t>(thread.index),
          .warp_step = warp.warp_step,
          .epoch = epoch_,
          .source = 0,
          .shuffles = warp.shuffles,
          .moments = thread.moments};
}

void Machine::Synchronize(llvm::ArrayRef<Thread*> threads, VectorClock before) {
  for (Thread* thread : threads) before.Add(MomentOf(*thread));
  for (Thread* thread : threads) ++thread->moments;
  ShareClocks(threads, std::move(before), false);
}

// A fence of any of them counts for what any of them releases later: it made known what its thread
// had done, before the others went on.
void Machine::ShareClocks(llvm::ArrayRef<Thread*> threads, VectorClock before, bool new_epoch) {
  // Threads that have synchronised share their clocks: each is joined once.
  SharedClock known, fenced, fenced_block;
  const VectorClock* last = nullptr;
  for (Thread* thread : threads) {
    if (thread->known.get() != last) known = Joined(known, thread->known);
    last = thread->known.get();
    fenced = Joined(fenced, thread->fenced);
    fenced_block = Joined(fenced_block, thread->fenced_block);
  }
  if (known != nullptr) before.Join(*known);
  if (new_epoch) before.Forget(static_cast<uint32_t>(block_));
  known = before.empty() ? nullptr : std::make_shared<const VectorClock>(std::move(before));
  for (Thread* thread : threads) {
    thread->known = known;
    thread->fenced = fenced;
    thread->fenced_block = fenced_block;
  }
}

void Machine::OrderReads(llvm::ArrayRef<Thread*> threads) {
  VectorClock reads;
  for (Thread* thread : threads) {
    if (thread->known_reads != nullptr) reads.Join(*thread->known_reads);
    reads.Add(MomentOf(*thread));
  }
  const auto shared = std::make_shared<const VectorClock>(std::move(reads));
  for (Thread* thread : threads) {
    ++thread->moments;
    thread->known_reads = shared;
  }
}

// An atomic write that releases makes known what the thread knows and has done; another one, what
// was known and done at its last fence (PTX ISA 8.5, 8.8). Releases of one address are joined, as
// those of a chain of updates are.
void Machine::Release(Thread& thread, const Code& code, Slot address) {
  SharedClock clock = thread.fenced;
  if ((code.flags & kOrdered) != 0) clock = MakeMoment(thread);
  if (address.mark != 0 || (clock == nullptr && thread.fenced_block == nullptr)) return;
  Released& released = released_[address.bits];
  released.clock = Joined(released.clock, clock);
  if (thread.fenced_block == nullptr) return;
  if (released.block != block_) released.of_block = nullptr;
  released.block = block_;
  released.of_block = Joined(released.of_block, thread.fenced_block);
}

// Whether a fence follows the read is not looked at: a race may be missed, and none is made up.
void Machine::Acquire(Thread& thread, Slot address) {
  auto at = released_.find(address.bits);
  if (address.mark != 0 || at == released_.end()) return;
  SharedClock found = at->second.clock;
  if (at->second.block == block_) found = Joined(found, at->second.of_block);
  thread.known = Joined(thread.known, found);
}

void Machine::Fence(Thread& thread, const Code& code) {
  thread.fenced_block = MakeMoment(thread);
  if ((code.flags & kOfBlock) == 0) thread.fenced = thread.fenced_block;
}

// The clock of the thread.
SharedClock Machine::MakeMoment(Thread& thread) const {
  auto now = std::make_shared<VectorClock>();
  if (thread.known != nullptr) *now = *thread.known;
  now->Add(MomentOf(thread));
  ++thread.moments;
  return now;
}

}  // namespace affirm::kernel
