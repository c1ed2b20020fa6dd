// Exchanges of values between lanes of an AMDGPU wave (wave.h).
//
// The active lanes of an exchange are those that reach it together. Every lane that has not ended
// must wait at the same call, in the same iterations of all loops around it, or at a barrier of the
// block, which means that it did not take the exchange's branch. Lanes that wait at two different
// exchanges are not supported, since the device's order is not modelled.
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/Constants.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"

namespace affirm::kernel {

using Claim = Obligation::Claim;

Term Lifter::Lane(int64_t lanes) {
  Term linear = pool_.Number(0);
  int64_t stride = 1;
  for (int d = 0; d < 3; ++d) {
    linear = pool_.Add(linear, pool_.Scale(RequireInteger(Identity(d, false)), stride));
    stride *= launch_.threads[d];
  }
  return scope_.Residue(linear, lanes);
}

// llvm.amdgcn.mbcnt.lo and .hi: an addend plus the number of lanes in the mask below this one.
Value Lifter::AddLanesBelow(const LiftFrame& frame, const llvm::CallBase& call) {
  constexpr int64_t kWidth = 32;
  if (lanes_ == 0) return Fail(call, kNoWave);
  const bool upper = call.getCalledFunction()->getName().ends_with(".hi");
  const Value base = Get(frame, call.getArgOperand(1));
  const Term named = RequireInteger(Get(frame, call.getArgOperand(0)));
  ObligeNoPoison(base);
  if (failed()) return {};
  if (!named->IsNumber()) return Fail(call, "a mask that is no number");
  const auto mask = static_cast<uint32_t>(named->number);
  const Term lane = Lane(lanes_);
  Term before = nullptr;
  if (lane->IsNumber()) {
    before =
        pool_.Number(llvm::popcount(mask & LanesBelow(static_cast<int64_t>(lane->number), upper)));
  } else if (mask != ~uint32_t{0}) {
    return Fail(call, "a mask of some lanes");
  } else if (upper) {
    before = scope_.Max(pool_.Subtract(lane, pool_.Number(kWidth)), pool_.Number(0));
  } else {
    before = scope_.Min(lane, pool_.Number(kWidth));
  }
  return Combined(
      {base},
      Value::Integer(terms::Congruent(pool_, pool_.Add(RequireInteger(base), before), kWidth)),
      call.getType());
}

// Executes an exchange that all its lanes have reached, and resumes them.
bool Lifter::ResumeWave(llvm::MutableArrayRef<LiftThread> lanes) {
  const LiftThread* first = nullptr;
  llvm::SmallVector<int, 64> group;
  for (size_t k = 0; k < lanes.size(); ++k) {
    LiftThread& lane = lanes[k];
    if (lane.ended || WaitsForBlock(lane)) continue;
    now_ = lane.waits;
    thread_ = &lane;
    if (!first) first = &lane;
    const llvm::Function* function = lane.waits->getCalledFunction();
    if (!function || !IsExchange(*function)) {
      Fail(*now_, "a barrier of this kind");
      return false;
    }
    if (!AtOnePlace(*first, lane) || !InOneRound(*first, lane)) {
      Fail(*now_, "lanes of a wave that exchange values at different places");
      return false;
    }
    group.push_back(static_cast<int>(k));
  }
  ExchangeInWave(lanes, group);
  return !failed();
}

// The index operand of a lane, which names the lane to read from.
std::optional<uint32_t> Lifter::IndexOf(LiftThread& lane, const WaveExchange& exchange) {
  if (!exchange.index) return 0;
  thread_ = &lane;
  const Term index =
      RequireInteger(Get(lane.frames.back(), lane.waits->getArgOperand(*exchange.index)));
  if (failed()) return std::nullopt;
  if (!index->IsNumber()) {
    Fail(*lane.waits, "an exchange with a lane that is no number");
    return std::nullopt;
  }
  return static_cast<uint32_t>(index->number);
}

void Lifter::ExchangeInWave(llvm::MutableArrayRef<LiftThread> lanes, llvm::ArrayRef<int> group) {
  using Kind = WaveExchange::Kind;
  const llvm::CallBase& call = *lanes[group[0]].waits;
  const auto exchange = FindExchange(call, lanes_);
  if (!exchange) {
    Fail(call, "an exchange of this form");
    return;
  }
  llvm::SmallVector<Value, 64> given(lanes.size()), results;
  for (int lane : group) {
    thread_ = &lanes[lane];
    given[lane] = Get(lanes[lane].frames.back(), call.getArgOperand(exchange->value));
  }
  if (exchange->kind == Kind::kBallot) {
    const Value all = Ballot(lanes, group);
    results.assign(group.size(), all);
  } else if (exchange->kind == Kind::kFromFirst) {
    results.assign(group.size(), given[group[0]]);
  }
  std::optional<uint32_t> common;  // the lane that all lanes read from
  for (int lane : group) {
    if (results.size() == group.size() || failed()) break;
    const auto index = IndexOf(lanes[lane], *exchange);
    if (!index) return;
    if (exchange->kind == Kind::kFromLane && common.value_or(*index) != *index) {
      Fail(call, "lanes that read from different ones");
      return;
    }
    common = index;
    const LaneSource source = SourceOf(*exchange, lane, *index, lanes_);
    if (source.from == LaneSource::From::kZero) {
      results.push_back(ConstantValue(llvm::Constant::getNullValue(call.getType())));
    } else if (source.from == LaneSource::From::kOld) {
      results.push_back(exchange->old
                            ? GetAny(lanes[lane].frames.back(), call.getArgOperand(*exchange->old))
                            : ArbitraryOf(call.getType()));
    } else {
      const bool takes_part = llvm::is_contained(group, source.lane);
      results.push_back(takes_part ? given[source.lane] : ArbitraryOf(call.getType()));
    }
  }
  if (failed()) return;
  for (size_t k = 0; k < group.size(); ++k) SetResult(lanes[group[k]], results[k]);
}

// llvm.amdgcn.ballot: the mask of the active lanes whose condition holds.
Value Lifter::Ballot(llvm::MutableArrayRef<LiftThread> lanes, llvm::ArrayRef<int> group) {
  const llvm::CallBase& call = *lanes[group[0]].waits;
  llvm::SmallVector<Value, 64> values;
  Term bits = pool_.Number(0);
  for (int lane : group) {
    thread_ = &lanes[lane];
    const Value value = Get(lanes[lane].frames.back(), call.getArgOperand(0));
    ObligeNoPoison(value);
    const Term condition = RequireCondition(value);
    if (failed()) return {};
    bits = pool_.Add(bits, pool_.Scale(BitAsInteger(condition), Int128{1} << lane));
    values.push_back(value);
  }
  const int64_t width = call.getType()->getIntegerBitWidth();
  return Combined(values, Value::Integer(terms::Congruent(pool_, bits, width)), call.getType());
}

}  // namespace affirm::kernel
