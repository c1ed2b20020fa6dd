// Shape rules of the linear-algebra operations: cholesky, fft and triangular-solve.
#include "core/hlo/attribute_values.h"
#include "core/hlo/shape_inference.h"

namespace affirm::hlo {
namespace {

using Expected = llvm::Expected<Shape>;

// Square matrices in the last two dimensions.
llvm::Error CheckSquare(const Instruction& instruction) {
  if (llvm::Error error = CheckArrays(instruction, 1)) return error;
  const Shape& matrix = Operand(instruction, 0);
  const int64_t rank = matrix.rank();
  if (rank >= 2 && SameSizes(matrix.dims[rank - 1], matrix.dims[rank - 2])) {
    return llvm::Error::success();
  }
  return Violation("expected square matrices as operand of " + instruction.opcode_text +
                   ", found " + matrix.ToString(false));
}

Expected Cholesky(const Instruction& instruction) {
  if (llvm::Error error = CheckSquare(instruction)) return error;
  return Shape::Array(Operand(instruction, 0).type, Operand(instruction, 0).dims);
}

// XLA transforms along the last one to three dimensions (ShapeInference::InferFftShape).
Expected Fft(const Instruction& instruction) {
  if (llvm::Error error = CheckArrays(instruction, 1)) return error;
  const std::optional<Ints> lengths = IntsAttribute(instruction.attributes, "fft_length");
  const int64_t count = lengths ? std::ssize(*lengths) : 0;
  constexpr int64_t kMost = 3;
  if (count < 1 || count > kMost || count > Operand(instruction, 0).rank()) {
    return Violation("expected a fft_length for each of the last one to three dimensions of " +
                     Operand(instruction, 0).ToString(false) + ", found " + llvm::Twine(count));
  }
  return WrittenShape(instruction);
}

Expected TriangularSolve(const Instruction& instruction) {
  if (llvm::Error error = CheckSquare(instruction)) return error;
  if (llvm::Error error = CheckArrays(instruction, 2)) return error;
  const Shape& matrix = Operand(instruction, 0);
  const Shape& sides = Operand(instruction, 1);
  if (matrix.type != sides.type || matrix.rank() != sides.rank()) {
    return Violation("expected right sides of the rank and element type of " +
                     matrix.ToString(false) + ", found " + sides.ToString(false));
  }
  return Shape::Array(sides.type, sides.dims);
}

constexpr OpcodeRule kLinalgRules[] = {
    {Opcode::kCholesky, Cholesky},
    {Opcode::kFft, Fft},
    {Opcode::kTriangularSolve, TriangularSolve},
};

}  // namespace

llvm::ArrayRef<OpcodeRule> LinalgRules() { return kLinalgRules; }

}  // namespace affirm::hlo
