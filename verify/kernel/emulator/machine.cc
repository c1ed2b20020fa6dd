// Regions, blocks, turns of threads, and what is reported.
#include "verify/kernel/emulator/machine.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "llvm/ADT/STLExtras.h"

namespace affirm::kernel {
namespace {

// 0 .. count-1, shuffled under a seed other than 0.
std::vector<int64_t> Order(int64_t count, uint64_t seed) {
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  for (size_t i = seed == 0 ? 0 : order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random() % i]);
  }
  return order;
}

bool Waits(Op op) {
  switch (op) {
    case Op::kBarrier:
    case Op::kWarpSync:
    case Op::kShuffle:
    case Op::kVote:
    case Op::kReduceLanes:
    case Op::kExchange:
    case Op::kLoadMatrix:
    case Op::kStoreMatrix:
    case Op::kMultiplyMatrices:
    case Op::kMultiplyShared:
      return true;
    default:
      return false;
  }
}

std::array<int64_t, 3> Split(int64_t linear, const std::array<int64_t, 3>& sizes) {
  return {linear % sizes[0], linear / sizes[0] % sizes[1], linear / sizes[0] / sizes[1]};
}

}  // namespace

Machine::Machine(const Program& program, const Launch& launch, const EmulatorOptions& options)
    : program_(program), launch_(launch), options_(options), num_threads_(launch.NumThreads()) {
  constants_ = program.constants;
  if (options.unspecified != EmulatorOptions::Unspecified::kZeros) {
    other_constants_ = program.constants;
    for (Slot& slot : other_constants_) {
      if (IsUnspecified(slot.mark) && HoldsOnes(options)) slot.bits ^= 1;  // which every width has
    }
    other_constants_.resize(other_constants_.size() + kUses);
    constants_ = other_constants_;
  }
  waits_ = program.may_spin ||
           llvm::any_of(program.code, [](const Code& code) { return Waits(code.op); });
}

void Machine::Attach(llvm::ArrayRef<DeviceMemory> memories) {
  regions_.resize(kFirstRegion + memories.size());
  regions_[0].kind = Region::kNone;
  regions_[kLocalRegion].kind = Region::kLocal;
  regions_[kLocalRegion].name = "local memory";
  regions_[kLocalRegion].writable = true;
  const int granule = static_cast<int>(program_.narrowest_access);
  for (auto [k, param] : llvm::enumerate(launch_.params)) {
    Region& region = regions_[kFirstRegion + param.memory];
    const bool first = region.param < 0;
    if (first) {
      region.kind = Region::kGlobal;
      region.param = static_cast<int64_t>(k);
      region.size = param.bytes;
      region.element_bytes = std::max(hlo::ByteWidth(param.shape.type), 1);
      region.packed =
          param.shape.type != hlo::PrimitiveType::kPred && hlo::BitWidth(param.shape.type) < 8;
      region.data = memories[param.memory].data;
      region.sparse = memories[param.memory].sparse;
      region.allocated = memories[param.memory].allocated;
      region.argument = launch_.ArgumentOf(k);
    }
    region.base = std::max(region.base, program_.alignments[launch_.ArgumentOf(k)]);
    region.name += (first ? "parameter " : " and ") + std::to_string(launch_.PlaceOf(k)) +
                   (param.name.empty() ? "" : " (" + param.name + ")");
    if (param.role == Param::kInput || param.starts_as) region.in_place = true;
    if (param.role == Param::kOutput) region.writable = true;
  }
  for (auto [k, region] :
       llvm::enumerate(llvm::MutableArrayRef(regions_).drop_front(kFirstRegion))) {
    if (!region.writable || region.kind != Region::kGlobal) continue;
    region.marks = memories[k].marks;
    if (!options_.races) continue;
    shadows_.push_back(
        std::make_shared<RaceShadow>(region.allocated, granule, false, region.sparse != nullptr));
    region.shadow = shadows_.back().get();
  }
  variable_data_.resize(program_.variables.size());
  variable_marks_.resize(program_.variables.size());
  for (auto [k, variable] : llvm::enumerate(program_.variables)) {
    regions_.resize(std::max<size_t>(regions_.size(), RegionOf(variable.address) + 1));
    Region& region = regions_[RegionOf(variable.address)];
    variable_data_[k] = variable.initial;
    variable_marks_[k] = variable.unspecified;
    if (variable.dynamic) {
      variable_data_[k].assign(launch_.shared_bytes, 0);
      variable_marks_[k].assign(launch_.shared_bytes, 1);
    }
    if (HoldsOnes(options_)) {
      for (auto [byte, mark] : llvm::zip(variable_data_[k], variable_marks_[k]))
        if (mark != kByteSpecified) byte = kOtherByte;
    }
    region.kind = variable.shared ? Region::kShared : Region::kConstant;
    region.writable = variable.writable;
    region.in_place = true;  // no result
    region.name = (variable.shared     ? "shared memory @"
                   : variable.writable ? "the variable @"
                                       : "the constant @") +
                  variable.name;
    region.size = region.allocated = static_cast<int64_t>(variable_data_[k].size());
    region.element_bytes = variable.element_bytes;
    region.base = variable.alignment;
    region.data = variable_data_[k].data();
    region.marks = variable_marks_[k].empty() ? nullptr : variable_marks_[k].data();
    if (!variable.writable || !options_.races) continue;
    shadows_.push_back(std::make_shared<RaceShadow>(region.size, granule, variable.shared));
    region.shadow = shadows_.back().get();
  }
  TellArgumentsApart();
}

// Arguments that lead to one memory get a region each, with the same bytes, where something is
// promised of them.
void Machine::TellArgumentsApart() {
  argument_regions_.assign(program_.noalias.size(), 0);
  for (size_t k = 0; k < launch_.params.size(); ++k) {
    const uint64_t memory = kFirstRegion + static_cast<uint64_t>(launch_.params[k].memory);
    const int64_t argument = launch_.ArgumentOf(k);
    uint64_t& own = argument_regions_[argument];
    if (own != 0) continue;
    own = memory;
    if (regions_[memory].shadow == nullptr) continue;  // no thread writes there, or reads
    if (regions_[memory].argument != argument) {
      own = regions_.size();
      regions_.push_back(Region(regions_[memory]));
      regions_[own].argument = argument;
    }
    if (own == memory && !program_.has_invariant_loads) continue;
    if (regions_[memory].aliases == nullptr) {
      aliases_.push_back(std::make_unique<AliasShadow>());
      regions_[memory].aliases = aliases_.back().get();
    }
    regions_[own].aliases = regions_[memory].aliases;
  }
}

std::vector<std::shared_ptr<const RaceShadow>> Machine::ShadowsOfMemories(size_t count) const {
  std::vector<std::shared_ptr<const RaceShadow>> shadows(count);
  for (size_t k = 0; k < count; ++k) {
    for (const auto& shadow : shadows_) {
      if (shadow.get() == regions_[kFirstRegion + k].shadow) shadows[k] = shadow;
    }
  }
  return shadows;
}

void Machine::Run() {
  std::vector<int64_t> blocks =
      options_.blocks.empty() ? Order(launch_.NumBlocks(), options_.seed) : options_.blocks;
  warps_.resize(num_threads_ / kWarpSize + 1);
  threads_.resize(waits_ ? num_threads_ : 1);
  for (int64_t block : blocks) {
    RunBlock(block);
    if (stopped) return;
    ++blocks_done;
    if (options_.most_codes_is_a_budget && codes > options_.most_codes) {
      stopped = blocks_done < std::ssize(blocks);
      return;
    }
  }
}

void Machine::StartThread(Thread& thread, int64_t index) {
  const Function& kernel = program_.functions[0];
  thread.state = Thread::kReady;
  thread.index = index;
  thread.id = Split(index, launch_.threads);
  thread.pc = kernel.entry;
  thread.base = 0;
  thread.num_registers = kernel.registers;
  thread.jumps_back = 0;
  thread.local_top = 0;
  thread.calls.clear();
  thread.groups.clear();
  thread.copies.clear();
  thread.product_groups.clear();
  thread.reads.clear();
  thread.started_reads = 0;
  thread.group_steps = 0;
  thread.last_step = 0;
  thread.moments = 0;
  thread.known = thread.known_reads = nullptr;
  thread.fenced = thread.fenced_block = nullptr;
  thread.loop = nullptr;
  thread.spins = false;
  if (thread.registers.size() < kernel.registers) thread.registers.resize(kernel.registers);
  for (size_t k = 0; k < launch_.params.size(); ++k) {
    const int64_t argument = launch_.ArgumentOf(k);
    thread.registers[kernel.parameters[argument]] = {AddressOf(argument_regions_[argument]), 0};
  }
  for (const auto& [argument, value] : program_.scalars)
    thread.registers[kernel.parameters[argument]] = value;
}

void Machine::RunBlock(int64_t block) {
  block_ = block;
  block_id_ = Split(block, launch_.grid);
  ++epoch_;
  for (Accessor& warp : warps_) warp.warp_step = 0, warp.shuffles = 0;
  barriers_.fill({});
  for (auto [k, variable] : llvm::enumerate(program_.variables)) {
    if (!variable.shared) continue;
    llvm::fill(variable_marks_[k], 1);
    const uint64_t region = RegionOf(variable.address);
    released_.erase(released_.lower_bound(region << kRegionShift),
                    released_.lower_bound((region + 1) << kRegionShift));
  }
  const uint64_t seed = options_.seed == 0 ? 0 : options_.seed + static_cast<uint64_t>(block) + 1;
  if (!waits_) {
    if (seed == 0) {
      for (int64_t k = 0; k < num_threads_ && !stopped; ++k) {
        StartThread(threads_[0], k);
        RunThread(threads_[0]);
        CheckOpenCopies(threads_[0]);
      }
      return;
    }
    for (int64_t k : Order(num_threads_, seed)) {
      StartThread(threads_[0], k);
      RunThread(threads_[0]);
      CheckOpenCopies(threads_[0]);
      if (stopped) return;
    }
    return;
  }
  for (int64_t k = 0; k < num_threads_; ++k) StartThread(threads_[k], k);
  std::vector<int64_t> order = Order(num_threads_, seed);
  while (true) {
    bool waiting = false, ready = false;  // ready: in a loop, and others have their turn
    bool goes_on = false;
    const int64_t changes = changes_;
    for (int64_t k : order) {
      Thread& thread = threads_[k];
      const bool ran = thread.state == Thread::kReady;
      if (ran) RunThread(thread);
      if (stopped) return;
      waiting |= thread.state == Thread::kWaiting;
      ready |= thread.state == Thread::kReady;
      goes_on |= ran && !(thread.state == Thread::kReady && thread.spins);
    }
    if (!waiting && !ready) {
      CheckGroups();
      for (Thread& thread : threads_) CheckOpenCopies(thread);
      return;
    }
    const bool woke = waiting && WakeSome();
    if (stopped) return;
    if (ready && !goes_on && !woke && changes == changes_) return ReportSpin();
    ready |= woke;
    if (!ready) {
      ReportHang();
      return;
    }
  }
}

bool Machine::WakeSome() {
  bool woke = false;
  for (int64_t first = 0; first < num_threads_; first += LanesOfWarp()) {
    woke |= program_.lanes == 0 ? WakeWarp(first / kWarpSize) : WakeWave(first);
    if (stopped) return true;
  }
  return woke || (!stopped && WakeBarriers());
}

void Machine::ReportHang() {
  // The first thread that waits, and the first that does not wait there too.
  const Thread* waiting = nullptr;
  for (const Thread& thread : threads_) {
    if (thread.state != Thread::kWaiting) continue;
    if (waiting == nullptr) waiting = &thread;
  }
  std::string what = "waits for ever";
  for (const Thread& thread : threads_) {
    if (thread.state == Thread::kWaiting && thread.pc == waiting->pc) continue;
    const Code& code = program_.code[waiting->pc];
    if (code.op != Op::kBarrier && thread.index / LanesOfWarp() != waiting->index / LanesOfWarp())
      continue;
    what += ": thread " + std::to_string(thread.index) +
            (thread.state == Thread::kDone
                 ? " has ended"
                 : " waits at line " +
                       std::to_string(program_.sources[program_.code[thread.pc].source].line));
    break;
  }
  Report(*waiting, program_.code[waiting->pc], Claim::kBarriers, what);
  stopped = true;
}

uint64_t Machine::SpecialRegisterOf(const Thread& thread, kernel::SpecialRegister which) const {
  const auto number = static_cast<int>(which);
  const int axis = number % 3;
  int64_t value = 0;
  switch (number / 3) {
    case 0:
      value = thread.id[axis];
      break;
    case 1:
      value = block_id_[axis];
      break;
    case 2:
      value = launch_.threads[axis];
      break;
    case 3:
      value = launch_.grid[axis];
      break;
    default:
      if (program_.lanes != 0) {
        return LanesBelow(thread.index % program_.lanes,
                          which == kernel::SpecialRegister::kLanesBelowUpper);
      }
      value = which == kernel::SpecialRegister::kLane ? thread.index % kWarpSize : kWarpSize;
      break;
  }
  return static_cast<uint64_t>(value);
}

Finding Machine::FindingAt(const Thread& thread, const Code& code, Claim claim,
                           std::string what) const {
  Finding finding;
  finding.claim = claim;
  finding.what = std::move(what);
  finding.block = block_;
  finding.thread = thread.index;
  finding.block_index = block_id_;
  finding.thread_index = thread.id;
  const Source& source = program_.sources[code.source];
  finding.line = source.line;
  finding.instruction = source.text;
  return finding;
}

void Machine::PlaceIn(Finding& finding, const Region& region, int64_t offset) const {
  finding.buffer = region.name;
  finding.param = region.kind == Region::kGlobal ? region.param : -1;
  // A result that shares its memory with an operand is the one that is written.
  for (auto [k, param] : llvm::enumerate(launch_.params)) {
    const bool same = region.kind == Region::kGlobal && region.param >= 0 &&
                      param.memory == launch_.params[region.param].memory;
    if (same && param.role == Param::kOutput) finding.param = static_cast<int64_t>(k);
  }
  finding.byte = offset;
  finding.element = offset >= 0 ? offset / region.element_bytes
                                : -((-offset + region.element_bytes - 1) / region.element_bytes);
}

void Machine::GiveUp(const Thread& thread, const Code& code, Claim claim, std::string what) {
  Finding finding = FindingAt(thread, code, claim, std::move(what));
  finding.kind = Finding::Kind::kNotModelled;
  findings.push_back(std::move(finding));
  stopped = true;
}

void Machine::Report(Finding finding) {
  const auto line = static_cast<uint32_t>(finding.line);
  const std::pair<Claim, uint32_t> key(finding.claim, line);
  if (line != 0 && llvm::is_contained(reported_, key)) return;
  reported_.push_back(key);
  findings.push_back(std::move(finding));
  if (findings.size() >= options_.most_findings) stopped = true;
}

void Machine::ReportMark(const Thread& thread, const Code& code, Slot value,
                         const std::string& where, Claim claim_of_unspecified) {
  const Mark mark = value.mark;
  if (IsOfFrozen(mark)) {
    return GiveUp(thread, code, claim_of_unspecified,
                  where +
                      " depends on a frozen value, or on a lane that takes no part, which may "
                      "be any, or may cancel");
  }
  const int64_t origin = OriginOf(mark);
  std::string from;
  if (origin > 0 && origin < static_cast<int64_t>(program_.sources.size())) {
    const Source& source = program_.sources[origin];
    from = ", from line " + std::to_string(source.line) + ": " + source.text;
  }
  const bool poison = IsPoison(mark);
  Finding finding = FindingAt(thread, code, poison ? Claim::kIntegers : claim_of_unspecified,
                              where + (poison ? " is poison" : " is not specified") + from);
  if (!poison) finding.unspecified = value.bits;
  Report(std::move(finding));
}

void Machine::ReportCondition(const Thread& thread, const Code& code, Slot value,
                              const std::string& where) {
  if (!IsFrozen(value.mark)) return ReportMark(thread, code, value, where, Claim::kValues);
  GiveUp(thread, code, Claim::kValues, where + " is frozen, and may be either");
}

std::string Machine::Describe(const Accessor& accessor) const {
  return "thread " + std::to_string(accessor.thread) + " of block " +
         std::to_string(accessor.block) + " at line " +
         std::to_string(program_.sources[accessor.source].line);
}

}  // namespace affirm::kernel
