// Memory with constant addresses: shared memory of a block, and allocas of a thread.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_BYTE_MEMORY_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_BYTE_MEMORY_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Type.h"
#include "verify/kernel/lift/value.h"

namespace affirm::kernel {

// A stored scalar.
struct Cell {
  int64_t offset = 0, size = 0;
  llvm::Type* type = nullptr;
  Value value;
  friend bool operator==(const Cell& a, const Cell& b) {
    return a.offset == b.offset && a.size == b.size && a.type == b.type && a.value == b.value;
  }
};

class ByteMemory {
 public:
  explicit ByteMemory(int64_t bytes, int64_t alignment = 1)
      : alignment_(alignment), owner_(bytes, -1) {}
  int64_t bytes() const { return static_cast<int64_t>(owner_.size()); }
  int64_t alignment() const { return alignment_; }
  // Whether it may be accessed: false outside of its lifetime.
  bool is_alive() const { return is_alive_; }
  void End() { is_alive_ = false; }

  // Stores a cell. The rest of an older cell that it overlaps becomes unknown.
  void Store(const Cell& cell);
  // The cells that overlap the bytes, in order; empty if some byte belongs to none.
  llvm::SmallVector<Cell, 4> At(int64_t offset, int64_t size) const;
  const llvm::DenseMap<int64_t, Cell>& cells() const { return cells_; }
  void Erase(int64_t offset);
  friend bool operator==(const ByteMemory& a, const ByteMemory& b) {
    return a.alignment_ == b.alignment_ && a.is_alive_ == b.is_alive_ && a.owner_ == b.owner_ &&
           a.cells_ == b.cells_;
  }

 private:
  int64_t alignment_;
  bool is_alive_ = true;
  std::vector<int32_t> owner_;  // for each byte, the offset of its cell; -1: none
  llvm::DenseMap<int64_t, Cell> cells_;
};

// The allocas of one thread, by number. Copy-on-write, since both sides of a branch have a copy.
class LocalMemories {
 public:
  // Adds an alloca and returns its number.
  uint32_t Add(ByteMemory memory);
  // The number of the next alloca.
  uint32_t next() const { return next_; }
  // Null for an alloca of a function that has returned.
  const ByteMemory* Find(uint32_t number) const;
  ByteMemory* FindToChange(uint32_t number);
  // Whether a cell of some alloca is so.
  bool AnyCell(llvm::function_ref<bool(const Cell&)> is_so) const;
  // Whether the allocas below a number are equal in both.
  static bool SameBelow(uint32_t number, const LocalMemories& a, const LocalMemories& b);
  // Ends the allocas from a number on, when their function returns.
  void EndFrom(uint32_t number);
  // Join: merges allocas that differ, and keeps equal ones and those in one of the two alone.
  static LocalMemories Merged(
      const LocalMemories& a, const LocalMemories& b,
      llvm::function_ref<ByteMemory(const ByteMemory&, const ByteMemory&)> merge);

 private:
  using Numbered = std::pair<uint32_t, std::shared_ptr<ByteMemory>>;
  const Numbered* At(uint32_t number) const;
  std::vector<Numbered> memories_;  // by number
  uint32_t next_ = 0;
};

// A point in the execution of a thread. Barriers of the block and of its warp order threads.
struct Moment {
  int32_t thread = 0;
  uint32_t phase = 0;       // barriers of the block
  uint32_t warp_phase = 0;  // barriers of the warp
  int64_t step = 0;         // instructions of the thread
  int32_t warp() const { return thread / 32; }
};

// Fences between the proxies by which threads and asynchronous products access shared memory.
//
// A product that reads what a thread wrote needs a fence on the way from one to the other: by the
// writer after the write, or by the reader after the barrier (PTX ISA 8.5, 8.9.4 "Causality
// order", proxy-preserved base causality order).
class ProxyFences {
 public:
  // Records a fence. Those of one thread come in the order of its steps.
  void Note(const Moment& fence);
  // Whether a fence lies between a write and a later read that barriers already order.
  bool Separate(const Moment& write, const Moment& read) const;

 private:
  llvm::DenseMap<int32_t, std::vector<Moment>> fences_;  // by thread
};

// Detects races in shared memory: records the accesses to each byte since the last barrier of the
// block.
class RaceDetector {
 public:
  explicit RaceDetector(int64_t bytes) : bytes_(bytes) {}

  // Records a read. Returns another thread that wrote the bytes, with no barrier between.
  std::optional<int32_t> Read(int64_t offset, int64_t size, const Moment& now);
  // Records a write. Returns another thread that read or wrote the bytes, with no barrier between.
  // `same`: the bytes hold the written value already.
  std::optional<int32_t> Write(int64_t offset, int64_t size, const Moment& now, bool same);
  // The last write of the byte; null if there is none.
  const Moment* LastWrite(int64_t offset) const;

 private:
  // The last access, and whether several threads, or several warps, accessed the byte.
  struct Access {
    Moment last = {.thread = -1};
    bool several = false, several_warps = false;

    bool Conflicts(const Moment& now) const;
    void Add(const Moment& now);
  };
  struct Byte {
    Access read, written;
  };
  std::vector<Byte> bytes_;
};

// The accesses of a block to its shared memories.
struct SharedAccesses {
  llvm::DenseMap<uint32_t, RaceDetector> races;  // by number of the memory
  ProxyFences fences;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_BYTE_MEMORY_H_
