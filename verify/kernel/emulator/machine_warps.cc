// What the lanes of a warp do together: shuffles, votes, synchronisation, matrices.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "verify/kernel/emulator/machine.h"

namespace affirm::kernel {

// Lanes that wait at one instruction with one mask go on when all lanes that the mask names and
// that exist wait there.
bool Machine::WakeWarp(int64_t warp) {
  const int64_t first = warp * kWarpSize;
  const int64_t last = std::min(first + kWarpSize, num_threads_);
  bool woke = false;
  for (int64_t k = first; k < last; ++k) {
    if (threads_[k].state != Thread::kWaiting) continue;
    const uint32_t pc = threads_[k].pc;
    const Code& code = program_.code[pc];
    if (code.op == Op::kBarrier) continue;
    const bool whole = code.op == Op::kLoadMatrix || code.op == Op::kStoreMatrix ||
                       code.op == Op::kMultiplyMatrices;
    const Slot mask_of = whole ? Slot{0xffffffff, 0} : ValueOf(threads_[k], code.a);
    if (mask_of.mark != 0) {
      ReportMark(threads_[k], code, mask_of.mark, "the mask of lanes", Claim::kBarriers);
      stopped = true;
      return true;
    }
    if ((mask_of.bits >> (k - first) & 1) == 0) {
      Report(threads_[k], code, Claim::kBarriers, "the lane is not in its own mask");
      stopped = true;
      return true;
    }
    std::vector<Thread*> lanes(kWarpSize, nullptr);
    bool complete = true;
    for (int64_t other = first; other < last && complete; ++other) {
      if ((mask_of.bits >> (other - first) & 1) == 0) continue;
      Thread& thread = threads_[other];
      complete = thread.state == Thread::kWaiting && thread.pc == pc &&
                 (whole || ValueOf(thread, code.a).bits == mask_of.bits);
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
  int64_t count = 0, warp = 0;
  for (const Thread* lane : lanes) {
    if (lane == nullptr) continue;
    ++count;
    warp = lane->index / kWarpSize;
  }
  const bool all = count == std::min<int64_t>(num_threads_ - warp * kWarpSize, kWarpSize);
  const bool exchanges =
      code.op == Op::kShuffle || code.op == Op::kVote || code.op == Op::kReduceLanes;
  if (all && exchanges) ++warps_[warp].shuffles;
  switch (code.op) {
    case Op::kWarpSync:
      if (all) ++warps_[warp].warp_step;
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
    default:
      StoreMatrix(lanes, code);
      break;
  }
  for (Thread* lane : lanes) {
    if (lane == nullptr) continue;
    lane->state = Thread::kReady;
    lane->pc = pc + 1;
  }
}

// PTX ISA, "shfl.sync".
void Machine::Shuffle(const std::vector<Thread*>& lanes, const Code& code) {
  std::vector<std::pair<Slot, Slot>> results(kWarpSize);
  const Operand distance_operand = program_.lists[code.imm];
  const Operand clamp_operand = program_.lists[code.imm + 1];
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (lanes[lane] == nullptr) continue;
    const Slot distance = ValueOf(*lanes[lane], distance_operand);
    const Slot clamp = ValueOf(*lanes[lane], clamp_operand);
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
    Slot value{0, MakeMark(kUnspecified, code.source)};
    if (from >= 0 && from < kWarpSize && lanes[from] != nullptr) {
      value = ValueOf(*lanes[from], code.b);
    }
    if (distance.mark != 0 || clamp.mark != 0) {
      value.mark = Join(value.mark, Join(distance.mark, clamp.mark));
    }
    results[lane] = {value, {inside, 0}};
  }
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (lanes[lane] == nullptr) continue;
    RegisterOf(*lanes[lane], code.dst) = results[lane].first;
    if (code.flags & kWithPredicate) RegisterOf(*lanes[lane], code.dst + 1) = results[lane].second;
  }
}

void Machine::Vote(const std::vector<Thread*>& lanes, const Code& code) {
  uint64_t ballot = 0, present = 0;
  Mark mark = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (lanes[lane] == nullptr) continue;
    const Slot& value = ValueOf(*lanes[lane], code.b);
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
    if (lane != nullptr) RegisterOf(*lane, code.dst) = {result, mark};
  }
}

// PTX ISA, "redux.sync": of the lanes that the mask names and that exist.
void Machine::ReduceLanes(const std::vector<Thread*>& lanes, const Code& code) {
  auto combine = [&](uint32_t a, uint32_t b) -> uint32_t {
    const auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
    switch (static_cast<LaneReduction>(code.aux)) {
      case LaneReduction::kAdd:
        return a + b;
      case LaneReduction::kMin:
        return x < y ? a : b;
      case LaneReduction::kMax:
        return x < y ? b : a;
      case LaneReduction::kUMin:
        return std::min(a, b);
      case LaneReduction::kUMax:
        return std::max(a, b);
      case LaneReduction::kAnd:
        return a & b;
      case LaneReduction::kOr:
        return a | b;
      case LaneReduction::kXor:
        return a ^ b;
    }
    llvm_unreachable("a reduction of lanes");
  };
  std::optional<uint32_t> result;
  Mark mark = 0;
  for (Thread* lane : lanes) {
    if (lane == nullptr) continue;
    const Slot& value = ValueOf(*lane, code.b);
    mark = Join(mark, value.mark);
    const auto bits = static_cast<uint32_t>(value.bits);
    result = result ? combine(*result, bits) : bits;
  }
  for (Thread* lane : lanes) {
    if (lane != nullptr) RegisterOf(*lane, code.dst) = {*result, mark};
  }
}

// PTX ISA, "ldmatrix": row r of matrix m is the 16 bytes at the address of lane 8 m + r; lane l
// gets the two elements of row l / 4 at columns 2 (l mod 4) and the next; of the transposed
// matrix with .trans. Lanes that do not exist give no address.
void Machine::LoadMatrix(const std::vector<Thread*>& lanes, const Code& code) {
  for (uint32_t matrix = 0; matrix < code.c; ++matrix) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (lanes[lane] == nullptr) continue;
      Slot value{0, MakeMark(kUnspecified, code.source)};
      auto row = [&](int64_t number) { return lanes[int64_t{8} * matrix + number]; };
      const int64_t at = lane / 4, pair = lane % 4;
      if ((code.flags & kTransposed) == 0) {
        if (Thread* owner = row(at)) {
          value = Load(*lanes[lane], code, ValueOf(*owner, code.a), 4 * pair, 4, 0);
        }
      } else if (row(2 * pair) != nullptr && row(2 * pair + 1) != nullptr) {
        Slot low = Load(*lanes[lane], code, ValueOf(*row(2 * pair), code.a), 2 * at, 2, 0);
        Slot high = Load(*lanes[lane], code, ValueOf(*row(2 * pair + 1), code.a), 2 * at, 2, 0);
        value = {low.bits | high.bits << 16, Join(low.mark, high.mark)};
      }
      RegisterOf(*lanes[lane], code.dst + matrix) = value;
      if (stopped) return;
    }
  }
}

void Machine::StoreMatrix(const std::vector<Thread*>& lanes, const Code& code) {
  for (uint32_t matrix = 0; matrix < code.c; ++matrix) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (lanes[lane] == nullptr) continue;
      const Slot value = ValueOf(*lanes[lane], program_.lists[code.imm + matrix]);
      auto row = [&](int64_t number) { return lanes[int64_t{8} * matrix + number]; };
      const int64_t at = lane / 4, pair = lane % 4;
      const Slot low{value.bits & 0xffff, Join(value.mark, 0)};
      const Slot high{value.bits >> 16, Join(value.mark, 0)};
      const bool transposed = (code.flags & kTransposed) != 0;
      Thread* first = transposed ? row(2 * pair) : row(at);
      Thread* second = transposed ? row(2 * pair + 1) : first;
      const int64_t place = transposed ? 2 * at : 4 * pair;
      if (first != nullptr) {
        Store(*lanes[lane], code, ValueOf(*first, code.a), place, 2, 0, low);
      }
      if (second != nullptr) {
        Store(*lanes[lane], code, ValueOf(*second, code.a), transposed ? place : place + 2, 2, 0,
              high);
      }
      if (stopped) return;
    }
  }
}

// PTX ISA, "mma.sync" of m16n8k*: with n elements in a register, element j of register r of A in
// lane l is that of row l / 4 + 8 (r mod 2) and column 4 n (r / 2) + n (l mod 4) + j; of B it is
// that of row 4 n r + n (l mod 4) + j and column l / 4. Register r of C and D is that of row l / 4
// + 8 (r / 2) and column 2 (l mod 4) + r mod 2.
void Machine::MultiplyMatrices(const std::vector<Thread*>& lanes, const Code& code) {
  const int64_t k = code.c, per_register = 32 / code.width, of_b = k / (4 * per_register);
  auto element_of = [&](int lane, int64_t in_list, int64_t j, bool is_signed) {
    Slot slot{0, MakeMark(kUnspecified, code.source)};
    if (lanes[lane] == nullptr) return std::pair<int64_t, Mark>(0, slot.mark);
    slot = ValueOf(*lanes[lane], program_.lists[code.imm + in_list]);
    const auto bits =
        static_cast<int64_t>(slot.bits >> (j * code.width)) & ((int64_t{1} << code.width) - 1);
    const bool negative = is_signed && (bits >> (code.width - 1)) != 0;
    return std::pair(negative ? bits - (int64_t{1} << code.width) : bits, slot.mark);
  };
  std::vector<std::array<Slot, 4>> results(kWarpSize);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    for (int64_t r = 0; r < 4; ++r) {
      const int64_t row = lane / 4 + 8 * (r / 2), column = int64_t{2} * (lane % 4) + r % 2;
      Slot added{0, MakeMark(kUnspecified, code.source)};
      if (lanes[lane] != nullptr)
        added = ValueOf(*lanes[lane], program_.lists[code.imm + 3 * of_b + r]);
      int64_t sum = static_cast<int32_t>(added.bits);
      Mark mark = added.mark;
      for (int64_t at = 0; at < k; ++at) {
        const int64_t part = at / (4 * per_register);
        const int64_t inside = at % (4 * per_register) / per_register, j = at % per_register;
        const auto [a, of_a] = element_of(static_cast<int>(4 * (row % 8) + inside),
                                          2 * part + row / 8, j, code.flags & kSigned);
        const auto [b, of_column] = element_of(static_cast<int>(4 * column + inside),
                                               2 * of_b + part, j, code.flags & kSignedB);
        sum += a * b;
        if (of_a != 0 || of_column != 0) mark = Join(mark, Join(of_a, of_column));
      }
      if (code.flags & kSaturating)
        sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                                  std::numeric_limits<int32_t>::max());
      results[lane][r] = {static_cast<uint32_t>(sum), mark};
    }
  }
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (lanes[lane] == nullptr) continue;
    for (uint32_t r = 0; r < 4; ++r) RegisterOf(*lanes[lane], code.dst + r) = results[lane][r];
  }
}

}  // namespace affirm::kernel
