// Exchanges of lanes of a wave of AMDGPU (wave.h).
//
// The lanes that take part in an exchange are those that come to it together. All lanes that have
// not ended must be at the same place, in the same iterations of all loops around it, or wait at a
// barrier of the block: else the run ends, of whose rest nothing is known.
#include "llvm/ADT/STLExtras.h"
#include "verify/kernel/emulator/machine.h"

namespace affirm::kernel {
namespace {

constexpr const char* kLanesApart =
    "the lanes of a wave exchange values at different places: which of them go on first is not "
    "modelled";
constexpr const char* kDifferentLanes =
    "lanes read from different ones, where all must read from one";

}  // namespace

// Whether two threads at one place are so in calls from the same places, and in the same iterations
// of all loops around these.
bool Machine::AreInOneRound(const Thread& a, const Thread& b) const {
  if (a.calls.size() != b.calls.size()) return false;
  auto are_alike = [&](uint32_t pc, uint32_t base_a, uint32_t base_b) {
    const auto found = program_.rounds.find(pc);
    return found == program_.rounds.end() || llvm::all_of(found->second, [&](uint32_t number) {
             return a.registers[base_a + number].bits == b.registers[base_b + number].bits;
           });
  };
  for (const auto& [of_a, of_b] : llvm::zip_equal(a.calls, b.calls)) {
    if (of_a.call != of_b.call || !are_alike(of_a.call, of_a.base, of_b.base)) return false;
  }
  return are_alike(a.pc, a.base, b.base);
}

bool Machine::WakeWave(int64_t first) {
  const int64_t count = std::min(program_.lanes, num_threads_ - first);
  std::vector<Thread*> group;
  for (Thread& thread : llvm::MutableArrayRef(threads_).slice(first, count)) {
    if (thread.state == Thread::kReady) return false;  // others have their turn
    if (thread.state == Thread::kDone || CodeOf(thread).op == Op::kBarrier) continue;
    const bool is_alike =
        group.empty() || (thread.pc == group[0]->pc && AreInOneRound(*group[0], thread));
    if (!is_alike || CodeOf(thread).op != Op::kExchange) {
      GiveUp(thread, CodeOf(thread), Claim::kBarriers, kLanesApart);
      return true;
    }
    group.push_back(&thread);
  }
  if (group.empty()) return false;
  Exchange(group, first, CodeOf(*group[0]));
  return true;
}

// The value that a lane gets; `lanes`: those that take part, by number.
Slot Machine::Received(llvm::ArrayRef<Thread*> lanes, int64_t lane, const WaveExchange& exchange,
                       const Code& code) {
  const Slot index = exchange.index ? ValueOf(*lanes[lane], code.b) : Slot{};
  const LaneSource source =
      SourceOf(exchange, lane, static_cast<uint32_t>(index.bits), program_.lanes);
  // A device gives some value, of which nothing is known: nothing is refuted by it.
  Slot got{0, MakeMark(kUnspecified | kFrozen | kOfFrozen, code.source)};
  if (source.from == LaneSource::From::kZero) {
    got = {};
  } else if (source.from == LaneSource::From::kOld) {
    if (exchange.old) got = ValueOf(*lanes[lane], code.c);
  } else if (lanes[source.lane] != nullptr) {
    got = ValueOf(*lanes[source.lane], code.a);
  }
  if (index.mark != 0) got.mark = Join(got.mark, index.mark);
  return got;
}

// Loads of these lanes have ended before they go on: nothing else is ordered.
void Machine::Exchange(llvm::ArrayRef<Thread*> group, int64_t first, const Code& code) {
  using Kind = WaveExchange::Kind;
  const WaveExchange& exchange = program_.exchanges[code.imm];
  std::vector<Thread*> lanes(program_.lanes, nullptr);
  for (Thread* thread : group) lanes[thread->index - first] = thread;
  Slot ballot;
  std::vector<Slot> results;
  for (Thread* thread : group) {
    const int64_t lane = thread->index - first;
    const Slot& value = ValueOf(*thread, code.a);
    switch (exchange.kind) {
      case Kind::kBallot:
        ballot.mark = Join(ballot.mark, value.mark);
        ballot.bits |= (value.bits & 1) << lane;
        break;
      case Kind::kFromFirst:
        results.push_back(ValueOf(*group[0], code.a));
        break;
      case Kind::kFromLane:
        if (ValueOf(*thread, code.b).bits != ValueOf(*group[0], code.b).bits)
          return GiveUp(*thread, code, Claim::kBarriers, kDifferentLanes);
        [[fallthrough]];
      default:
        results.push_back(Received(lanes, lane, exchange, code));
        break;
    }
  }
  if (exchange.kind == Kind::kBallot) results.assign(group.size(), ballot);
  OrderReads(group);
  for (auto [thread, result] : llvm::zip_equal(group, results)) {
    RegisterOf(*thread, code.dst) = result;
    thread->state = Thread::kReady;
    ++thread->pc;
  }
}

}  // namespace affirm::kernel
