// Where a matrix lies in shared memory, as wgmma is told (PTX ISA, "Asynchronous warpgroup-level
// matrix shared memory layout", "Matrix descriptor").
//
// Rows of a swizzled matrix are 32, 64 or 128 bytes; eight of them are an atom, in which pieces of
// 16 bytes change places by the number of their row. Without, rows are 16 bytes.
//
//   // bits 0-13: start / 16; 16-29: leading offset / 16; 32-45: stride / 16; 62-63: swizzle
//   FindMatrixDescriptor(0x4000004000000000)  // at 0, atoms 1024 bytes apart, rows of 128
#ifndef AFFIRM_VERIFY_KERNEL_MATRIX_DESCRIPTOR_H_
#define AFFIRM_VERIFY_KERNEL_MATRIX_DESCRIPTOR_H_

#include <cstdint>
#include <optional>

namespace affirm::kernel {

struct MatrixDescriptor {
  int64_t start = 0, leading = 0, stride = 0;  // bytes
  int64_t row = 16;                            // bytes: 16, 32, 64 or 128

  // Where byte `byte` of a line of the matrix lies, `line` counting the other dimension. Lines are
  // along k where `along_k`: rows of A, columns of B. Else they are the matrix transposed. Shared
  // memory is taken to begin at a multiple of an atom's 1024 bytes.
  int64_t AddressOf(int64_t line, int64_t byte, bool along_k) const {
    const int64_t in_atom = line % 8 * row, atom = line / 8;
    int64_t address = start + in_atom + byte % row;
    if (row == 16)
      address +=
          along_k ? atom * stride + byte / row * leading : atom * leading + byte / row * stride;
    else
      address += atom * stride + byte / row * leading;
    const int64_t mask = row / 16 - 1;  // of the pieces of a row
    return address ^ (address >> 7 & mask) << 4;
  }
};

// nullopt where a bit is set that nothing is known of, or the base of an atom is moved.
inline std::optional<MatrixDescriptor> FindMatrixDescriptor(uint64_t bits) {
  constexpr uint64_t kField = 0x3fff, kKnown = 0xc0003fff3fff3fff;
  if ((bits & ~kKnown) != 0) return std::nullopt;
  auto bytes = [&](int at) { return static_cast<int64_t>((bits >> at & kField) << 4); };
  constexpr int64_t kRows[] = {16, 128, 64, 32};
  return MatrixDescriptor{bytes(0), bytes(16), bytes(32), kRows[bits >> 62]};
}

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_MATRIX_DESCRIPTOR_H_
