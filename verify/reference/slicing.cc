// slice, pad, concatenate, and the ops that read and set the size of a dimension.
#include <utility>

#include "core/symbolic/checked.h"
#include "verify/reference/move_boxes.h"
#include "verify/reference/ops.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {

Result EvaluateSlice(const OpInvocation& call) {
  const Literal& operand = call.operand(0);
  const auto& slice = call.attributes().slice;
  const Shape& shape = operand.shape();
  bool fits = std::ssize(slice) == shape.rank() && call.instruction.shape.rank() == shape.rank();
  for (size_t d = 0; fits && d < slice.size(); ++d) {
    const SliceDimension& s = slice[d];
    fits = 0 <= s.start && s.start <= s.limit && s.limit <= shape.dims[d] && s.stride >= 1 &&
           call.instruction.shape.dims[d] == CeilDivUnchecked(s.limit - s.start, s.stride);
  }
  if (!fits) return Fail(call.instruction, "does not fit its operand");
  const std::vector<int64_t>& sizes = call.instruction.shape.dims;
  BoxSide from = BoxSide::Whole(shape.dims);
  for (size_t d = 0; d < slice.size(); ++d) {
    from.first += slice[d].start * from.strides[d];
    from.strides[d] *= sizes[d] == 1 ? 0 : slice[d].stride;  // a single element may have any stride
  }
  BoxMover mover(call);
  mover.Move(0, sizes, from, BoxSide::Whole(sizes));
  return mover.Finish();
}

// An element is the operand's where low padding and interior gaps allow, else the padding value.
Result EvaluatePad(const OpInvocation& call) {
  const Literal& operand = call.operand(0);
  const auto& padding = call.attributes().padding;
  const Shape& shape = operand.shape();
  if (std::ssize(padding) != shape.rank() || call.instruction.shape.rank() != shape.rank() ||
      !call.operand(1).shape().IsScalar()) {
    return Fail(call.instruction, "does not fit its operands");
  }
  for (const PaddingDimension& p : padding) {
    if (p.interior < 0) return Fail(call.instruction, "has negative interior padding");
  }
  const std::vector<int64_t>& sizes = call.instruction.shape.dims;
  BoxMover mover(call);
  mover.Move(1, sizes, {0, Index(sizes.size(), 0)}, BoxSide::Whole(sizes));
  if (shape.NumElements() == 0) return mover.Finish();
  Index inside;  // sizes of the box of those elements that stand in the result
  BoxSide from = BoxSide::Whole(shape.dims), to = BoxSide::Whole(sizes);
  for (size_t d = 0; d < padding.size(); ++d) {
    // Element i stands at low + i * step.
    const int128 low = padding[d].low, step = int128{padding[d].interior} + 1;
    const int128 first = std::max<int128>(0, CeilDivUnchecked<int128>(-low, step));
    const int128 end =
        std::min<int128>(shape.dims[d], FloorDivUnchecked<int128>(sizes[d] - 1 - low, step) + 1);
    if (first >= end) return mover.Finish();
    inside.push_back(static_cast<int64_t>(end - first));
    from.first += static_cast<int64_t>(first) * from.strides[d];
    to.first += static_cast<int64_t>(low + first * step) * to.strides[d];
    to.strides[d] *= inside[d] == 1 ? 0 : static_cast<int64_t>(step);
  }
  mover.Move(0, inside, from, to);
  return mover.Finish();
}

Result EvaluateConcatenate(const OpInvocation& call) {
  const auto& dimensions = call.attributes().dimensions;
  const int64_t rank = call.instruction.shape.rank();
  if (dimensions.size() != 1) return Fail(call.instruction, "needs one dimension");
  if (auto error = CheckDimensions(call.instruction, dimensions, rank)) return error;
  const int64_t d = dimensions[0];
  for (const Literal* operand : call.operands) {
    if (operand->shape().rank() != rank) return Fail(call.instruction, "joins different ranks");
  }
  const std::vector<int64_t>& result_sizes = call.instruction.shape.dims;
  BoxMover mover(call);
  BoxSide to = BoxSide::Whole(result_sizes);
  int64_t joined = 0;  // size of the operands so far
  bool fits = true;
  for (auto [k, operand] : llvm::enumerate(call.operands)) {
    std::vector<int64_t> sizes = operand->shape().dims;
    mover.Move(static_cast<int64_t>(k), sizes, BoxSide::Whole(sizes), to);
    to.first += sizes[d] * to.strides[d];
    joined += std::exchange(sizes[d], result_sizes[d]);
    fits &= sizes == result_sizes;
  }
  if (!fits || joined != result_sizes[d])
    return Fail(call.instruction, "does not fit its operands");
  return mover.Finish();
}

Result EvaluateGetDimensionSize(const OpInvocation& call) {
  const Shape& shape = call.operand(0).shape();
  const auto& dimensions = call.attributes().dimensions;
  if (dimensions.size() != 1) return Fail(call.instruction, "needs one dimension");
  if (auto error = CheckDimensions(call.instruction, dimensions, shape.rank())) return error;
  Result result = NewLiteral(call);
  if (result && result->shape().IsScalar()) Store(*result, 0, {.i = shape.dims[dimensions[0]]});
  return result;
}

// Keeps the leading elements along the dimension. Each of them depends on the size, which decides
// whether it is there.
Result EvaluateSetDimensionSize(const OpInvocation& call) {
  const Literal& array = call.operand(0);
  const Literal& number = call.operand(1);
  const auto& dimensions = call.attributes().dimensions;
  if (dimensions.size() != 1) return Fail(call.instruction, "needs one dimension");
  if (auto error = CheckDimensions(call.instruction, dimensions, array.shape().rank()))
    return error;
  if (!number.shape().IsScalar() || !IsInt(number.shape().type)) {
    return Fail(call.instruction, "needs an integer for the size");
  }
  Shape shape = Shape::Array(array.shape().type, array.shape().dims);
  const int64_t size = LoadIndex(number, 0);
  if (size < 0 || size > shape.dims[dimensions[0]]) {
    return Fail(call.instruction, "sets a size of " + llvm::Twine(size) + ", beyond the " +
                                      llvm::Twine(shape.dims[dimensions[0]]) + " elements there");
  }
  shape.dims[dimensions[0]] = size;
  Result result = NewLiteral(call.instruction, shape);
  if (!result) return result;
  for (IndexIterator at(shape.dims); !at.Done(); at.Next()) {
    const int64_t from = array.Linear(at.index());
    Store(*result, at.linear(), Load(array, from));
    call.Read(0, at.linear(), 0, 0, from);
    call.Read(0, at.linear(), 1, 0, 0);
  }
  return result;
}

}  // namespace affirm::hlo
