// Operations of the lanes of a warp together: shuffles, votes, synchronisation (matrices:
// machine_matrices.cc).
#include <algorithm>
#include <cmath>
#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "verify/kernel/emulator/float_ops.h"
#include "verify/kernel/emulator/machine.h"
#include "verify/kernel/lane_reduction.h"

namespace affirm::kernel {

namespace {

// Matrices are moved and multiplied by the whole warp (.aligned).
bool IsOfWholeWarp(Op op) {
  return op == Op::kLoadMatrix || op == Op::kStoreMatrix || op == Op::kMultiplyMatrices ||
         op == Op::kMultiplyShared;
}

constexpr const char* kOtherIterations =
    "the lanes of a warp come to an aligned instruction in different iterations of a loop";

}  // namespace

// Whether a lane waits for the same exchange: with the same qualifiers and the same mask, at
// whatever instruction; at the same one where the whole warp must be.
bool Machine::IsTogether(const Thread& thread, const Code& code, uint32_t pc,
                         const Slot& mask) const {
  if (thread.state != Thread::kWaiting) return false;
  const Code& other = program_.code[thread.pc];
  if (IsOfWholeWarp(code.op)) return thread.pc == pc;  // WakeWarp asks for the iterations
  return other.op == code.op && other.aux == code.aux && other.flags == code.flags &&
         ValueOf(thread, other.a).bits == mask.bits;
}

// PTX ISA 8.5, 9.7.9.6 "shfl.sync", 9.7.13.3 "vote.sync", 9.7.13.2 "bar.warp.sync", 9.7.13.5
// "redux.sync": lanes go on when all lanes that the mask names, that exist and have not ended, have
// come. What moves matrices is undefined where a lane has ended.
bool Machine::WakeWarp(int64_t warp) {
  const int64_t first = warp * kWarpSize;
  const int64_t last = std::min(first + kWarpSize, num_threads_);
  bool woke = false;
  for (int64_t k = first; k < last; ++k) {
    if (threads_[k].state != Thread::kWaiting) continue;
    const uint32_t pc = threads_[k].pc;
    const Code& code = program_.code[pc];
    if (code.op == Op::kBarrier) continue;
    const bool whole = IsOfWholeWarp(code.op);
    const Slot mask = whole ? Slot{0xffffffff, 0} : ValueOf(threads_[k], code.a);
    if (mask.mark != 0) {
      ReportMark(threads_[k], code, mask, "the mask of lanes", Claim::kBarriers);
      stopped = true;
      return true;
    }
    if ((mask.bits >> (k - first) & 1) == 0) {
      Report(threads_[k], code, Claim::kBarriers, "the lane is not in its own mask");
      stopped = true;
      return true;
    }
    std::vector<Thread*> lanes(kWarpSize, nullptr);
    bool complete = true;
    for (int64_t other = first; other < last && complete; ++other) {
      if ((mask.bits >> (other - first) & 1) == 0) continue;
      Thread& thread = threads_[other];
      if (thread.state == Thread::kDone && !whole) continue;
      complete = IsTogether(thread, code, pc, mask);
      if (complete && whole && !AreInOneRound(threads_[k], thread)) {
        GiveUp(thread, code, Claim::kBarriers, kOtherIterations);
        return true;
      }
      lanes[other - first] = &thread;
    }
    if (!complete) continue;
    CompleteWarp(lanes, pc);
    woke = true;
    if (stopped) return true;
  }
  return woke;
}

void Machine::CompleteWarp(const std::vector<Thread*>& lanes, uint32_t pc) {
  const Code& code = program_.code[pc];
  std::vector<Thread*> present;
  llvm::copy_if(lanes, std::back_inserter(present), [](Thread* lane) { return lane != nullptr; });
  const int64_t warp = present.front()->index / kWarpSize;
  const auto of_warp = llvm::ArrayRef(threads_).slice(
      warp * kWarpSize, std::min<int64_t>(num_threads_ - warp * kWarpSize, kWarpSize));
  const bool all = std::ssize(present) == llvm::count_if(of_warp, [](const Thread& thread) {
                     return thread.state != Thread::kDone;
                   });
  const bool exchanges =
      code.op == Op::kShuffle || code.op == Op::kVote || code.op == Op::kReduceLanes;
  if (exchanges && all) ++warps_[warp].shuffles;
  if (exchanges && !all) OrderReads(present);
  switch (code.op) {
    case Op::kWarpSync:
      if (all) {
        ++warps_[warp].warp_step;
        ShareClocks(present, {}, false);
      } else {
        Synchronize(present);
      }
      break;
    case Op::kShuffle:
      Shuffle(lanes, code);
      break;
    case Op::kVote:
      Vote(lanes, code);
      break;
    case Op::kReduceLanes:
      ReduceLanes(lanes, code);
      break;
    case Op::kLoadMatrix:
      LoadMatrix(lanes, code);
      break;
    case Op::kMultiplyMatrices:
      MultiplyMatrices(lanes, code);
      break;
    case Op::kMultiplyShared:
      MultiplyShared(lanes, code);
      break;
    default:
      StoreMatrix(lanes, code);
      break;
  }
  for (Thread* lane : present) {
    lane->state = Thread::kReady;
    ++lane->pc;
  }
}

// PTX ISA, "shfl.sync". Each lane has its own instruction.
void Machine::Shuffle(const std::vector<Thread*>& lanes, const Code& code) {
  std::vector<std::pair<Slot, Slot>> results(kWarpSize);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (lanes[lane] == nullptr) continue;
    const Code& own = CodeOf(*lanes[lane]);
    const Slot distance = ValueOf(*lanes[lane], program_.lists[own.imm]);
    const Slot clamp = ValueOf(*lanes[lane], program_.lists[own.imm + 1]);
    const int segment_mask = static_cast<int>(clamp.bits >> 8 & 0x1f);
    const int limit = static_cast<int>(clamp.bits & 0x1f);
    const int by = static_cast<int>(distance.bits & 0x1f);
    const int most = (lane & segment_mask) | (limit & ~segment_mask);
    const int least = lane & segment_mask;
    int from = lane;
    bool inside = false;
    switch (static_cast<ShuffleMode>(code.aux)) {
      case ShuffleMode::kUp:
        from = lane - by;
        inside = from >= most;
        break;
      case ShuffleMode::kDown:
        from = lane + by;
        inside = from <= most;
        break;
      case ShuffleMode::kButterfly:
        from = lane ^ by;
        inside = from <= most;
        break;
      case ShuffleMode::kIndex:
        from = least | (by & ~segment_mask);
        inside = from <= most;
        break;
    }
    if (!inside) from = lane;
    Slot value = Unspecified(code);
    if (from >= 0 && from < kWarpSize && lanes[from] != nullptr) {
      value = ValueOf(*lanes[from], CodeOf(*lanes[from]).b);
    }
    if (distance.mark != 0 || clamp.mark != 0) {
      value.mark = Join(value.mark, Join(distance.mark, clamp.mark));
    }
    results[lane] = {value, {inside, 0}};
  }
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (lanes[lane] == nullptr) continue;
    const uint32_t to = CodeOf(*lanes[lane]).dst;
    RegisterOf(*lanes[lane], to) = results[lane].first;
    if (code.flags & kWithPredicate) RegisterOf(*lanes[lane], to + 1) = results[lane].second;
  }
}

void Machine::Vote(const std::vector<Thread*>& lanes, const Code& code) {
  uint64_t ballot = 0, present = 0;
  Mark mark = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (lanes[lane] == nullptr) continue;
    const Slot& value = ValueOf(*lanes[lane], CodeOf(*lanes[lane]).b);
    mark = Join(mark, value.mark);
    present |= uint64_t{1} << lane;
    ballot |= (value.bits & 1) << lane;
  }
  uint64_t result = ballot;
  switch (static_cast<VoteMode>(code.aux)) {
    case VoteMode::kAll:
      result = ballot == present;
      break;
    case VoteMode::kAny:
      result = ballot != 0;
      break;
    case VoteMode::kUniform:
      result = ballot == present || ballot == 0;
      break;
    case VoteMode::kBallot:
      break;
  }
  for (Thread* lane : lanes) {
    if (lane != nullptr) RegisterOf(*lane, CodeOf(*lane).dst) = {result, mark};
  }
}

// PTX ISA, "redux.sync": of the lanes that the mask names and that exist.
void Machine::ReduceLanes(const std::vector<Thread*>& lanes, const Code& code) {
  using Kind = LaneReduction::Kind;
  const auto kind = static_cast<Kind>(code.aux);
  auto of_floats = [](FloatFunction function, uint32_t a, uint32_t b) {
    return static_cast<uint32_t>(Compute(function, kFloat, a, b));
  };
  auto combine = [&](uint32_t a, uint32_t b) -> uint32_t {
    const auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
    switch (kind) {
      case Kind::kAdd:
        return a + b;
      case Kind::kMin:
        return x < y ? a : b;
      case Kind::kMax:
        return x < y ? b : a;
      case Kind::kUMin:
        return std::min(a, b);
      case Kind::kUMax:
        return std::max(a, b);
      case Kind::kAnd:
        return a & b;
      case Kind::kOr:
        return a | b;
      case Kind::kXor:
        return a ^ b;
      case Kind::kMinimum:
        return of_floats(FloatFunction::kMinimum, a, b);
      case Kind::kMaximum:
        return of_floats(FloatFunction::kMaximum, a, b);
      case Kind::kMinimumNumber:
        return of_floats(FloatFunction::kMinimumNum, a, b);
      case Kind::kMaximumNumber:
        return of_floats(FloatFunction::kMaximumNum, a, b);
    }
    llvm_unreachable("a reduction of lanes");
  };
  std::optional<uint32_t> result;
  Mark mark = 0;
  for (Thread* lane : lanes) {
    if (lane == nullptr) continue;
    const Slot& value = ValueOf(*lane, CodeOf(*lane).b);
    mark = Join(mark, value.mark);
    constexpr uint32_t kSign = uint32_t{1} << 31;
    const auto bits = static_cast<uint32_t>(value.bits) & ~(code.width != 0 ? kSign : 0);
    result = result ? combine(*result, bits) : bits;
  }
  // The canonical NaN of PTX.
  const bool is_float = LaneReduction{kind}.OfFloats();
  if (is_float && std::isnan(AsFloat(*result))) result = 0x7fffffff;
  for (Thread* lane : lanes) {
    if (lane != nullptr) RegisterOf(*lane, CodeOf(*lane).dst) = {*result, mark};
  }
}

}  // namespace affirm::kernel
