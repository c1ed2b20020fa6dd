// Shape rules of the operations that sum or combine over dimensions: dot and its kin, convolution,
// reduce, windows, and the linear-algebra operations.
#include "core/hlo/shape_inference.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace affirm::hlo {
namespace {

using Expected = llvm::Expected<Shape>;
using Ints = std::vector<int64_t>;

const Shape& Operand(const Instruction& instruction, int64_t i) {
  return instruction.operands[i]->shape;
}

Ints Joined(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  Ints joined(a.begin(), a.end());
  joined.insert(joined.end(), b.begin(), b.end());
  return joined;
}

// The written element type, which a dot or convolution accumulates in; else that of the operand.
PrimitiveType ResultType(const Instruction& instruction) {
  return instruction.shape.IsArray() ? instruction.shape.type : Operand(instruction, 0).type;
}

llvm::Error CheckArrays(const Instruction& instruction, size_t count) {
  if (instruction.operands.size() < count) {
    return Violation("expected at least " + llvm::Twine(count) + " operands of " +
                     instruction.opcode_text + ", found " +
                     llvm::Twine(instruction.operands.size()));
  }
  for (size_t i = 0; i < count; ++i) {
    if (llvm::Error error = CheckArray(instruction, static_cast<int64_t>(i))) return error;
  }
  return llvm::Error::success();
}

llvm::Error CheckPairs(const Shape& lhs, llvm::ArrayRef<int64_t> lhs_dims, const Shape& rhs,
                       llvm::ArrayRef<int64_t> rhs_dims, llvm::StringRef what) {
  if (lhs_dims.size() != rhs_dims.size()) {
    return Violation("expected as many " + what +
                     " dimensions on the left as on the right, found " +
                     llvm::Twine(lhs_dims.size()) + " and " + llvm::Twine(rhs_dims.size()));
  }
  for (size_t i = 0; i < lhs_dims.size(); ++i) {
    if (!SameSizes(lhs.dims[lhs_dims[i]], rhs.dims[rhs_dims[i]])) {
      return Violation("expected " + what + " dimensions of the same size, found " +
                       llvm::Twine(lhs.dims[lhs_dims[i]]) + " in " + lhs.ToString(false) + " and " +
                       llvm::Twine(rhs.dims[rhs_dims[i]]) + " in " + rhs.ToString(false));
    }
  }
  return llvm::Error::success();
}

// Batch dimensions, then what is left of the left side, then of the right side.
Expected Dot(const Instruction& instruction) {
  if (llvm::Error error = CheckArrays(instruction, 2)) return error;
  const Attributes& a = instruction.attributes;
  const Shape& lhs = Operand(instruction, 0);
  const Shape& rhs = Operand(instruction, 1);
  const Ints lhs_used = Joined(a.lhs_batch, a.lhs_contracting);
  const Ints rhs_used = Joined(a.rhs_batch, a.rhs_contracting);
  if (llvm::Error error = CheckDimensions(lhs_used, lhs.rank(), "dimensions on the left")) {
    return error;
  }
  if (llvm::Error error = CheckDimensions(rhs_used, rhs.rank(), "dimensions on the right")) {
    return error;
  }
  if (llvm::Error error = CheckPairs(lhs, a.lhs_batch, rhs, a.rhs_batch, "batch")) return error;
  if (llvm::Error error =
          CheckPairs(lhs, a.lhs_contracting, rhs, a.rhs_contracting, "contracting")) {
    return error;
  }
  Ints sizes;
  for (int64_t d : a.lhs_batch) sizes.push_back(lhs.dims[d]);
  sizes = Joined(Joined(sizes, SizesWithout(lhs, lhs_used)), SizesWithout(rhs, rhs_used));
  return Shape::Array(ResultType(instruction), std::move(sizes));
}

// A scale covers a block of its operand: each size divides that of the operand. A scalar stands for
// no scale.
Expected ScaledDot(const Instruction& instruction) {
  if (llvm::Error error = CheckArrays(instruction, 4)) return error;
  for (int64_t i : {0, 1}) {
    const Shape& operand = Operand(instruction, i);
    const Shape& scale = Operand(instruction, i + 2);
    bool fits = scale.rank() == 0 || scale.rank() == operand.rank();
    for (int64_t d = 0; fits && d < scale.rank(); ++d) {
      const int64_t size = scale.dims[d];
      fits = size == kUnboundedSize || operand.dims[d] == kUnboundedSize ||
             (size > 0 ? operand.dims[d] % size == 0 : operand.dims[d] == 0);
    }
    if (!fits) {
      return Violation("expected a scale whose sizes divide those of " + operand.ToString(false) +
                       ", found " + scale.ToString(false));
    }
  }
  return Dot(instruction);
}

// What the ragged dimension is (free, contracting, batch) decides the result; the text of
// lhs_ragged_dims stays uninterpreted, so the written shape stands.
Expected RaggedDot(const Instruction& instruction) {
  if (llvm::Error error = CheckArrays(instruction, 3)) return error;
  return WrittenShape(instruction);
}

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

// How many places a window takes along a dimension of that size.
llvm::Expected<int64_t> WindowPlaces(int64_t size, const WindowDimension& dim) {
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

llvm::Error CheckConvolutionLabels(const Instruction& instruction) {
  const size_t spatial = instruction.attributes.dim_labels->input_spatial.size();
  for (int64_t i : {0, 1}) {
    if (Operand(instruction, i).dims.size() != spatial + 2) {
      return Violation("expected an operand of rank " + llvm::Twine(spatial + 2) +
                       " for dim_labels, found " + Operand(instruction, i).ToString(false));
    }
  }
  if (instruction.attributes.window.size() != spatial) {
    return Violation("expected a window of " + llvm::Twine(spatial) + " dimensions, found " +
                     llvm::Twine(instruction.attributes.window.size()));
  }
  return llvm::Error::success();
}

// Whether `size` is `count` times what the other side has.
bool IsMultiple(int64_t size, int64_t count) {
  return size == kUnboundedSize || (count > 0 && size % count == 0);
}

llvm::Error CheckConvolutionGroups(const Instruction& instruction) {
  const Attributes& a = instruction.attributes;
  const ConvDimensionNumbers& n = *a.dim_labels;
  const Shape& input = Operand(instruction, 0);
  const Shape& kernel = Operand(instruction, 1);
  const int64_t features = input.dims[n.input_feature];
  const int64_t outputs = kernel.dims[n.kernel_output_feature];
  if (a.feature_group_count < 1 || a.batch_group_count < 1) {
    return Violation("expected group counts of at least 1");
  }
  if (!IsMultiple(features, a.feature_group_count) || !IsMultiple(outputs, a.feature_group_count) ||
      !IsMultiple(input.dims[n.input_batch], a.batch_group_count) ||
      !IsMultiple(outputs, a.batch_group_count)) {
    return Violation("expected group counts that divide the batch, input and output features");
  }
  if (features != kUnboundedSize &&
      !SameSizes(features / a.feature_group_count, kernel.dims[n.kernel_input_feature])) {
    return Violation("expected " + llvm::Twine(features / a.feature_group_count) +
                     " input features of the kernel " + kernel.ToString(false) + ", found " +
                     llvm::Twine(kernel.dims[n.kernel_input_feature]));
  }
  return llvm::Error::success();
}

Expected Convolution(const Instruction& instruction) {
  if (llvm::Error error = CheckArrays(instruction, 2)) return error;
  const Attributes& a = instruction.attributes;
  if (!a.dim_labels) {
    if (a.FindOther("dim_labels") != nullptr) return WrittenShape(instruction);
    return Violation("expected dim_labels of the convolution");
  }
  if (llvm::Error error = CheckConvolutionLabels(instruction)) return error;
  if (llvm::Error error = CheckConvolutionGroups(instruction)) return error;
  const ConvDimensionNumbers& n = *a.dim_labels;
  const Shape& input = Operand(instruction, 0);
  const Shape& kernel = Operand(instruction, 1);
  Ints sizes(input.dims.size());
  const int64_t batch = input.dims[n.input_batch];
  sizes[n.output_batch] = batch == kUnboundedSize ? batch : batch / a.batch_group_count;
  sizes[n.output_feature] = kernel.dims[n.kernel_output_feature];
  for (size_t i = 0; i < a.window.size(); ++i) {
    WindowDimension window = a.window[i];
    const int64_t kernel_size = kernel.dims[n.kernel_spatial[i]];
    if (!SameSizes(window.size, kernel_size)) {
      return Violation("expected a window of size " + llvm::Twine(kernel_size) +
                       ", as the kernel, in spatial dimension " + llvm::Twine(i) + ", found " +
                       llvm::Twine(window.size));
    }
    llvm::Expected<int64_t> places = WindowPlaces(input.dims[n.input_spatial[i]], window);
    if (!places) return places.takeError();
    sizes[n.output_spatial[i]] = *places;
  }
  return Shape::Array(ResultType(instruction), std::move(sizes));
}

// N inputs of one size and their N scalar initial values. A result has the element type of its
// initial value up to precision; where the text says one, that.
Expected Combined(const Instruction& instruction, const Ints& sizes) {
  const size_t n = instruction.operands.size() / 2;
  std::vector<Shape> results;
  for (size_t i = 0; i < n; ++i) {
    results.push_back(Shape::Array(Operand(instruction, i).type, sizes));
  }
  Shape inferred = n == 1 ? results[0] : Shape::Tuple(std::move(results));
  const bool written = instruction.shape.type != PrimitiveType::kInvalid;
  if (written && CompatibleUpToPrecision(inferred, instruction.shape)) return instruction.shape;
  return inferred;
}

llvm::Error CheckReduced(const Instruction& instruction) {
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

Expected Reduce(const Instruction& instruction) {
  if (llvm::Error error = CheckReduced(instruction)) return error;
  const Shape& input = Operand(instruction, 0);
  const Ints& dims = instruction.attributes.dimensions;
  if (llvm::Error error = CheckDimensions(dims, input.rank(), "dimensions to reduce")) return error;
  return Combined(instruction, SizesWithout(input, dims));
}

llvm::Expected<Ints> WindowSizes(const Instruction& instruction, const Shape& input) {
  const std::vector<WindowDimension>& window = instruction.attributes.window;
  if (window.size() != input.dims.size()) {
    return Violation("expected a window of " + llvm::Twine(input.rank()) + " dimensions, found " +
                     llvm::Twine(window.size()));
  }
  Ints sizes;
  for (size_t d = 0; d < window.size(); ++d) {
    llvm::Expected<int64_t> places = WindowPlaces(input.dims[d], window[d]);
    if (!places) return places.takeError();
    sizes.push_back(*places);
  }
  return sizes;
}

Expected ReduceWindow(const Instruction& instruction) {
  if (llvm::Error error = CheckReduced(instruction)) return error;
  llvm::Expected<Ints> sizes = WindowSizes(instruction, Operand(instruction, 0));
  if (!sizes) return sizes.takeError();
  return Combined(instruction, *sizes);
}

// Operand, source, initial value: the source has an element for each place of the window.
Expected SelectAndScatter(const Instruction& instruction) {
  if (llvm::Error error = CheckArrays(instruction, 3)) return error;
  if (instruction.called.size() != 2) {
    return Violation("expected the computations select and scatter of select-and-scatter");
  }
  const Shape& operand = Operand(instruction, 0);
  llvm::Expected<Ints> sizes = WindowSizes(instruction, operand);
  if (!sizes) return sizes.takeError();
  if (!SameSizes(*sizes, Operand(instruction, 1).dims)) {
    return Violation("expected a source of the sizes " +
                     Shape::Array(operand.type, *sizes).ToString(false) + ", found " +
                     Operand(instruction, 1).ToString(false));
  }
  return Shape::Array(operand.type, operand.dims);
}

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

constexpr OpcodeRule kRules[] = {
    {Opcode::kCholesky, Cholesky},
    {Opcode::kConvolution, Convolution},
    {Opcode::kDot, Dot},
    {Opcode::kRaggedDot, RaggedDot},
    {Opcode::kReduce, Reduce},
    {Opcode::kReduceWindow, ReduceWindow},
    {Opcode::kScaledDot, ScaledDot},
    {Opcode::kSelectAndScatter, SelectAndScatter},
    {Opcode::kTriangularSolve, TriangularSolve},
};

}  // namespace

llvm::ArrayRef<OpcodeRule> ContractionRules() { return kRules; }

}  // namespace affirm::hlo
