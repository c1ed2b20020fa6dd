// Loops that do not end, and loops that only take long.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "verify/kernel/emulator/machine.h"

namespace affirm::kernel {
namespace {

// A thread that may wait for others in a loop goes round so often before they have their turn.
constexpr int64_t kTurn = 1024;
// A state is kept at each power of two from here on, and compared every kCompareEvery jumps.
constexpr int64_t kFirstState = 64, kCompareEvery = 16;

bool SameSlots(llvm::ArrayRef<Slot> a, llvm::ArrayRef<Slot> b) {
  return llvm::equal(a, b, [](const Slot& x, const Slot& y) {
    return x.mark == y.mark && (x.bits == y.bits || x.mark == kCounter);
  });
}

}  // namespace

bool Machine::GoesOn(Thread& thread, const Code& code, int64_t codes_so_far) {
  const int64_t jumps = ++thread.jumps_back;
  if (codes_so_far > options_.most_codes) {
    if (options_.most_codes_is_a_budget) {
      stopped = true;
    } else {
      GiveUp(thread, code, Claim::kBarriers,
             "the run takes more than " + std::to_string(options_.most_codes) + " steps");
    }
    return false;
  }
  if (jumps >= kFirstState && jumps % kCompareEvery == 0) {
    const bool repeats = RepeatsItself(thread, code);
    thread.spins = repeats && thread.loop->atomics != atomics_;
    if (repeats && !thread.spins) {
      Report(thread, code, Claim::kBarriers, "a loop does not end");
      stopped = true;
      return false;
    }
  }
  if (jumps > options_.most_jumps_back) {
    GiveUp(thread, code, Claim::kBarriers,
           "a thread goes round its loops more than " + std::to_string(options_.most_jumps_back) +
               " times, or waits for what no thread has done by then");
    return false;
  }
  return !program_.may_spin || jumps % kTurn != 0;
}

// All threads have had their turn, and each waits: in a loop, for what another thread stores, or
// at a barrier.
void Machine::ReportSpin() {
  const Thread& spins =
      *llvm::find_if(threads_, [](const Thread& thread) { return thread.state == Thread::kReady; });
  const Code& code = CodeOf(spins);
  if (launch_.NumBlocks() == 1) {
    Report(spins, code, Claim::kBarriers, "all threads wait for ever, this one in a loop");
    stopped = true;
    return;
  }
  GiveUp(
      spins, code, Claim::kBarriers,
      "a thread waits in a loop for what another block does, and blocks run one after the other");
}

// Whether the thread is where it was, with what it had, and memory is what it was: it will be there
// again. Where it reads atomically, another thread may end that.
bool Machine::RepeatsItself(Thread& thread, const Code& code) {
  const auto to = static_cast<uint32_t>(code.imm);
  const llvm::ArrayRef<Slot> registers =
      llvm::ArrayRef(thread.registers).take_front(thread.base + thread.num_registers);
  auto in_same_calls = [&](const std::vector<uint32_t>& calls) {
    return llvm::equal(calls, thread.calls,
                       [](uint32_t call, const Frame& frame) { return call == frame.call; });
  };
  const LoopState* state = thread.loop.get();
  if (state != nullptr && state->to == to && state->changes == changes_ &&
      SameSlots(state->registers, registers) && in_same_calls(state->calls)) {
    return true;
  }
  if (llvm::has_single_bit(static_cast<uint64_t>(thread.jumps_back))) {
    LoopState now{to, {}, registers.vec(), changes_, atomics_};
    for (const Frame& frame : thread.calls) now.calls.push_back(frame.call);
    thread.loop = std::make_unique<LoopState>(std::move(now));
  }
  return false;
}

}  // namespace affirm::kernel
