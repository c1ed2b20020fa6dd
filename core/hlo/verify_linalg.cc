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

// Along the last one to three dimensions (ShapeInference::InferFftShape). The real side of a
// transform has `length` elements in the last one, the complex side half of them and one.
Expected Fft(const Instruction& instruction) {
  if (llvm::Error error = CheckArrays(instruction, 1)) return error;
  const Shape& operand = Operand(instruction, 0);
  const std::optional<Ints> lengths = IntsAttribute(instruction.attributes, "fft_length");
  const int64_t count = lengths ? std::ssize(*lengths) : 0;
  constexpr int64_t kMost = 3;
  if (count < 1 || count > kMost || count > operand.rank()) {
    return Violation("expected a fft_length for each of the last one to three dimensions of " +
                     operand.ToString(false) + ", found " + llvm::Twine(count));
  }
  const llvm::StringRef kind = WordAttribute(instruction.attributes, "fft_type");
  const bool from_real = kind == "RFFT", to_real = kind == "IRFFT";
  const bool is_double =
      operand.type == PrimitiveType::kF64 || operand.type == PrimitiveType::kC128;
  const bool fits =
      from_real ? operand.type == PrimitiveType::kF32 || is_double : IsComplex(operand.type);
  if (!fits || (from_real && IsComplex(operand.type))) {
    return Violation("expected " + llvm::Twine(from_real ? "f32 or f64" : "complex numbers") +
                     " as operand of " + kind + ", found " + operand.ToString(false));
  }
  Shape result = Shape::Array(from_real ? (is_double ? PrimitiveType::kC128 : PrimitiveType::kC64)
                              : to_real ? (is_double ? PrimitiveType::kF64 : PrimitiveType::kF32)
                                        : operand.type,
                              operand.dims);
  // Types differ here by more than the precision in which XLA may compute.
  if (instruction.shape.IsArray() && instruction.shape.type != result.type) {
    return Violation("expected " + Name(result.type) + " of " + kind + " of " +
                     operand.ToString(false) + ", found " + instruction.shape.ToString(false));
  }
  if (!from_real && !to_real) return result;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t d = operand.rank() - count + k, length = (*lengths)[k];
    const int64_t half = k + 1 < count ? length : length == 0 ? 0 : length / 2 + 1;
    if (!SameSizes(operand.dims[d], to_real ? half : length)) {
      return Violation("expected size " + llvm::Twine(to_real ? half : length) + " of dimension " +
                       llvm::Twine(d) + " of the operand of " + kind + ", found " +
                       operand.ToString(false));
    }
    result.dims[d] = to_real ? length : half;
  }
  return result;
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
