// Products of matrices that the lanes of a warp compute together: D = A B + C, and which lane holds
// which element of them. The emulator and the proof take both from here.
//
//   mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
//
// multiplies 16 x 16 by 16 x 8 elements of bf16 and adds f32: a register of 32 bits has two
// elements of A or B, or one of C and D, and each lane has 4 registers of A, 2 of B, and 4 of C.
#ifndef AFFIRM_VERIFY_KERNEL_MATRIX_PRODUCT_H_
#define AFFIRM_VERIFY_KERNEL_MATRIX_PRODUCT_H_

#include <cstdint>
#include <optional>

#include "core/hlo/shape.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::kernel {

struct MatrixProduct {
  // A is m x k, B k x n, C and D m x n. What a warp computes: m is 8 or 16.
  int64_t m = 16, n = 8, k = 0;
  // Elements: integers of 4 or 8 bits, floats of 8 or 16, f64, and f32, of which the upper 19 bits
  // are read (tf32). Sums: s32, f16, f32 or f64.
  hlo::PrimitiveType a = hlo::PrimitiveType::kInvalid, b = hlo::PrimitiveType::kInvalid;
  hlo::PrimitiveType sum = hlo::PrimitiveType::kInvalid;
  bool saturates = false;  // .satfinite: sums of integers are clamped; else they wrap

  // Bits of a register, and elements that one has.
  int64_t RegisterBits() const { return a == hlo::PrimitiveType::kF64 ? 64 : 32; }
  int64_t InRegister() const { return RegisterBits() / hlo::BitWidth(a); }
  int64_t SumsInRegister() const { return sum == hlo::PrimitiveType::kF16 ? 2 : 1; }
  int64_t RegistersOfA() const { return m * k / 32 / InRegister(); }
  int64_t RegistersOfB() const { return n * k / 32 / InRegister(); }
  int64_t SumsOfLane() const { return m * n / 32; }
  int64_t RegistersOfSums() const { return SumsOfLane() / SumsInRegister(); }

  // Part `part` of a register of a lane; parts are counted from the lowest bits.
  struct Place {
    int64_t lane = 0, number = 0, part = 0;
  };
  Place OfA(int64_t row, int64_t column) const {
    const int64_t wide = 4 * InRegister();
    return {4 * (row % 8) + column % wide / InRegister(), column / wide * (m / 8) + row / 8,
            column % InRegister()};
  }
  Place OfB(int64_t row, int64_t column) const {
    const int64_t wide = 4 * InRegister();
    return {4 * column + row % wide / InRegister(), row / wide, row % InRegister()};
  }
  // The row and the column of sum `number` of a lane.
  int64_t RowOfSum(int64_t lane, int64_t number) const {
    return lane / 4 + 8 * (number / 2 % (m / 8));
  }
  int64_t ColumnOfSum(int64_t lane, int64_t number) const {
    return 8 * (number / (m / 4)) + 2 * (lane % 4) + number % 2;
  }
};

// The product of an opcode of wgmma.mma_async, likewise: four warps compute 16 rows each, of
// products of any number of columns in steps of eight.
//
//   wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16
std::optional<MatrixProduct> FindWarpGroupProduct(llvm::ArrayRef<llvm::StringRef> opcode);

// The product of an opcode of mma.sync, given by the parts between its dots. nullopt for shapes,
// types and layouts that the PTX ISA does not have, and for products of bits and of sparse
// matrices.
std::optional<MatrixProduct> FindMatrixProduct(llvm::ArrayRef<llvm::StringRef> opcode);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_MATRIX_PRODUCT_H_
