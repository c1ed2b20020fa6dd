// The checks that several families of shape rules share.
#include "core/hlo/shape_inference.h"

#include "core/hlo/diagnostic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace affirm::hlo {

llvm::Error Violation(const llvm::Twine& message) { return MakeError(message); }

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

std::vector<int64_t> Joined(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  std::vector<int64_t> joined(a.begin(), a.end());
  joined.insert(joined.end(), b.begin(), b.end());
  return joined;
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

llvm::Error CheckCount(size_t found, int64_t rank, llvm::StringRef what) {
  if (found == static_cast<size_t>(rank)) return llvm::Error::success();
  return Violation("expected " + llvm::Twine(rank) + " " + what + ", one a dimension, found " +
                   llvm::Twine(found));
}

llvm::Error CheckAtLeast(const Instruction& instruction, size_t count) {
  if (instruction.operands.size() >= count) return llvm::Error::success();
  return Violation("expected at least " + llvm::Twine(count) + " operands of " +
                   instruction.opcode_text + ", found " + llvm::Twine(instruction.operands.size()));
}

llvm::Error CheckArrays(const Instruction& instruction, size_t count) {
  if (llvm::Error error = CheckAtLeast(instruction, count)) return error;
  for (size_t i = 0; i < count; ++i) {
    if (llvm::Error error = CheckArray(instruction, static_cast<int64_t>(i))) return error;
  }
  return llvm::Error::success();
}

llvm::Error CheckCombiner(const Instruction& instruction, size_t n) {
  if (instruction.called.size() != 1) {
    return Violation("expected to_apply, the computation that combines two elements");
  }
  const Computation& combiner = *instruction.called[0];
  if (combiner.parameters.size() != 2 * n) {
    return Violation("expected " + llvm::Twine(2 * n) + " parameters of computation " +
                     combiner.name + ", found " + llvm::Twine(combiner.parameters.size()));
  }
  for (const Instruction* parameter : combiner.parameters) {
    if (parameter != nullptr && parameter->shape.IsScalar()) continue;
    return Violation("expected scalar parameters of computation " + combiner.name);
  }
  const Shape& result = combiner.root->shape;
  const bool returns_n = n == 1
                             ? result.IsScalar() || (result.IsTuple() && result.tuple.size() == 1)
                             : result.IsTuple() && result.tuple.size() == n;
  if (returns_n) return llvm::Error::success();
  return Violation("expected computation " + combiner.name + " to return " + llvm::Twine(n) +
                   " scalars, found " + result.ToString(false));
}

llvm::Error CheckCallees(const Instruction& instruction, size_t count) {
  if (instruction.called.size() == count) return llvm::Error::success();
  return Violation("expected " + llvm::Twine(count) + " called computations of " +
                   instruction.opcode_text + ", found " + llvm::Twine(instruction.called.size()));
}

llvm::Error CheckParameterCount(const Computation& callee, size_t count) {
  if (callee.parameters.size() == count) return llvm::Error::success();
  return Violation("expected " + llvm::Twine(callee.parameters.size()) +
                   " operands, one for each parameter of computation " + callee.name + ", found " +
                   llvm::Twine(count));
}

llvm::Error CheckBinding(const Computation& callee, int64_t number, const Shape& argument) {
  if (callee.parameters[number] == nullptr) {
    return Violation("expected a parameter " + llvm::Twine(number) + " of computation " +
                     callee.name);
  }
  const Shape& parameter = callee.parameters[number]->shape;
  if (Compatible(parameter, argument)) return llvm::Error::success();
  return Violation("expected the shape " + argument.ToString(false) + " of parameter " +
                   llvm::Twine(number) + " of computation " + callee.name + ", found " +
                   parameter.ToString(false));
}

llvm::Error CheckPredicate(const Computation& callee) {
  const Shape& result = callee.root->shape;
  if (result.IsScalar() && result.type == PrimitiveType::kPred) return llvm::Error::success();
  return Violation("expected a pred[] from computation " + callee.name + ", found " +
                   result.ToString(false));
}

namespace {

// (size - 1) * dilation + 1, and 0 for no elements; nullopt beyond int64.
std::optional<int64_t> Dilated(int64_t size, int64_t dilation) {
  if (size == 0) return 0;
  int64_t result = 0;
  if (llvm::MulOverflow(size - 1, dilation, result) ||
      llvm::AddOverflow(result, int64_t{1}, result)) {
    return std::nullopt;
  }
  return result;
}

}  // namespace

llvm::Expected<int64_t> WindowPositions(int64_t size, const WindowDimension& dim) {
  if (dim.size < 1 || dim.stride < 1 || dim.base_dilation < 1 || dim.window_dilation < 1) {
    return Violation("expected sizes, strides and dilations of a window of at least 1");
  }
  if (size == kUnboundedSize) return kUnboundedSize;
  const std::optional<int64_t> base = Dilated(size, dim.base_dilation);
  const std::optional<int64_t> window = Dilated(dim.size, dim.window_dilation);
  int64_t padded = 0;
  if (!base || !window || llvm::AddOverflow(*base, dim.padding_low, padded) ||
      llvm::AddOverflow(padded, dim.padding_high, padded)) {
    return Violation("expected a window and padding that fit 64 bits");
  }
  if (padded < 0) return Violation("expected a padding that leaves a size of at least 0");
  return padded < *window ? 0 : (padded - *window) / dim.stride + 1;
}

llvm::Error CheckReduction(const Instruction& instruction) {
  const size_t count = instruction.operands.size();
  if (count == 0 || count % 2 != 0) {
    return Violation("expected inputs and as many initial values for " + instruction.opcode_text +
                     ", found " + llvm::Twine(count) + " operands");
  }
  if (llvm::Error error = CheckArrays(instruction, count)) return error;
  const size_t n = count / 2;
  for (size_t i = 0; i < n; ++i) {
    const Shape& input = Operand(instruction, i);
    const Shape& init = Operand(instruction, n + i);
    if (!SameSizes(input.dims, Operand(instruction, 0).dims)) {
      return Violation("expected inputs of " + instruction.opcode_text + " of one size, found " +
                       Operand(instruction, 0).ToString(false) + " and " + input.ToString(false));
    }
    if (!CompatibleUpToPrecision(Shape::Array(input.type, {}), init)) {
      return Violation("expected a scalar " + Name(input.type) + " as initial value of " +
                       instruction.opcode_text + ", found " + init.ToString(false));
    }
  }
  return CheckCombiner(instruction, n);
}

llvm::Expected<Shape> ReducedShape(const Instruction& instruction,
                                   const std::vector<int64_t>& sizes) {
  const size_t n = instruction.operands.size() / 2;
  std::vector<Shape> results;
  results.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    results.push_back(Shape::Array(Operand(instruction, i).type, sizes));
  }
  Shape inferred = n == 1 ? results[0] : Shape::Tuple(std::move(results));
  const bool written = instruction.shape.type != PrimitiveType::kInvalid;
  if (written && CompatibleUpToPrecision(inferred, instruction.shape)) return instruction.shape;
  return inferred;
}

}  // namespace affirm::hlo
