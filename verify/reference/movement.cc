// copy, reshape, dynamic-reshape, broadcast, transpose and reverse: each element of the result is,
// bit for bit, an element of the operand.
#include "verify/reference/index.h"
#include "verify/reference/move_elements.h"
#include "verify/reference/ops.h"
#include "verify/reference/trace.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {

Result EvaluateCopy(const OpInvocation& call) {
  if (call.operand(0).shape().IsTuple()) {
    ReadLeaves(call, call.operand(0).shape(), 0, 0, 0);
    return call.operand(0);
  }
  if (call.operand(0).NumElements() != call.instruction.shape.NumElements()) {
    return Fail(call.instruction, "changes the number of elements");
  }
  return MoveElements(call, [](const IndexIterator& at) { return OperandElement{0, at.linear()}; });
}

// Operand dimension d is result dimension dimensions[d].
Result EvaluateBroadcast(const OpInvocation& call) {
  const Literal& operand = call.operand(0);
  const auto& dimensions = call.attributes().dimensions;
  if (std::ssize(dimensions) != operand.shape().rank()) {
    return Fail(call.instruction, "needs one dimension for each of the operand's");
  }
  if (auto error = CheckDimensions(call.instruction, dimensions, call.instruction.shape.rank())) {
    return error;
  }
  return MoveElements(call, [&](const IndexIterator& at) {
    return OperandElement{0, operand.Linear(Select(at.index(), dimensions))};
  });
}

Result EvaluateTranspose(const OpInvocation& call) {
  const Literal& operand = call.operand(0);
  const auto& permutation = call.attributes().dimensions;
  const int64_t rank = operand.shape().rank();
  if (std::ssize(permutation) != rank || call.instruction.shape.rank() != rank) {
    return Fail(call.instruction, "needs a permutation of the operand's dimensions");
  }
  if (auto error = CheckDimensions(call.instruction, permutation, rank)) return error;
  // Dimension d of the result is dimension permutation[d] of the operand.
  Index index(rank);
  return MoveElements(call, [&](const IndexIterator& at) {
    for (int64_t d = 0; d < rank; ++d) index[permutation[d]] = at[d];
    return OperandElement{0, operand.Linear(index)};
  });
}

Result EvaluateReverse(const OpInvocation& call) {
  const Literal& operand = call.operand(0);
  const auto& dimensions = call.attributes().dimensions;
  if (operand.shape().dims != call.instruction.shape.dims) {
    return Fail(call.instruction, "changes the shape of its operand");
  }
  if (auto error = CheckDimensions(call.instruction, dimensions, operand.shape().rank()))
    return error;
  return MoveElements(call, [&](const IndexIterator& at) {
    Index index = at.index();
    for (int64_t d : dimensions) index[d] = operand.shape().dims[d] - 1 - index[d];
    return OperandElement{0, operand.Linear(index)};
  });
}

// The sizes are operands, one for each dimension of the result; the elements fill it in row-major
// order. Where an element comes from depends on every size.
Result EvaluateDynamicReshape(const OpInvocation& call) {
  const Shape& declared = call.instruction.shape;
  Shape shape = Shape::Array(declared.type, {});
  int64_t count = 1;
  for (size_t k = 1; k < call.operands.size(); ++k) {
    const Literal& size = call.operand(k);
    const bool fits = size.shape().IsScalar() && IsInt(size.shape().type) &&
                      shape.rank() < declared.rank() && LoadIndex(size, 0) >= 0 &&
                      LoadIndex(size, 0) <= declared.dims[k - 1];
    if (!fits) return Fail(call.instruction, "has sizes beyond those of its shape");
    shape.dims.push_back(LoadIndex(size, 0));
    count *= shape.dims.back();
  }
  if (shape.rank() != declared.rank() || count != call.operand(0).NumElements() ||
      shape.type != call.operand(0).shape().type) {
    return Fail(call.instruction, "has sizes that do not fit its operand");
  }
  Result result = NewLiteral(call.instruction, shape);
  if (!result) return result;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t k = 0; k < shape.rank(); ++k) call.Read(0, i, k + 1, 0, 0);
    Store(*result, i, Load(call.operand(0), i));
    call.Read(0, i, 0, 0, i);
  }
  return result;
}

}  // namespace affirm::hlo
