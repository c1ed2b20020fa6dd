#include "core/hlo/shape_inference.h"

#include "core/hlo/diagnostic.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo {

llvm::Error Violation(const llvm::Twine& message) { return BadInput(message); }

llvm::Expected<Shape> WrittenShape(const Instruction& instruction) {
  if (instruction.shape.type == PrimitiveType::kInvalid) {
    return Violation("expected a shape in front of " + instruction.opcode_text +
                     ", whose operands leave it open");
  }
  return instruction.shape;
}

bool SameSizes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip_equal(a, b), [](const auto& pair) {
           const auto [x, y] = pair;
           return x == y || x == kUnboundedSize || y == kUnboundedSize;
         });
}

bool Compatible(const Shape& a, const Shape& b) {
  if (a.type != b.type || a.tuple.size() != b.tuple.size()) return false;
  for (size_t i = 0; i < a.tuple.size(); ++i) {
    if (!Compatible(a.tuple[i], b.tuple[i])) return false;
  }
  return SameSizes(a.dims, b.dims);
}

bool SameTypeUpToPrecision(PrimitiveType a, PrimitiveType b) {
  return a == b || (IsFloat(a) && IsFloat(b)) || (IsComplex(a) && IsComplex(b));
}

bool CompatibleUpToPrecision(const Shape& a, const Shape& b) {
  if (!SameTypeUpToPrecision(a.type, b.type) || a.tuple.size() != b.tuple.size()) return false;
  for (size_t i = 0; i < a.tuple.size(); ++i) {
    if (!CompatibleUpToPrecision(a.tuple[i], b.tuple[i])) return false;
  }
  return SameSizes(a.dims, b.dims);
}

std::vector<int64_t> SizesWithout(const Shape& shape, llvm::ArrayRef<int64_t> dropped) {
  std::vector<int64_t> sizes;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!llvm::is_contained(dropped, d)) sizes.push_back(shape.dims[d]);
  }
  return sizes;
}

llvm::Error CheckDimensions(llvm::ArrayRef<int64_t> dims, int64_t rank, const llvm::Twine& what) {
  std::vector<bool> seen(rank, false);
  for (int64_t d : dims) {
    if (d < 0 || d >= rank) {
      return Violation("expected " + what + " from 0 to " + llvm::Twine(rank - 1) + ", found " +
                       llvm::Twine(d));
    }
    if (seen[d])
      return Violation("expected distinct " + what + ", found " + llvm::Twine(d) + " twice");
    seen[d] = true;
  }
  return llvm::Error::success();
}

llvm::Error CheckArray(const Instruction& instruction, int64_t operand) {
  const Shape& shape = instruction.operands[operand]->shape;
  if (shape.IsArray()) return llvm::Error::success();
  return Violation("expected an array as operand " + llvm::Twine(operand) + " of " +
                   instruction.opcode_text + ", found " + shape.ToString(false));
}

}  // namespace affirm::hlo
