// The accesses to each element of a buffer: two accesses to one element, one of them a write, are a
// race unless something orders them, whatever the order in which the emulator ran them.
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_RACES_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_RACES_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "verify/kernel/emulator/vector_clock.h"

namespace affirm::kernel {

enum class AccessKind : uint8_t {
  kRead,
  kWrite,
  kAtomic,         // a store, or an update
  kAtomicOfBlock,  // with other threads of its block alone
  kAtomicRead,
  kAtomicReadOfBlock,
  // The plain load that begins a compare-and-swap loop, or says whether an atomic maximum or
  // minimum is needed: its value is checked by what follows.
  kExchangeRead,
};

inline bool IsRead(AccessKind kind) {
  return kind == AccessKind::kRead || kind == AccessKind::kAtomicRead ||
         kind == AccessKind::kAtomicReadOfBlock || kind == AccessKind::kExchangeRead;
}

// Events before an access beyond those of its Accessor; null: nothing.
struct KnownOrder {
  const VectorClock* known = nullptr;
  const VectorClock* known_reads = nullptr;  // the reads of others that it comes after
};

// A forbidden access, and the other accessor.
struct Conflict {
  enum Kind : uint8_t {
    kReadAfterWrite,
    kWriteAfterRead,
    kWriteAfterWrite,
    kWrittenTwice,  // in order, but by two threads
  };
  Kind kind;
  Accessor other;
};

class RaceShadow {
 public:
  // `granule` is a power of two: the bytes that have one record. `per_block`: the memory is another
  // in each block. `sparse`: records are made when they are needed, as few will be.
  RaceShadow(int64_t bytes, int granule, bool per_block, bool sparse = false);

  // Records an access of [offset, offset + width), which lie in the buffer. `same_value`: the
  // bytes written are those that are there; in memory of a block such writes do not conflict, and
  // an atomic operation that keeps them, as the compare-and-swap of a word around a narrow element
  // does with its neighbors, does not with reads.
  std::optional<Conflict> Record(int64_t offset, unsigned width, AccessKind kind,
                                 const Accessor& by, bool same_value, const KnownOrder& order = {});

  // The last writer of the byte; nullopt if there is none.
  std::optional<Accessor> LastWriter(int64_t offset) const;

  // A write: the bytes of one record, the writer, and whether it was atomic.
  struct Written {
    int64_t offset = 0, bytes = 0;
    Accessor by;
    bool atomic = false;
  };
  // All of it, in the order of the bytes.
  std::vector<Written> AllWritten() const;

 private:
  // Reads of one warp, or the last one, and one of another: a write by anyone conflicts with one of
  // them if it conflicts with any.
  struct Cell {
    Accessor write, read, other_read;
    uint32_t lane_moments = 0;  // of `lane`, before it read
    uint16_t lane = 0;          // of the warp of `read`, the thread that read before it in its step
    bool several_lanes = false;  // whether there is such a thread
    bool atomic_write : 1 = false;
    bool of_block : 1 = false;  // the atomic write is one within its block
    bool kept : 1 = false;      // all writes were atomic, and left what was there
    // Whether `read` and `other_read` are atomic, and within their block.
    bool atomic_read : 1 = false, read_of_block : 1 = false;
    bool atomic_other : 1 = false, other_of_block : 1 = false;
  };

  std::optional<Conflict> RecordCell(Cell& cell, AccessKind kind, const Accessor& by,
                                     bool same_value, const KnownOrder& order) const;
  static void RecordRead(Cell& cell, AccessKind kind, const Accessor& by);
  std::optional<Conflict> WithReads(const Cell& cell, AccessKind kind, const Accessor& by,
                                    const KnownOrder& order) const;
  bool Unordered(const Accessor& before, const Accessor& now, const KnownOrder& order) const;
  // The same of a read and a later write.
  bool MayMeet(const Accessor& read, const Accessor& write, const KnownOrder& order) const;

  static constexpr int64_t kCellsOfPage = 16;
  using Page = std::array<Cell, kCellsOfPage>;

  Cell& CellAt(int64_t number);
  const Cell* FindCell(int64_t number) const;

  int shift_;
  bool per_block_, sparse_;
  std::vector<Cell> cells_;
  std::map<int64_t, Page> pages_;  // in the place of `cells_` where it is sparse
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_RACES_H_
