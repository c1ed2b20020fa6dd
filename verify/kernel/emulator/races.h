// Who touched each element of a buffer: two accesses of one element, one of them a write, are a
// race unless something orders them, whatever the order in which the emulator ran them.
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_RACES_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_RACES_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace affirm::kernel {

inline constexpr int kWarpSize = 32;

// An access: by which thread, and between which synchronisations. Barriers of a block begin a new
// epoch (0: no access; epochs of different blocks differ), those of a warp a new step of it. What a
// warp loads before all of its lanes exchange values by a shuffle, it has loaded before it goes on:
// that orders reads before writes, and nothing else.
struct Accessor {
  uint32_t block = 0;
  uint16_t thread = 0;
  uint16_t warp_step = 0;
  uint32_t epoch = 0;
  uint32_t source = 0;    // the instruction
  uint32_t shuffles = 0;  // of the whole warp, before it

  bool SameThread(const Accessor& other) const {
    return block == other.block && thread == other.thread;
  }
  bool SameWarp(const Accessor& other) const {
    return block == other.block && thread / kWarpSize == other.thread / kWarpSize;
  }
};

enum class AccessKind : uint8_t {
  kRead,
  kWrite,
  kAtomic,
  kAtomicOfBlock,  // with other threads of its block alone
  // The plain load that begins a compare-and-swap loop, or says whether an atomic maximum or
  // minimum is needed: its value is checked by what follows.
  kExchangeRead,
};

// What an access does that it must not do, and with whom.
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
                                 const Accessor& by, bool same_value);

  // Who wrote the byte last; nullopt when nobody did.
  std::optional<Accessor> LastWriter(int64_t offset) const;

  // What was written: bytes of one record, by whom, and whether in an atomic operation.
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
    bool atomic_write = false;
    bool of_block = false;       // the atomic write is one within its block
    bool kept = false;           // all writes were atomic, and left what was there
    bool several_lanes = false;  // of the warp of `read` read in its step
  };

  std::optional<Conflict> RecordCell(Cell& cell, AccessKind kind, const Accessor& by,
                                     bool same_value) const;
  bool Unordered(const Accessor& before, const Accessor& now) const;
  // The same of a read and a later write.
  bool MayMeet(const Accessor& read, const Accessor& write) const;

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
