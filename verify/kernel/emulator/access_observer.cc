// Counts by marking: sectors and words are put into sets, one byte after the other.
#include "verify/kernel/emulator/access_observer.h"

#include <set>

namespace affirm::kernel {

void AccessCounter::Observe(const ObservedAccess& access) {
  if (access.block != block_) Finish();
  block_ = access.block;
  const Key key = {access.line, access.is_shared};
  const auto number = static_cast<size_t>(executed_[{key, access.thread}]++);
  Accesses& accesses = of_warps_[{key, access.thread / model_.lanes}];
  if (accesses.size() <= number) accesses.resize(number + 1);
  accesses[number].push_back(access);
}

void AccessCounter::Finish() {
  for (const auto& [where, accesses] : of_warps_) {
    for (const std::vector<ObservedAccess>& lanes : accesses) {
      Count(counts_[where.first], lanes, where.first.second);
    }
  }
  of_warps_.clear();
  executed_.clear();
}

void AccessCounter::Count(AccessCount& count, const std::vector<ObservedAccess>& lanes,
                          bool is_shared) const {
  using Place = std::pair<uint64_t, int64_t>;  // of a region
  std::set<Place> bytes, sectors;
  std::map<int64_t, std::map<int64_t, std::set<Place>>> words;  // by group of lanes and bank
  for (const ObservedAccess& lane : lanes) {
    const int64_t group = lane.thread % model_.lanes / model_.LanesAtOnce(lane.bytes);
    for (int64_t at = lane.offset; at < lane.offset + lane.bytes; ++at) {
      bytes.insert({lane.region, at});
      sectors.insert({lane.region, at / model_.sector_bytes});
      const int64_t word = at / model_.bank_bytes;
      words[group][word % model_.banks].insert({lane.region, word});
    }
  }
  ++count.accesses;
  for (const Place& byte : bytes) {
    const bool is_last = byte == *bytes.rbegin();
    const bool has_next = bytes.count({byte.first, byte.second + 1}) > 0;
    if (!is_last && !has_next) count.is_contiguous = false;
  }
  if (is_shared) {
    int64_t wavefronts = 0;
    for (const auto& [group, banks] : words) {
      size_t most = 0;
      for (const auto& [bank, in_bank] : banks) most = std::max(most, in_bank.size());
      wavefronts += static_cast<int64_t>(most);
    }
    count.wavefronts += wavefronts;
    count.ideal_wavefronts += static_cast<int64_t>(words.size());
    count.max_wavefronts = std::max(count.max_wavefronts, wavefronts);
    return;
  }
  const auto size = static_cast<int64_t>(bytes.size()),
             touched = static_cast<int64_t>(sectors.size());
  count.sectors += touched;
  count.ideal_sectors += (size + model_.sector_bytes - 1) / model_.sector_bytes;
  count.max_sectors = std::max(count.max_sectors, touched);
}

std::map<AccessCounter::Key, AccessCount> AccessCounter::Counts() {
  Finish();
  return counts_;
}

}  // namespace affirm::kernel
