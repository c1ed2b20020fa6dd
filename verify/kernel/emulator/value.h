// The contents of a register of an emulated thread: bits, and their defects.
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_VALUE_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_VALUE_H_

#include <cstdint>

namespace affirm::kernel {

// A mark says of a value which of its bytes are unspecified (bits 0 to 7: read from memory that
// no thread wrote, undef, a shuffle from a lane that does not exist), whether it is poison (bit 8),
// and, in the upper half, which instruction made it so (its number in the program, plus 1). A value
// that is as it should be has the mark 0. Marks follow values; they are reported where the value is
// stored in a result, branched on, or used as an address.
using Mark = uint64_t;
inline constexpr Mark kUnspecified = 0xff;  // all bytes
inline constexpr Mark kPoison = 0x100;
// All that is unspecified has been frozen (LangRef, "freeze"): it may be branched on, either way.
inline constexpr Mark kFrozen = 0x200;
// Some of it has been frozen. All uses of a frozen value have one value, so that it may cancel
// (f ^ f, (v + f) - f): whether the result is specified, a mark does not say.
inline constexpr Mark kOfFrozen = 0x400;
// It is an undef, or memory of the kernel's own that no thread wrote, and not computed from these:
// each use may find other bits (LangRef, "Undefined Values").
inline constexpr Mark kIsUndef = 0x800;
inline constexpr int kOriginShift = 32;
// A register that counts iterations: no value depends on it, and a loop that ends is not told from
// one that does not by it. Sums of it and a number keep the mark.
inline constexpr Mark kCounter = ~Mark{0} << kOriginShift;

inline constexpr bool IsPoison(Mark mark) { return (mark & kPoison) != 0; }
inline constexpr bool IsFrozen(Mark mark) { return (mark & kFrozen) != 0 && (mark & kPoison) == 0; }
inline constexpr bool IsOfFrozen(Mark mark) { return (mark & kOfFrozen) != 0; }
inline constexpr bool IsUndef(Mark mark) { return (mark & kIsUndef) != 0 && !IsOfFrozen(mark); }
inline constexpr bool IsUnspecified(Mark mark) { return (mark & kUnspecified) != 0; }
// The instruction to name, or -1.
inline constexpr int64_t OriginOf(Mark mark) {
  return static_cast<int64_t>(mark >> kOriginShift) - 1;
}
inline constexpr Mark MakeMark(Mark what, uint32_t origin) {
  return what | (static_cast<Mark>(origin) + 1) << kOriginShift;
}

// For two operands: whether all, and whether some, of their unspecified bits have been frozen.
inline constexpr Mark FrozenOf(Mark a, Mark b) {
  const Mark all = (a == 0 ? kFrozen : a) & (b == 0 ? kFrozen : b) & kFrozen;
  return all | ((a | b) & kOfFrozen);
}

// The mark of a value computed from two: one unspecified byte makes all bytes unspecified.
inline constexpr Mark Join(Mark a, Mark b) {
  if ((a | b) == 0) return 0;
  Mark origin = (a != 0 ? a : b) >> kOriginShift << kOriginShift;
  return origin | ((a | b) & kPoison) | (IsUnspecified(a | b) ? kUnspecified : 0) | FrozenOf(a, b);
}
// The same where each byte of the result depends on the bytes at its place only.
inline constexpr Mark JoinBytes(Mark a, Mark b) {
  if ((a | b) == 0) return 0;
  Mark origin = (a != 0 ? a : b) >> kOriginShift << kOriginShift;
  return origin | ((a | b) & (kPoison | kUnspecified)) | FrozenOf(a, b);
}

// A scalar of at most 64 bits: integers zero-extended, floats as their bits, pointers as addresses
// (memory.h). Wider integers take two registers, the lower half first.
struct Slot {
  uint64_t bits = 0;
  Mark mark = 0;
};

inline constexpr uint64_t MaskOf(unsigned width) {
  return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}
inline constexpr int64_t SignExtend(uint64_t bits, unsigned width) {
  if (width == 0 || width >= 64) return static_cast<int64_t>(bits);
  const unsigned shift = 64 - width;
  return static_cast<int64_t>(bits << shift) >> shift;
}

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_VALUE_H_
