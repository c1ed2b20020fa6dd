// Barriers of a block (PTX ISA 8.5, 9.7.13.1 "bar, barrier"; 9.7.12.6 "exit").
//
// A barrier has a number, and counts warps, each as 32 threads: a warp has arrived when all of its
// lanes that have not ended have. Which instruction they execute does not matter. One without a
// count is for all threads of the block, and those that end are not waited for.
#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "verify/kernel/emulator/machine.h"

namespace affirm::kernel {
namespace {

constexpr const char* kCountsDiffer =
    "threads count a barrier differently, of which the PTX ISA says nothing";
constexpr const char* kLanesApart =
    "the lanes of a warp come to an aligned barrier at different instructions, or in different "
    "iterations of a loop, which the PTX ISA leaves undefined, and AMDGPU for waves";

}  // namespace

bool Machine::CheckBarrier(const Thread& thread, const Code& code) {
  const Slot& id = ValueOf(thread, code.a);
  if (id.mark != 0) {
    ReportMark(thread, code, id, "the number of a barrier", Claim::kBarriers);
  } else if (id.bits >= kBarriers) {
    Report(thread, code, Claim::kBarriers, "there is no barrier " + std::to_string(id.bits));
  } else if (code.aux == 1) {
    const Slot& count = ValueOf(thread, code.b);
    const bool arrives = (code.flags & kArrives) != 0;
    if (count.mark != 0) {
      ReportMark(thread, code, count, "the count of a barrier", Claim::kBarriers);
    } else if (count.bits % kWarpSize != 0 || (arrives && count.bits == 0)) {
      Report(thread, code, Claim::kBarriers,
             "a barrier counts " + std::to_string(count.bits) + " threads, which are no warps");
    } else {
      return true;
    }
  } else {
    return true;
  }
  stopped = true;
  return false;
}

// Without a count, all threads of the block.
uint64_t Machine::CountOf(const Thread& thread, const Code& code) const {
  const uint64_t count = code.aux == 1 ? ValueOf(thread, code.b).bits : 0;
  return count != 0 ? count : llvm::alignTo(static_cast<uint64_t>(num_threads_), kWarpSize);
}

bool Machine::WaitsAt(const Thread& thread, uint64_t id) const {
  const Code& code = program_.code[thread.pc];
  return thread.state == Thread::kWaiting && code.op == Op::kBarrier &&
         ValueOf(thread, code.a).bits == id;
}

void Machine::Arrive(Thread& thread, const Code& code) {
  if (!CheckBarrier(thread, code)) return;
  Barrier& barrier = barriers_[ValueOf(thread, code.a).bits];
  const uint64_t count = CountOf(thread, code);
  if (!barrier.arrived.empty() && barrier.count != count)
    return GiveUp(thread, code, Claim::kBarriers, kCountsDiffer);
  barrier.count = count;
  barrier.arrived.push_back(thread.index);
  if (thread.known != nullptr) barrier.before.Join(*thread.known);
  barrier.before.Add(MomentOf(thread));
  ++thread.moments;
  // Complete without anyone who waits: it begins anew.
  if (barrier.arrived.size() >= count) barrier = {};
}

bool Machine::WakeBarriers() {
  bool waits[kBarriers] = {};
  for (const Thread& thread : threads_) {
    const Code& code = program_.code[thread.pc];
    if (thread.state != Thread::kWaiting || code.op != Op::kBarrier) continue;
    if (!CheckBarrier(thread, code)) return true;
    waits[ValueOf(thread, code.a).bits] = true;
  }
  bool woke = false;
  for (uint64_t id = 0; id < kBarriers && !stopped; ++id) woke |= waits[id] && WakeBarrier(id);
  return woke || stopped;
}

// Whether an earlier lane of its warp waits at the same barrier at another instruction, and one of
// them says that the lanes come together.
bool Machine::AreLanesApart(const Thread& thread) const {
  const Code& code = program_.code[thread.pc];
  for (int64_t k = thread.index / LanesOfWarp() * LanesOfWarp(); k < thread.index; ++k) {
    const Thread& other = threads_[k];
    const bool is_together = other.pc == thread.pc && AreInOneRound(other, thread);
    if (is_together || !WaitsAt(other, ValueOf(thread, code.a).bits)) continue;
    if (((code.flags | program_.code[other.pc].flags) & kAligned) != 0) return true;
  }
  return false;
}

bool Machine::WakeBarrier(uint64_t id) {
  Barrier& barrier = barriers_[id];
  uint64_t count = barrier.arrived.empty() ? 0 : barrier.count;
  bool all_wait = barrier.arrived.empty(), is_counted = !barrier.arrived.empty();
  for (const Thread& thread : threads_) {
    all_wait &= thread.state == Thread::kDone || WaitsAt(thread, id);
    if (!WaitsAt(thread, id)) continue;
    const Code& code = program_.code[thread.pc];
    is_counted |= code.aux == 1;
    const bool differs = count != 0 && count != CountOf(thread, code);
    if (differs || AreLanesApart(thread)) {
      GiveUp(thread, code, Claim::kBarriers, differs ? kCountsDiffer : kLanesApart);
      return true;
    }
    count = CountOf(thread, code);
  }
  const std::vector<Thread*> threads =
      is_counted ? Participants(id, count) : std::vector<Thread*>();
  const auto live =
      llvm::count_if(threads_, [](const Thread& thread) { return thread.state != Thread::kDone; });
  if (all_wait && (!is_counted || std::ssize(threads) == live)) {
    CompleteForBlock();
    return true;
  }
  if (threads.empty()) return false;
  Synchronize(threads, std::move(barrier.before));
  barrier = {};
  for (Thread* thread : threads) {
    thread->state = Thread::kReady;
    ++thread->pc;
  }
  return true;
}

std::vector<Thread*> Machine::Participants(uint64_t id, uint64_t count) {
  std::vector<Thread*> threads;
  uint64_t counted = llvm::alignTo(barriers_[id].arrived.size(), kWarpSize);
  for (int64_t first = 0; first < num_threads_ && counted < count; first += kWarpSize) {
    std::vector<Thread*> lanes;
    for (int64_t k = first; k < std::min(first + kWarpSize, num_threads_); ++k) {
      if (threads_[k].state != Thread::kDone) lanes.push_back(&threads_[k]);
    }
    const bool all =
        llvm::all_of(lanes, [&](const Thread* thread) { return WaitsAt(*thread, id); });
    if (!all || lanes.empty()) continue;
    llvm::append_range(threads, lanes);
    counted += kWarpSize;
  }
  return counted == count ? threads : std::vector<Thread*>();
}

// All threads that have not ended wait: a new epoch begins.
void Machine::CompleteForBlock() {
  std::vector<Thread*> threads;
  for (Thread& thread : threads_) {
    if (thread.state != Thread::kDone) threads.push_back(&thread);
  }
  ShareClocks(threads, {}, true);
  ++epoch_;
  for (Accessor& warp : warps_) warp.warp_step = 0, warp.shuffles = 0;
  for (Thread* thread : threads) {
    thread->known_reads = nullptr;
    thread->state = Thread::kReady;
    ++thread->pc;
  }
}

}  // namespace affirm::kernel
