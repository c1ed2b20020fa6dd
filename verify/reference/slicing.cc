// slice, pad, concatenate, and the ops that read and set the size of a dimension.
#include "core/symbolic/checked.h"
#include "verify/reference/index.h"
#include "verify/reference/move_elements.h"
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
  return MoveElements(call, [&](const IndexIterator& at) {
    Index index = at.index();
    for (size_t d = 0; d < slice.size(); ++d)
      index[d] = slice[d].start + index[d] * slice[d].stride;
    return OperandElement{0, operand.Linear(index)};
  });
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
  return MoveElements(call, [&](const IndexIterator& at) {
    Index index(padding.size());
    for (size_t d = 0; d < padding.size(); ++d) {
      const int128 position = int128{at[d]} - padding[d].low;
      const int128 step = int128{padding[d].interior} + 1;
      if (position < 0 || position % step != 0 || position / step >= shape.dims[d]) {
        return OperandElement{1, 0};
      }
      index[d] = static_cast<int64_t>(position / step);
    }
    return OperandElement{0, operand.Linear(index)};
  });
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
  return MoveElements(call, [&](const IndexIterator& at) {
    Index index = at.index();
    for (size_t k = 0; k < call.operands.size(); ++k) {
      const int64_t size = call.operand(k).shape().dims[d];
      if (index[d] < size)
        return OperandElement{static_cast<int64_t>(k), call.operand(k).Linear(index)};
      index[d] -= size;
    }
    return OperandElement{-1, 0};
  });
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
