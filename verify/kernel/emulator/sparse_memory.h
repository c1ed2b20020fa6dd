// A device memory that allocates only the pages that were touched, so that some blocks of a
// kernel can run on buffers that no host could hold.
//
//   SparseMemory memory(bytes, [](int64_t offset, llvm::MutableArrayRef<uint8_t> page) { ... });
//   memory.Read(offset, 4);    // the page is made by the function when it is touched first
//
// Pages are small, because a block that goes down a column touches each row in one place.
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_SPARSE_MEMORY_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_SPARSE_MEMORY_H_

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>

#include "llvm/ADT/ArrayRef.h"

namespace affirm::kernel {

class SparseMemory {
 public:
  static constexpr int64_t kPageBytes = 64;
  // Fills the bytes from `offset` on, all of them of the buffer, with what is there at first: the
  // same whenever it is asked.
  using Filler = std::function<void(int64_t offset, llvm::MutableArrayRef<uint8_t> bytes)>;

  // A buffer of `bytes` bytes. Without a function its bytes are unspecified until they are written.
  explicit SparseMemory(int64_t bytes = 0, Filler fill = {});

  int64_t size() const { return size_; }
  // With what stands behind the end, which only a compare-and-swap may touch and put back.
  int64_t allocated() const { return allocated_; }
  bool has_marks() const { return !fill_; }

  // Sets the contents of unspecified bytes in pages that were not touched; 0 at first.
  void HoldUnspecified(uint8_t byte) { unspecified_ = byte; }

  // Little-endian numbers of 1 to 8 bytes, which lie in the allocation.
  uint64_t Read(int64_t offset, unsigned width);
  void Write(int64_t offset, uint64_t bits, unsigned width);
  // The ByteMark of a byte (memory.h).
  uint8_t MarkAt(int64_t offset);
  void SetMark(int64_t offset, uint8_t mark) { MarksOf(offset)[offset % kPageBytes] = mark; }
  // Whether a byte behind the end is not what it was.
  bool IsPaddingChanged();

 private:
  using Page = std::array<uint8_t, kPageBytes>;
  Page& PageOf(int64_t offset);
  Page& MarksOf(int64_t offset);
  int64_t BytesOfPage(int64_t number) const;  // that belong to the buffer
  Page NewPage(int64_t number) const;

  int64_t size_, allocated_;
  Filler fill_;
  uint8_t unspecified_ = 0;
  std::unordered_map<int64_t, Page> pages_;
  std::unordered_map<int64_t, Page> marks_;  // where bytes are unspecified at first
  int64_t last_number_ = -1;                 // of the page that was touched last
  Page* last_ = nullptr;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_SPARSE_MEMORY_H_
