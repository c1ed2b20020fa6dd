// Runs the threads of a block from one synchronization point to the next.
#include <algorithm>

#include "verify/kernel/lane_reduction.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"

namespace affirm::kernel {

namespace {

using Claim = Obligation::Claim;
constexpr const char* kTogether = "all threads come to the barrier";
constexpr const char* kLanesCome = "all lanes of the mask come to the same place";

constexpr const char* kFenced = "fences order memory at the barrier";

enum class Wait : uint8_t {
  kNone,
  kBlock,
  kWarp,
  kShuffle,
  kReduce,
  kMoveMatrices,
  kMultiplyMatrices,
  kOfWave,
  kUnknown
};

Wait WaitOf(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return Wait::kMultiplyMatrices;
  llvm::StringRef name = call.getCalledFunction()->getName();
  bool whole_block = name == "llvm.nvvm.barrier.cta.sync.aligned.all" ||
                     name == "llvm.nvvm.barrier.cta.sync.all" || name == "llvm.nvvm.barrier0" ||
                     name == "llvm.amdgcn.s.barrier";
  if (whole_block) {
    const auto* id =
        call.arg_size() == 0 ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
    return call.arg_size() == 0 || (id && id->isZero()) ? Wait::kBlock : Wait::kUnknown;
  }
  if (IsExchange(*call.getCalledFunction())) return Wait::kOfWave;
  if (name == "llvm.nvvm.bar.warp.sync") return Wait::kWarp;
  if (name.starts_with("llvm.nvvm.shfl.sync.")) return Wait::kShuffle;
  if (name.starts_with("llvm.nvvm.redux.sync.")) return Wait::kReduce;
  bool plain = name.contains(".m8n8.x") && name.contains(".b16");
  if (name.starts_with("llvm.nvvm.ldmatrix.sync.aligned") && plain) return Wait::kMoveMatrices;
  if (name.starts_with("llvm.nvvm.stmatrix.sync.aligned") && plain) return Wait::kMoveMatrices;
  return Wait::kUnknown;
}

// The reduction of two lanes' values; nullopt for values of another type.
std::optional<Value> ReducedLanes(terms::Scope& scope, LaneReduction::Kind kind, const Value& a,
                                  const Value& b) {
  terms::Pool& pool = scope.pool();
  using Kind = LaneReduction::Kind;
  constexpr int64_t kWidth = 32;
  const auto float_a = a.As<Value::Data>(), float_b = b.As<Value::Data>();
  if (LaneReduction{kind}.OfFloats()) {
    if (!float_a || !float_b) return std::nullopt;
    const terms::Op operation = kind == Kind::kMinimum         ? terms::Op::kMinimum
                                : kind == Kind::kMaximum       ? terms::Op::kMaximum
                                : kind == Kind::kMinimumNumber ? terms::Op::kMinimumNumber
                                                               : terms::Op::kMaximumNumber;
    return Value::Data(
        pool.Apply(operation, hlo::PrimitiveType::kF32, {float_a->term, float_b->term}));
  }
  const auto integer_a = a.As<Value::Integer>(), integer_b = b.As<Value::Integer>();
  if (!integer_a || !integer_b) return std::nullopt;
  const Term x = integer_a->term, y = integer_b->term;
  auto with_signs = [&](Term t) { return terms::Signed(scope, t, kWidth); };
  auto without = [&](Term t) { return terms::Unsigned(scope, t, kWidth); };
  switch (kind) {
    case Kind::kAdd:
      return Value::Integer(terms::Congruent(pool, pool.Add(x, y), kWidth));
    case Kind::kAnd:
      return Value::Integer(terms::And(scope, x, y, kWidth));
    case Kind::kOr:
      return Value::Integer(terms::Or(scope, x, y, kWidth));
    case Kind::kXor:
      return Value::Integer(terms::Xor(scope, x, y, kWidth));
    case Kind::kMax:
      return Value::Integer(scope.Max(with_signs(x), with_signs(y)));
    case Kind::kMin:
      return Value::Integer(scope.Min(with_signs(x), with_signs(y)));
    case Kind::kUMax:
      return Value::Integer(scope.Max(without(x), without(y)));
    case Kind::kUMin:
      return Value::Integer(scope.Min(without(x), without(y)));
    default:
      return std::nullopt;
  }
}

}  // namespace

bool AtOnePlace(const LiftThread& a, const LiftThread& b) {
  if (a.waits != b.waits || a.frames.size() != b.frames.size()) return false;
  for (size_t k = 0; k < a.frames.size(); ++k) {
    if (a.frames[k].call != b.frames[k].call) return false;
  }
  return true;
}

bool InOneRound(const LiftThread& a, const LiftThread& b) {
  for (size_t k = 0; k < a.frames.size(); ++k) {
    const WaveLoops& loops = a.frames[k].function->wave_loops;
    if (!loops.is_reducible()) return false;
    for (const llvm::BasicBlock* header : loops.Around(a.frames[k].block)) {
      if (a.frames[k].rounds.lookup(header) != b.frames[k].rounds.lookup(header)) return false;
    }
  }
  return true;
}

bool WaitsForBlock(const LiftThread& thread) {
  return thread.waits && WaitOf(*thread.waits) == Wait::kBlock;
}

void Lifter::SetResult(LiftThread& thread, const Value& value) {
  LiftFrame& frame = thread.frames.back();
  now_ = thread.waits;
  thread_ = &thread;
  SetRegister(thread, *thread.waits, value);
  ++frame.at;
  thread.waits = nullptr;
}

bool Lifter::RunBlock() {
  if (lanes_ == 0) {
    Fail(ir_.kernel->front().front(), kNoWave);
    return false;
  }
  shared_.clear();
  accesses_of_block_ = SharedAccesses();
  guards_.clear();
  depth_of_merges_ = 0;
  std::vector<LiftThread> threads;
  threads.reserve(launch_.NumThreads());
  for (int64_t n = 0; n < launch_.NumThreads(); ++n) threads.push_back(NewThread(n));
  while (true) {
    llvm::MutableArrayRef<LiftThread> all = threads;
    for (size_t first = 0; first < threads.size(); first += static_cast<size_t>(lanes_)) {
      size_t count = std::min(static_cast<size_t>(lanes_), threads.size() - first);
      if (!RunWarp(all.slice(first, count))) return false;
    }
    bool ended = llvm::all_of(threads, [](const LiftThread& t) { return t.ended; });
    if (ended) {
      CheckGroups(threads);
      for (LiftThread& thread : threads) CheckOpenCopies(thread);
      return !failed();
    }
    if (!Releases(all)) return false;
  }
}

// Called when all threads that have not ended wait at a barrier of the block. A barrier counts
// warps, at whatever instruction they wait; the lanes of one warp must wait at the same one (PTX
// ISA 8.5, 9.7.13.1, ".aligned"). It neither waits for ended threads nor orders their accesses.
bool Lifter::Releases(llvm::MutableArrayRef<LiftThread> threads) {
  LiftThread* first = llvm::find_if(threads, [](const LiftThread& t) { return !t.ended; });
  const auto lanes = static_cast<size_t>(lanes_);
  now_ = first->waits;
  thread_ = first;
  // Waves may come to barriers at different places.
  if (IsOfAmdgpu(ir_)) {
    const bool all =
        llvm::all_of(threads, [](const LiftThread& t) { return t.ended || IsFenced(*t.waits); });
    all ? Met(Claim::kRaces, kFenced)
        : void(Unproved(Claim::kRaces, kFenced, "s.barrier alone orders execution, not memory"));
  }
  bool together = true;
  for (size_t n = 0; n < threads.size(); ++n) {
    LiftThread& thread = threads[n];
    const LiftThread& lane = threads[n / lanes * lanes];
    if (!thread.ended && !lane.ended && AtOnePlace(thread, lane)) {
      const bool is_aligned = IsAligned(*thread.waits);
      if (&thread == &lane || !is_aligned || InOneRound(thread, lane)) continue;
    }
    if (together) {
      thread_ = &thread;
      Unproved(Claim::kBarriers, kTogether,
               thread.ended || lane.ended
                   ? "a thread has ended"
                   : "the lanes of a warp wait at different places, or in different iterations");
    }
    together = false;
  }
  if (together) Met(Claim::kBarriers, kTogether);
  for (LiftThread& thread : threads) {
    if (thread.ended) continue;
    ++thread.phase;
    thread.warp_phase = 0;
    SetResult(thread, {});
  }
  return true;
}

// Runs the lanes until each has ended or waits at a barrier of the block.
bool Lifter::RunWarp(llvm::MutableArrayRef<LiftThread> lanes) {
  while (true) {
    for (LiftThread& lane : lanes) {
      if (lane.ended || lane.waits) continue;
      Outcome outcome = Run(lane, 0, nullptr, false);
      if (outcome == Outcome::kFailed || failed()) return false;
      if (outcome == Outcome::kDead) lane.ended = true;
    }
    bool exchange =
        llvm::any_of(lanes, [](const LiftThread& t) { return t.waits && !WaitsForBlock(t); });
    if (!exchange) return true;
    if (!(IsOfAmdgpu(ir_) ? ResumeWave(lanes) : ResumeGroup(lanes))) return false;
  }
}

// The mask of the lanes that a lane waits for: the whole warp for matrix instructions, else the
// mask operand.
std::optional<uint32_t> Lifter::MaskOf(const LiftThread& lane) {
  Wait wait = WaitOf(*lane.waits);
  if (wait != Wait::kWarp && wait != Wait::kShuffle && wait != Wait::kReduce) return 0xffffffff;
  const llvm::Value* mask = lane.waits->getArgOperand(wait == Wait::kReduce ? 1 : 0);
  Term named = RequireInteger(Get(lane.frames.back(), mask));
  if (failed()) return std::nullopt;
  if (!named->IsNumber()) {
    Fail(*lane.waits, "a mask that is no number");
    return std::nullopt;
  }
  return static_cast<uint32_t>(named->number);
}

// Resumes a group of lanes that wait for each other: one that is complete, or else the first, with
// an unproved obligation.
bool Lifter::ResumeGroup(llvm::MutableArrayRef<LiftThread> lanes) {
  llvm::SmallVector<int, 32> first;
  llvm::SmallVector<bool, 32> seen(lanes.size(), false);
  for (size_t l = 0; l < lanes.size(); ++l) {
    if (seen[l] || !lanes[l].waits || WaitOf(*lanes[l].waits) == Wait::kBlock) continue;
    now_ = lanes[l].waits;
    thread_ = &lanes[l];
    Wait wait = WaitOf(*lanes[l].waits);
    if (wait == Wait::kUnknown || wait == Wait::kOfWave) {
      Fail(*now_, "a barrier of this kind");
      return false;
    }
    std::optional<uint32_t> mask = MaskOf(lanes[l]);
    if (!mask) return false;
    // The lanes that wait at the same place with the same mask.
    llvm::SmallVector<int, 32> group;
    for (size_t m = l; m < lanes.size(); ++m) {
      if (!lanes[m].waits || !AtOnePlace(lanes[l], lanes[m])) continue;
      if (IsAligned(*lanes[l].waits) && !InOneRound(lanes[l], lanes[m])) continue;
      auto other = MaskOf(lanes[m]);
      if (!other) return false;
      if (*other != *mask) continue;
      group.push_back(static_cast<int>(m));
      seen[m] = true;
    }
    // Lanes that have ended are not waited for, but where the whole warp is needed (PTX ISA 8.5,
    // 9.7.9.6 "shfl.sync", 9.7.14 "ldmatrix").
    const bool whole = wait == Wait::kMoveMatrices || wait == Wait::kMultiplyMatrices;
    bool all = true;
    for (size_t m = 0; m < lanes.size(); ++m) {
      if ((*mask >> m & 1) == 0 || (lanes[m].ended && !whole)) continue;
      all = all && llvm::is_contained(group, static_cast<int>(m));
    }
    // Each executing lane must be in the mask.
    for (int m : group) all = all && (*mask >> m & 1) != 0;
    if (all) {
      for (size_t k = 0; k < group.size(); ++k) Met(Claim::kBarriers, kLanesCome);
      Exchange(lanes, group);
      return !failed();
    }
    if (first.empty()) first = group;
  }
  now_ = lanes[first[0]].waits;
  thread_ = &lanes[first[0]];
  Unproved(Claim::kBarriers, kLanesCome, "a lane is missing, or was not named");
  Exchange(lanes, first);
  return !failed();
}

void Lifter::Exchange(llvm::MutableArrayRef<LiftThread> lanes, llvm::ArrayRef<int> group) {
  switch (WaitOf(*lanes[group[0]].waits)) {
    case Wait::kWarp: {
      // It orders the accesses of its lanes. It is counted only if these are the whole warp.
      bool all = group.size() == lanes.size();
      for (int l : group) {
        if (all) ++lanes[l].warp_phase;
        SetResult(lanes[l], {});
      }
      return;
    }
    case Wait::kShuffle:
      Shuffle(lanes, group);
      return;
    case Wait::kReduce:
      ReduceLanes(lanes, group);
      return;
    case Wait::kMultiplyMatrices:
      MultiplyMatrices(lanes, group);
      return;
    default:
      MoveMatrices(lanes, group);
  }
}

// PTX ISA, "shfl.sync": finds each lane's source lane; beyond the clamp, a lane keeps its value.
void Lifter::Shuffle(llvm::MutableArrayRef<LiftThread> lanes, llvm::ArrayRef<int> group) {
  const llvm::CallBase& call = *lanes[group[0]].waits;
  llvm::StringRef mode = call.getCalledFunction()->getName();
  mode.consume_front("llvm.nvvm.shfl.sync.");
  llvm::Type* type = call.getArgOperand(1)->getType();
  llvm::SmallVector<Value, 32> given(lanes.size());
  for (int l : group) given[l] = Get(lanes[l].frames.back(), call.getArgOperand(1));
  llvm::SmallVector<Value, 32> results;
  for (int lane : group) {
    const LiftFrame& frame = lanes[lane].frames.back();
    Term by = RequireInteger(Get(frame, call.getArgOperand(2))),
         limit = RequireInteger(Get(frame, call.getArgOperand(3)));
    if (failed()) return;
    if (!by->IsNumber() || !limit->IsNumber()) {
      Fail(call, "a shuffle by what is no number");
      return;
    }
    int distance = static_cast<int>(by->number & 31), clamp = static_cast<int>(limit->number & 31),
        segment = static_cast<int>(limit->number >> 8 & 31);
    int lowest = lane & segment, highest = lowest | (clamp & ~segment), from;
    bool inside;
    if (mode.starts_with("up.")) {
      from = lane - distance;
      inside = from >= highest;
    } else if (mode.starts_with("down.")) {
      from = lane + distance;
      inside = from <= highest;
    } else if (mode.starts_with("bfly.")) {
      from = lane ^ distance;
      inside = from <= highest;
    } else {
      from = lowest | (distance & ~segment);
      inside = from <= highest;
    }
    if (!inside) from = lane;
    bool comes = llvm::is_contained(group, from);
    Value value = comes ? given[from] : ArbitraryOf(type);
    bool with_predicate = call.getType()->isStructTy();
    if (with_predicate)
      value = ListOf({value, Value(Value::Condition(inside ? pool_.True() : pool_.False()))});
    results.push_back(value);
  }
  for (size_t k = 0; k < group.size(); ++k) SetResult(lanes[group[k]], results[k]);
}

// PTX ISA, "redux.sync": each lane gets the reduction over the group.
void Lifter::ReduceLanes(llvm::MutableArrayRef<LiftThread> lanes, llvm::ArrayRef<int> group) {
  const llvm::CallBase& call = *lanes[group[0]].waits;
  const std::optional<LaneReduction> reduction = ReductionOf(call);
  const auto* math = llvm::dyn_cast<llvm::FPMathOperator>(&call);
  if (!reduction || (math && math->getFastMathFlags().any())) {
    Fail(call, "a reduction of lanes of this kind");
    return;
  }
  std::optional<Value> all;
  for (int lane : group) {
    Value value = Get(lanes[lane].frames.back(), call.getArgOperand(0));
    if (failed()) return;
    ObligeNoPoison(value);
    if (const auto data = value.As<Value::Data>(); data && reduction->of_magnitudes)
      value = Value::Data(pool_.Apply(terms::Op::kAbs, data->term->type, {data->term}));
    const auto next = all ? ReducedLanes(scope_, reduction->kind, *all, value) : value;
    if (!next) {
      Fail(call, "a reduction of lanes of this type");
      return;
    }
    all = all ? Combined({*all, value}, *next, call.getType()) : next;
  }
  if (reduction->OfFloats()) changed_nans_.NoteValue(call, *all);
  for (int lane : group) SetResult(lanes[lane], *all);
}

}  // namespace affirm::kernel
