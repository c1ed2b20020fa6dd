// Shape rules of the operations that sum over products: dot, scaled-dot, ragged-dot and
// convolution.
#include "core/hlo/shape_inference.h"

namespace affirm::hlo {
namespace {

using Expected = llvm::Expected<Shape>;
using Ints = std::vector<int64_t>;

// The written element type, which a dot or convolution accumulates in; else that of the operand.
PrimitiveType ResultType(const Instruction& instruction) {
  return instruction.shape.IsArray() ? instruction.shape.type : Operand(instruction, 0).type;
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

// The kind of the ragged dimension (free, contracting, batch) decides the result; the text of
// lhs_ragged_dims stays uninterpreted, so the written shape stands.
Expected RaggedDot(const Instruction& instruction) {
  if (llvm::Error error = CheckArrays(instruction, 3)) return error;
  return WrittenShape(instruction);
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
  if (a.feature_group_count > 1 && a.batch_group_count > 1)
    return Violation("expected one of feature_group_count and batch_group_count to be 1");
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
    if (a.FindExtra("dim_labels") != nullptr) return WrittenShape(instruction);
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
    llvm::Expected<int64_t> positions = WindowPositions(input.dims[n.input_spatial[i]], window);
    if (!positions) return positions.takeError();
    sizes[n.output_spatial[i]] = *positions;
  }
  return Shape::Array(ResultType(instruction), std::move(sizes));
}

constexpr OpcodeRule kContractionRules[] = {
    {Opcode::kConvolution, Convolution},
    {Opcode::kDot, Dot},
    {Opcode::kRaggedDot, RaggedDot},
    {Opcode::kScaledDot, ScaledDot},
};

}  // namespace

llvm::ArrayRef<OpcodeRule> ContractionRules() { return kContractionRules; }

}  // namespace affirm::hlo
