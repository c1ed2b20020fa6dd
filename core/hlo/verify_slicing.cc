// Shape rules of the operations that take parts of arrays or put arrays together: slice, pad,
// concatenate, dynamic-slice, dynamic-update-slice, and get- and set-dimension-size.
#include <algorithm>
#include <optional>

#include "core/hlo/shape_inference.h"
#include "llvm/Support/MathExtras.h"

namespace affirm::hlo {
namespace {

using Expected = llvm::Expected<Shape>;

Expected Slice(const Instruction& instruction) {
  if (llvm::Error error = CheckArray(instruction, 0)) return error;
  const Shape& operand = Operand(instruction, 0);
  const std::vector<SliceDimension>& slice = instruction.attributes.slice;
  if (llvm::Error error = CheckCount(slice.size(), operand.rank(), "ranges of the slice")) {
    return error;
  }
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < slice.size(); ++d) {
    const auto [start, limit, stride] = slice[d];
    const bool inside = operand.dims[d] == kUnboundedSize || limit <= operand.dims[d];
    if (start < 0 || limit < start || stride < 1 || !inside) {
      return Violation("expected 0 <= start <= limit <= " + llvm::Twine(operand.dims[d]) +
                       " and stride >= 1 for dimension " + llvm::Twine(d) +
                       " of the slice, found [" + llvm::Twine(start) + ":" + llvm::Twine(limit) +
                       ":" + llvm::Twine(stride) + "]");
    }
    sizes.push_back((limit - start) / stride + ((limit - start) % stride != 0 ? 1 : 0));
  }
  return Shape::Array(operand.type, std::move(sizes));
}

// Start indices: one scalar a dimension, or one vector (the older form), from operand `first` on.
llvm::Error CheckStarts(const Instruction& instruction, int64_t first, int64_t rank) {
  const int64_t count = static_cast<int64_t>(instruction.operands.size()) - first;
  for (int64_t i = first; i < first + count; ++i) {
    const Shape& start = Operand(instruction, i);
    if (!IsInt(start.type)) {
      return Violation("expected an integer as start index of " + instruction.opcode_text +
                       ", found " + start.ToString(false));
    }
    if (start.type != Operand(instruction, first).type) {
      return Violation("expected start indices of one type for " + instruction.opcode_text +
                       ", found " + Name(Operand(instruction, first).type) + " and " +
                       Name(start.type));
    }
  }
  const bool vector = count == 1 && Operand(instruction, first).rank() == 1;
  if (vector && SameSizes(Operand(instruction, first).dims, rank)) return llvm::Error::success();
  for (int64_t i = first; i < first + count; ++i) {
    if (!vector && count == rank && Operand(instruction, i).IsScalar()) continue;
    return Violation("expected scalar start indices of " + instruction.opcode_text +
                     ", one for each of " + llvm::Twine(rank) + " dimensions, found " +
                     Operand(instruction, i).ToString(false) + " and " + llvm::Twine(count) +
                     " in all");
  }
  if (count == rank) return llvm::Error::success();
  return Violation("expected " + llvm::Twine(rank) + " start indices of " +
                   instruction.opcode_text + ", found " + llvm::Twine(count));
}

llvm::Error CheckWindowFits(llvm::ArrayRef<int64_t> sizes, const Shape& operand,
                            llvm::StringRef what) {
  if (llvm::Error error = CheckCount(sizes.size(), operand.rank(), what)) return error;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool inside = operand.dims[d] == kUnboundedSize || sizes[d] <= operand.dims[d];
    if ((sizes[d] < 0 && sizes[d] != kUnboundedSize) || !inside) {
      return Violation("expected at most " + llvm::Twine(operand.dims[d]) +
                       " elements of dimension " + llvm::Twine(d) + " as " + what + ", found " +
                       llvm::Twine(sizes[d]));
    }
  }
  return llvm::Error::success();
}

Expected DynamicSlice(const Instruction& instruction) {
  if (llvm::Error error = CheckAtLeast(instruction, 1)) return error;
  if (llvm::Error error = CheckArray(instruction, 0)) return error;
  const Shape& operand = Operand(instruction, 0);
  const std::vector<int64_t>& sizes = instruction.attributes.dynamic_slice_sizes;
  for (int64_t size : sizes) {
    // A number of the text, of which -1 is none without bound.
    if (size < 0)
      return Violation("expected dynamic_slice_sizes from 0, found " + llvm::Twine(size));
  }
  if (llvm::Error error = CheckWindowFits(sizes, operand, "dynamic_slice_sizes")) return error;
  if (llvm::Error error = CheckStarts(instruction, 1, operand.rank())) return error;
  return Shape::Array(operand.type, sizes);
}

Expected DynamicUpdateSlice(const Instruction& instruction) {
  if (llvm::Error error = CheckAtLeast(instruction, 2)) return error;
  if (llvm::Error error = CheckArray(instruction, 0)) return error;
  const Shape& operand = Operand(instruction, 0);
  const Shape& update = Operand(instruction, 1);
  if (!SameTypeUpToPrecision(update.type, operand.type)) {
    return Violation("expected an update of the element type " + Name(operand.type) + ", found " +
                     update.ToString(false));
  }
  if (llvm::Error error = CheckWindowFits(update.dims, operand, "sizes of the update"))
    return error;
  if (llvm::Error error = CheckStarts(instruction, 2, operand.rank())) return error;
  return Shape::Array(operand.type, operand.dims);
}

// low + high + size + (size - 1) * interior; nullopt beyond int64.
std::optional<int64_t> PaddedSize(int64_t size, const PaddingDimension& padding) {
  int64_t gaps = 0;
  int64_t total = 0;
  if (llvm::MulOverflow(std::max<int64_t>(size - 1, 0), padding.interior, gaps) ||
      llvm::AddOverflow(size, gaps, total) || llvm::AddOverflow(total, padding.low, total) ||
      llvm::AddOverflow(total, padding.high, total)) {
    return std::nullopt;
  }
  return total;
}

Expected Pad(const Instruction& instruction) {
  for (int64_t i : {0, 1}) {
    if (llvm::Error error = CheckArray(instruction, i)) return error;
  }
  const Shape& operand = Operand(instruction, 0);
  const Shape& value = Operand(instruction, 1);
  const std::vector<PaddingDimension>& padding = instruction.attributes.padding;
  if (!value.IsScalar() || !SameTypeUpToPrecision(value.type, operand.type)) {
    return Violation("expected a scalar " + Name(operand.type) + " as padding value, found " +
                     value.ToString(false));
  }
  if (llvm::Error error = CheckCount(padding.size(), operand.rank(), "paddings")) return error;
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < padding.size(); ++d) {
    if (operand.dims[d] == kUnboundedSize) {
      sizes.push_back(kUnboundedSize);
      continue;
    }
    const std::optional<int64_t> size = PaddedSize(operand.dims[d], padding[d]);
    if (padding[d].interior < 0 || !size || *size < 0) {
      return Violation("expected a padding of dimension " + llvm::Twine(d) +
                       " that leaves a size of at least 0");
    }
    sizes.push_back(*size);
  }
  return Shape::Array(operand.type, std::move(sizes));
}

Expected Concatenate(const Instruction& instruction) {
  if (llvm::Error error = CheckAtLeast(instruction, 1)) return error;
  const Shape& first = Operand(instruction, 0);
  const std::vector<int64_t>& dims = instruction.attributes.dimensions;
  if (llvm::Error error = CheckDimensions(dims, first.rank(), "dimensions of the concatenation")) {
    return error;
  }
  if (dims.size() != 1) {
    return Violation("expected one dimension of the concatenation, found " +
                     llvm::Twine(dims.size()));
  }
  std::vector<int64_t> sizes = first.dims;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    if (llvm::Error error = CheckArray(instruction, static_cast<int64_t>(i))) return error;
    const Shape& operand = Operand(instruction, i);
    if (!SameTypeUpToPrecision(operand.type, first.type) || operand.rank() != first.rank() ||
        !SameSizes(SizesWithout(operand, dims), SizesWithout(first, dims))) {
      return Violation("expected operands of concatenate that differ only in dimension " +
                       llvm::Twine(dims[0]) + ", found " + first.ToString(false) + " and " +
                       operand.ToString(false));
    }
    if (i == 0) continue;
    int64_t& size = sizes[dims[0]];
    if (size == kUnboundedSize || operand.dims[dims[0]] == kUnboundedSize) {
      size = kUnboundedSize;
    } else if (llvm::AddOverflow(size, operand.dims[dims[0]], size)) {
      return Violation("expected a concatenation whose size fits 64 bits");
    }
  }
  return Shape::Array(first.type, std::move(sizes));
}

// get-dimension-size and set-dimension-size name one dimension.
llvm::Error CheckOneDimension(const Instruction& instruction) {
  const std::vector<int64_t>& dims = instruction.attributes.dimensions;
  if (llvm::Error error = CheckCount(dims.size(), 1, "dimensions")) return error;
  return CheckDimensions(dims, Operand(instruction, 0).rank(), "dimensions");
}

Expected GetDimensionSize(const Instruction& instruction) {
  if (llvm::Error error = CheckArray(instruction, 0)) return error;
  if (llvm::Error error = CheckOneDimension(instruction)) return error;
  return Shape::Array(PrimitiveType::kS32, {});
}

Expected SetDimensionSize(const Instruction& instruction) {
  for (int64_t i : {0, 1}) {
    if (llvm::Error error = CheckArray(instruction, i)) return error;
  }
  const Shape& operand = Operand(instruction, 0);
  if (llvm::Error error = CheckOneDimension(instruction)) return error;
  if (!Operand(instruction, 1).IsScalar()) return Violation("expected a scalar size");
  Shape shape = Shape::Array(operand.type, operand.dims);
  shape.dynamic = operand.dynamic;
  shape.dynamic.resize(shape.rank());
  shape.dynamic[instruction.attributes.dimensions[0]] = true;
  return shape;
}

constexpr OpcodeRule kSlicingRules[] = {
    {Opcode::kConcatenate, Concatenate},
    {Opcode::kDynamicSlice, DynamicSlice},
    {Opcode::kDynamicUpdateSlice, DynamicUpdateSlice},
    {Opcode::kGetDimensionSize, GetDimensionSize},
    {Opcode::kPad, Pad},
    {Opcode::kSetDimensionSize, SetDimensionSize},
    {Opcode::kSlice, Slice},
};

}  // namespace

llvm::ArrayRef<OpcodeRule> SlicingRules() { return kSlicingRules; }

}  // namespace affirm::hlo
