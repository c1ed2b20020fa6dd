// Memory whose addresses are numbers: shared memory of a block, and that of one thread.
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

// A scalar that was stored.
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
  // Whether it may be accessed: not before and after its lifetime.
  bool is_alive() const { return is_alive_; }
  void End() { is_alive_ = false; }

  // Of older cells that it covers in part, the rest is arbitrary.
  void Store(const Cell& cell);
  // The cells that the bytes belong to, in order; empty where a byte was never written.
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
  std::vector<int32_t> owner_;  // of each byte, the offset of its cell; -1: none
  llvm::DenseMap<int64_t, Cell> cells_;
};

// The memories of one thread, its allocas, each under a number of its own. A copy shares what
// neither changes: both sides of each branch have one.
class LocalMemories {
 public:
  // The number of a new one.
  uint32_t Add(ByteMemory memory);
  // The number of the next one.
  uint32_t next() const { return next_; }
  // Null for one that has ended.
  const ByteMemory* Find(uint32_t number) const;
  ByteMemory* FindToChange(uint32_t number);
  // Whether those below a number are the same.
  static bool SameBelow(uint32_t number, const LocalMemories& a, const LocalMemories& b);
  // Ends those from a number on: their function returns.
  void EndFrom(uint32_t number);
  // Of the two, those of `merge` where both have one of a number and it is not the same, and those
  // that only one has.
  static LocalMemories Merged(
      const LocalMemories& a, const LocalMemories& b,
      llvm::function_ref<ByteMemory(const ByteMemory&, const ByteMemory&)> merge);

 private:
  using Numbered = std::pair<uint32_t, std::shared_ptr<ByteMemory>>;
  const Numbered* At(uint32_t number) const;
  std::vector<Numbered> memories_;  // by number
  uint32_t next_ = 0;
};

// When a thread does something: barriers of the block and of its warp are what orders threads.
struct Moment {
  int32_t thread = 0;
  uint32_t phase = 0;       // barriers of the block
  uint32_t warp_phase = 0;  // barriers of the warp
  int32_t warp() const { return thread / 32; }
};

// Who touched which byte of shared memory since the last barrier of the block.
class RaceDetector {
 public:
  explicit RaceDetector(int64_t bytes) : bytes_(bytes) {}

  // Another thread that wrote the bytes with no barrier between.
  std::optional<int32_t> Read(int64_t offset, int64_t size, const Moment& now);
  // Another thread that read them or wrote them; `same`: what is written is there already.
  std::optional<int32_t> Write(int64_t offset, int64_t size, const Moment& now, bool same);

 private:
  // One thread, or several of one warp or of more.
  struct Access {
    Moment last = {-1, 0, 0};
    bool several = false, several_warps = false;

    bool Conflicts(const Moment& now) const;
    void Add(const Moment& now);
  };
  struct Byte {
    Access read, written;
  };
  std::vector<Byte> bytes_;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_BYTE_MEMORY_H_
