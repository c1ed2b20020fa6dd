// How a kernel's loads and stores use memory: sectors of global memory, banks of shared memory.
//
// An *access* is one instruction executed once by a warp. Each of its lanes touches `bytes` from an
// address on: 4 for a float, 16 for a vector of four. The k-th time that a lane executes the
// instruction belongs to the k-th access, so that lanes that skip an iteration lag behind.
//   32 lanes, 16 bytes each, one behind the other: 16 sectors of 32 bytes, and not fewer would do
#ifndef AFFIRM_VERIFY_KERNEL_ACCESS_COUNT_H_
#define AFFIRM_VERIFY_KERNEL_ACCESS_COUNT_H_

#include <algorithm>
#include <cstdint>

namespace affirm::kernel {

// The unit of memory accesses. Shared memory has banks of 4 bytes, side by side; in one *wavefront*
// each bank gives one word, to any number of lanes. The lanes of a wavefront together take at most
// one word of each bank: 32 lanes of 4 bytes or less, 16 of 8, 8 of 16.
struct WarpModel {
  int64_t lanes = 32;
  int64_t sector_bytes = 32;
  int64_t banks = 32, bank_bytes = 4;

  // The lanes of a wavefront if each lane touches `bytes` bytes.
  int64_t LanesAtOnce(int64_t bytes) const {
    return std::clamp<int64_t>(banks * bank_bytes / std::max<int64_t>(bytes, 1), 1, lanes);
  }
};

// The accesses of one instruction, summed. Global memory counts sectors and has no wavefronts,
// shared memory the other way around.
struct AccessCount {
  int64_t accesses = 0;
  int64_t sectors = 0, ideal_sectors = 0;        // ideal: as many bytes, packed and aligned
  int64_t wavefronts = 0, ideal_wavefronts = 0;  // ideal: no two words in one bank
  int64_t max_sectors = 0, max_wavefronts = 0;   // of a single access
  bool is_contiguous = true;  // in each access no byte lies between two that are touched

  int64_t BankConflicts() const { return wavefronts - ideal_wavefronts; }
  friend bool operator==(const AccessCount&, const AccessCount&) = default;
};

// Bounds on the accesses of one instruction of global memory, summed, if addresses or conditions
// depend on data: no data exceed them. The bounds need not be reached.
struct AccessBounds {
  int64_t least_accesses = 0, most_accesses = 0;
  int64_t least_sectors = 0, most_sectors = 0;
  int64_t max_sectors = 0;  // that no single access exceeds

  void Add(const AccessBounds& other) {
    least_accesses += other.least_accesses;
    most_accesses += other.most_accesses;
    least_sectors += other.least_sectors;
    most_sectors += other.most_sectors;
    max_sectors = std::max(max_sectors, other.max_sectors);
  }
  // Whether they hold of what was counted in a run.
  bool Contain(const AccessCount& count) const {
    return least_accesses <= count.accesses && count.accesses <= most_accesses &&
           least_sectors <= count.sectors && count.sectors <= most_sectors &&
           count.max_sectors <= max_sectors;
  }
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_ACCESS_COUNT_H_
