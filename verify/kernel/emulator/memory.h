// The memory of an emulated device: buffers with guarded ends, and who touched them.
//
// An address is the number of a region in its upper 24 bits and a place in the lower 40, in which
// the region begins in the middle: a pointer that leaves its buffer at either end stays in its
// region, and is noticed there whatever the distance.
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_MEMORY_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_MEMORY_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "verify/kernel/emulator/alias_shadow.h"
#include "verify/kernel/emulator/races.h"
#include "verify/kernel/emulator/sparse_memory.h"
#include "verify/kernel/emulator/value.h"

namespace affirm::kernel {

inline constexpr int kRegionShift = 40;
inline constexpr uint64_t kRegionStart = uint64_t{1} << 39;
// The address of the first byte of a region.
inline constexpr uint64_t AddressOf(uint64_t region) {
  return region << kRegionShift | kRegionStart;
}
inline constexpr uint64_t RegionOf(uint64_t address) { return address >> kRegionShift; }
// Where an address points in its region, in bytes from its start; negative before it.
inline constexpr int64_t OffsetOf(uint64_t address) {
  return static_cast<int64_t>(address & MaskOf(kRegionShift)) - static_cast<int64_t>(kRegionStart);
}

// The contents of unspecified bytes in a run with ones (EmulatorOptions::unspecified).
inline constexpr uint8_t kOtherByte = 0xff;

enum ByteMark : uint8_t {
  kByteSpecified = 0,
  kByteUnspecified = 1,
  kByteOutside = 2,
  kBytePoison = 3,
  kByteFrozen = 4,    // unspecified and frozen
  kByteOfFrozen = 5,  // unspecified, and some of what it was computed from is frozen
  kByteComputed = 6   // computed from what is unspecified
};
// The mark of byte k of a value that is stored and not poison; and a mark without an origin, with
// that of byte k.
inline ByteMark ByteMarkOf(Mark mark, unsigned k) {
  if ((mark >> k & 1) == 0) return kByteSpecified;
  if (IsFrozen(mark)) return kByteFrozen;
  if (IsOfFrozen(mark)) return kByteOfFrozen;
  return IsUndef(mark) ? kByteUnspecified : kByteComputed;
}
inline Mark WithByte(Mark mark, unsigned k, uint8_t byte) {
  if (byte == kByteSpecified) return mark;
  Mark of_byte = Mark{1} << k;
  if (byte == kBytePoison) of_byte |= kPoison;
  if (byte == kByteFrozen) of_byte |= kFrozen;
  if (byte == kByteFrozen || byte == kByteOfFrozen) of_byte |= kOfFrozen;
  return JoinBytes(mark, of_byte);
}

// The byte behind the end of a buffer, so that a stray write there is noticed.
inline constexpr uint8_t kPaddingByte = 0xa5;

// Region 0 is that of null, region 1 the local memory of the thread that runs.
inline constexpr uint64_t kLocalRegion = 1;
inline constexpr uint64_t kFirstRegion = 2;

// Little-endian numbers of 1 to 8 bytes.
inline uint64_t ReadBytes(const uint8_t* from, unsigned width) {
  uint64_t bits = 0;
  switch (width) {
    case 1:
      return *from;
    case 2:
      __builtin_memcpy(&bits, from, 2);
      return bits;
    case 4:
      __builtin_memcpy(&bits, from, 4);
      return bits;
    case 8:
      __builtin_memcpy(&bits, from, 8);
      return bits;
    default:
      __builtin_memcpy(&bits, from, width);
      return bits;
  }
}
inline void WriteBytes(uint8_t* to, uint64_t bits, unsigned width) {
  switch (width) {
    case 4:
      __builtin_memcpy(to, &bits, 4);
      return;
    case 8:
      __builtin_memcpy(to, &bits, 8);
      return;
    default:
      __builtin_memcpy(to, &bits, width);
  }
}

// A place of memory that pointers name: a buffer, a variable, or the local memory of a thread.
struct Region {
  enum Kind : uint8_t { kNone, kGlobal, kConstant, kShared, kLocal };

  Kind kind = kNone;
  bool writable = false;
  bool in_place = false;  // what is there before the launch counts as written
  std::string name;       // as reports say it
  int64_t param = -1;     // the kernel's (first) parameter that it is
  int64_t size = 0;       // bytes that belong to the buffer
  int64_t allocated = 0;  // and those that a compare-and-swap may put back
  int64_t element_bytes = 1;
  // Several elements are in a byte, so that who writes one puts back the others, whatever they are.
  bool packed = false;
  // The address of its first byte, as far as alignment goes: a multiple of what it is aligned to,
  // and of nothing more. 0 for local memory, where each variable sees to that.
  int64_t base = 0;
  int64_t argument = -1;  // of the kernel, that leads there
  AliasShadow* aliases = nullptr;
  uint8_t* data = nullptr;
  uint8_t* marks = nullptr;        // a ByteMark for each byte; nullptr: all are specified
  SparseMemory* sparse = nullptr;  // in the place of both, where the buffer is too large
  RaceShadow* shadow = nullptr;

  bool IsAligned(int64_t offset, int log2_align) const {
    return (static_cast<uint64_t>(offset + base) & MaskOf(log2_align)) == 0;
  }
  // Numbers in the allocation.
  uint64_t Read(int64_t offset, unsigned width) const {
    return sparse != nullptr ? sparse->Read(offset, width) : ReadBytes(data + offset, width);
  }
  void Write(int64_t offset, uint64_t bits, unsigned width) const {
    if (sparse != nullptr) return sparse->Write(offset, bits, width);
    WriteBytes(data + offset, bits, width);
  }
  bool has_marks() const { return marks != nullptr || (sparse != nullptr && sparse->has_marks()); }
  uint8_t MarkAt(int64_t offset) const {
    return sparse != nullptr ? sparse->MarkAt(offset) : marks[offset];
  }
  void SetMark(int64_t offset, uint8_t mark) const {
    if (sparse != nullptr) return sparse->SetMark(offset, mark);
    marks[offset] = mark;
  }
  // The mark of a value there, without an origin. A result is not specified before it is written,
  // but it is no undef.
  Mark MarkOf(int64_t offset, unsigned width) const {
    Mark mark = 0;
    bool is_undef = kind != kGlobal;
    for (unsigned k = 0; k < width; ++k) {
      is_undef &= MarkAt(offset + k) == kByteUnspecified;
      mark = WithByte(mark, k, MarkAt(offset + k));
    }
    return is_undef ? mark | kIsUndef : mark;
  }
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_MEMORY_H_
