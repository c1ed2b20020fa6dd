// Instances of the ops on matrices and signals: cholesky, triangular-solve, fft.
#include <algorithm>

#include "fuzz/generators/ops/families.h"

namespace affirm::fuzz {

namespace {

// Batches of square matrices; where compilers are to agree about them, arguments, which have
// decompositions.
Instruction* Squares(OpBuilder& b, PrimitiveType type) {
  Sizes sizes = b.AnySizes(0, std::max<int64_t>(b.limits().max_rank - 2, 0));
  const int64_t n = b.Size(1, 6);
  sizes.insert(sizes.end(), 2, n);
  const Shape shape = b.Array(type, sizes);
  return b.limits().portable ? b.Parameter(shape) : b.Operand(shape);
}

PrimitiveType MatrixType(OpBuilder& b) {
  return b.choices().Pick(
      {PrimitiveType::kF32, PrimitiveType::kF64, PrimitiveType::kC64, PrimitiveType::kC128});
}

const char* AnyBool(OpBuilder& b) { return b.choices().Pick({"true", "false"}); }

Instruction* Cholesky(OpBuilder& b, Opcode opcode) {
  Attributes attributes;
  attributes.extra = {{"lower", AnyBool(b)}};
  return b.Add(opcode, {Squares(b, MatrixType(b))}, attributes);
}

Instruction* TriangularSolve(OpBuilder& b, Opcode opcode) {
  Instruction* matrices = Squares(b, MatrixType(b));
  const bool left = b.Flip();
  Sizes sizes = matrices->shape.dims;
  sizes[sizes.size() - (left ? 1 : 2)] = b.Size(1, 6);
  Attributes attributes;
  attributes.extra = {{"left_side", left ? "true" : "false"},
                      {"lower", AnyBool(b)},
                      {"unit_diagonal", AnyBool(b)},
                      {"transpose_a", b.choices().Pick({"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"})}};
  Instruction* sides = b.Operand(b.Array(matrices->shape.type, sizes));
  return b.Add(opcode, {matrices, sides}, attributes);
}

// A real transform has n / 2 + 1 complex values along the last dim; the lengths are those of the
// real side.
Instruction* Fft(OpBuilder& b, Opcode opcode) {
  const llvm::StringRef kind = b.choices().Pick({"FFT", "IFFT", "RFFT", "IRFFT"});
  const bool wide = b.Flip();
  const PrimitiveType real = wide ? PrimitiveType::kF64 : PrimitiveType::kF32;
  const PrimitiveType complex = wide ? PrimitiveType::kC128 : PrimitiveType::kC64;
  Sizes sizes = b.AnySizes(1, b.limits().max_rank);
  for (int64_t& size : sizes) size = std::max<int64_t>(size, 1);
  const int64_t dims = b.Small(1, std::min<int64_t>(std::ssize(sizes), 3));
  Attributes attributes;
  const Sizes lengths(sizes.end() - dims, sizes.end());
  attributes.extra = {{"fft_type", kind.str()}, {"fft_length", Braced(lengths)}};
  Sizes half = sizes;
  half.back() = sizes.back() / 2 + 1;
  const Shape in = kind == "RFFT"    ? b.Array(real, sizes)
                   : kind == "IRFFT" ? b.Array(complex, half)
                                     : b.Array(complex, sizes);
  const Shape out = kind == "RFFT"    ? b.Array(complex, half)
                    : kind == "IRFFT" ? b.Array(real, sizes)
                                      : b.Array(complex, sizes);
  return b.Add(opcode, {b.Operand(in)}, attributes, out);
}

constexpr OpEntry kLinalgOps[] = {
    {Opcode::kCholesky, Cholesky, InGraphs::kGenerated},
    {Opcode::kFft, Fft, InGraphs::kGenerated},
    {Opcode::kTriangularSolve, TriangularSolve, InGraphs::kGenerated},
};

}  // namespace

llvm::ArrayRef<OpEntry> LinalgFamily() { return kLinalgOps; }

}  // namespace affirm::fuzz
