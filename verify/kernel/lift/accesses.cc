// Counts sectors and wavefronts by intervals of bytes, sorted.
#include "verify/kernel/lift/accesses.h"

#include <algorithm>
#include <map>
#include <set>

#include "llvm/ADT/STLExtras.h"
#include "verify/kernel/lift/access_bounds.h"
#include "verify/kernel/lift/lane_bytes.h"

namespace affirm::kernel {
namespace {

using terms::Int128;
using terms::Term;

// The wavefronts of lanes that are served together. A bank serves one word per wavefront, so the
// bank with the most distinct words decides.
int64_t WavefrontsOf(llvm::ArrayRef<LaneBytes> lanes, const WarpModel& model) {
  std::map<int64_t, std::vector<std::pair<int64_t, int64_t>>> words;  // by bank
  for (const LaneBytes& lane : lanes) {
    const int64_t last = (lane.first + lane.bytes - 1) / model.bank_bytes;
    for (int64_t word = lane.first / model.bank_bytes; word <= last; ++word) {
      words[word % model.banks].push_back({lane.memory, word});
    }
  }
  size_t most = 0;
  for (auto& [bank, in_bank] : words) {
    llvm::sort(in_bank);
    in_bank.erase(std::unique(in_bank.begin(), in_bank.end()), in_bank.end());
    most = std::max(most, in_bank.size());
  }
  return static_cast<int64_t>(most);
}

void AddWarpAccess(AccessCount& count, std::vector<LaneBytes> lanes, bool is_shared,
                   const WarpModel& model) {
  ++count.accesses;
  if (is_shared) {
    std::map<int64_t, std::vector<LaneBytes>> groups;
    for (const LaneBytes& lane : lanes) {
      groups[lane.lane / model.LanesAtOnce(lane.bytes)].push_back(lane);
    }
    int64_t wavefronts = 0;
    for (const auto& [number, group] : groups) wavefronts += WavefrontsOf(group, model);
    count.wavefronts += wavefronts;
    count.ideal_wavefronts += static_cast<int64_t>(groups.size());
    count.max_wavefronts = std::max(count.max_wavefronts, wavefronts);
  }
  llvm::sort(lanes, IsBefore);
  for (size_t i = 1; i < lanes.size(); ++i) {
    // The end of all earlier lanes: bytes between it and this lane are a gap.
    int64_t end = 0;
    for (size_t j = 0; j < i; ++j) end = std::max(end, lanes[j].first + lanes[j].bytes);
    const bool follows = lanes[i].memory == lanes[i - 1].memory && lanes[i].first <= end;
    count.is_contiguous = count.is_contiguous && follows;
  }
  if (is_shared) return;
  const int64_t sectors = UnitsTouched(lanes, model.sector_bytes), bytes = UnitsTouched(lanes, 1);
  count.sectors += sectors;
  count.ideal_sectors += (bytes + model.sector_bytes - 1) / model.sector_bytes;
  count.max_sectors = std::max(count.max_sectors, sectors);
}

class TermCounter {
 public:
  TermCounter(const LiftedKernel& lifted, const Launch& launch, const WarpModel& model)
      : lifted_(lifted), launch_(launch), model_(model) {
    for (const LiftedCase& one : lifted.cases) {
      for (const MemoryAccess& access : one.accesses) Meet(access);
    }
  }

  AccessCounts Count(int64_t most) {
    AccessCounts out;
    int64_t spent = 0;
    for (auto& [key, counted] : counted_) {
      if (!counted.unknown.empty() && !unbounded_.count(key)) counted.bounds.emplace();
    }
    for (; out.blocks < launch_.NumBlocks() && spent < most; ++out.blocks) {
      CountBlock(out.blocks, spent);
    }
    for (auto& [key, counted] : counted_) out.instructions.push_back(std::move(counted));
    return out;
  }

 private:
  using Key = std::pair<int, bool>;  // as AccessCounter has it

  static Key KeyOf(const MemoryAccess& access) { return {access.line, access.is_shared}; }

  void Meet(const MemoryAccess& access) {
    CountedAccess& counted = counted_[KeyOf(access)];
    counted.line = access.line;
    counted.is_shared = access.is_shared;
    counted.is_write = access.is_write;
    counted.buffer = access.buffer;
    counted.bytes = std::max(counted.bytes, access.bytes);
    if (access.is_swap) {
      counted.unknown = "how often a compare-and-swap fails depends on the other threads";
    } else if (!parts_.IsOfPlace(access.offset)) {
      counted.unknown = "the address depends on data";
    } else if (!parts_.IsOfPlace(access.guard)) {
      counted.unknown = "whether it is executed depends on data";
    }
    const bool bounded = !access.is_swap && !access.is_shared &&
                         parts_.IsOfPlaceAndData(access.offset) &&
                         parts_.IsOfPlaceAndData(access.guard);
    if (!bounded) unbounded_.insert(KeyOf(access));
  }

  // The value of a term for a thread of the block.
  Int128 At(Term term, int64_t thread) {
    return terms::Evaluate(term, [&](Term variable) -> Int128 {
      const int dimension = variable->name.back() - 'x';
      const bool is_block = variable->name.starts_with("bl_");
      const auto& sizes = is_block ? launch_.grid : launch_.threads;
      int64_t n = is_block ? block_ : thread;
      for (int d = 0; d < dimension; ++d) n /= sizes[d];
      return n % sizes[dimension];
    });
  }

  void CountBlock(int64_t block, int64_t& spent) {
    block_ = block;
    for (const LiftedCase& one : lifted_.cases) {
      // A fact that depends on data does not exclude the case.
      auto holds = [&](Term fact) { return !parts_.IsOfPlace(fact) || At(fact, 0) != 0; };
      if (!llvm::all_of(one.facts, holds)) continue;
      std::map<Key, std::map<int64_t, std::vector<LaneBytes>>> by_thread;
      std::map<Key, std::map<int64_t, std::vector<DependentLane>>> dependent;
      for (const MemoryAccess& access : one.accesses) {
        const bool is_counted = counted_[KeyOf(access)].unknown.empty();
        if (!is_counted && unbounded_.count(KeyOf(access))) continue;
        const int64_t threads = launch_.NumThreads();
        const int64_t from = std::max<int64_t>(access.thread, 0);
        const int64_t end = access.thread < 0 ? threads : access.thread + 1;
        for (int64_t thread = from; thread < end; ++thread, ++spent) {
          if (!is_counted) {
            AddDependent(access, thread, one, dependent[KeyOf(access)][thread]);
            continue;
          }
          if (At(access.guard, thread) == 0) continue;
          by_thread[KeyOf(access)][thread].push_back(
              {thread % model_.lanes, access.memory,
               static_cast<int64_t>(At(access.offset, thread)), access.bytes});
        }
      }
      for (const auto& [key, threads] : by_thread) CountWarps(key, threads);
      for (const auto& [key, threads] : dependent) BoundWarps(counted_[key], threads);
    }
  }

  void AddDependent(const MemoryAccess& access, int64_t thread, const LiftedCase& one,
                    std::vector<DependentLane>& executed) {
    auto lane = parts_.LaneOf(access, [&](Term part) { return At(part, thread); });
    if (!lane) return;
    lane->bytes.lane = thread % model_.lanes;
    lane->bytes.memory = access.memory;
    // In a case that data decides, no access is certain.
    const bool certain = llvm::all_of(one.facts, [&](Term f) { return parts_.IsOfPlace(f); });
    if (!certain && lane->condition == 0) lane->condition = -1;
    executed.push_back(*lane);
  }

  void BoundWarps(CountedAccess& counted,
                  const std::map<int64_t, std::vector<DependentLane>>& threads) {
    int64_t bytes = 0;
    for (const Param& param : launch_.params) {
      if (param.memory == launch_.params[counted.buffer].memory)
        bytes = std::max(bytes, param.bytes);
    }
    std::map<int64_t, std::vector<std::vector<DependentLane>>> warps;
    for (const auto& [thread, executed] : threads) warps[thread / model_.lanes].push_back(executed);
    for (const auto& [warp, executed] : warps) {
      counted.bounds->Add(
          BoundsOfWarp(executed, (bytes + model_.sector_bytes - 1) / model_.sector_bytes, model_));
    }
  }

  void CountWarps(Key key, const std::map<int64_t, std::vector<LaneBytes>>& threads) {
    std::map<std::pair<int64_t, size_t>, std::vector<LaneBytes>> accesses;  // by warp and number
    for (const auto& [thread, executed] : threads) {
      for (size_t k = 0; k < executed.size(); ++k) {
        accesses[{thread / model_.lanes, k}].push_back(executed[k]);
      }
    }
    for (const auto& [where, lanes] : accesses) {
      AddWarpAccess(counted_[key].count, lanes, key.second, model_);
    }
  }

  const LiftedKernel& lifted_;
  const Launch& launch_;
  const WarpModel& model_;
  DataParts parts_;
  std::map<Key, CountedAccess> counted_;
  std::set<Key> unbounded_;  // instructions without bounds
  int64_t block_ = 0;
};

}  // namespace

AccessCounts CountAccesses(const LiftedKernel& lifted, const Launch& launch, const WarpModel& model,
                           int64_t most) {
  return TermCounter(lifted, launch, model).Count(most);
}

}  // namespace affirm::kernel
