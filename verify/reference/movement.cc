// copy, reshape, dynamic-reshape, broadcast, transpose and reverse: each element of the result is,
// bit for bit, an element of the operand.
#include "verify/reference/move_boxes.h"
#include "verify/reference/ops.h"
#include "verify/reference/trace.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {

Result EvaluateCopy(const OpInvocation& call) {
  if (call.operand(0).shape().IsTuple()) {
    ReadLeaves(call, call.operand(0).shape(), 0, 0, 0);
    return call.operand(0);
  }
  const int64_t count = call.operand(0).NumElements();
  if (count != call.instruction.shape.NumElements()) {
    return Fail(call.instruction, "changes the number of elements");
  }
  BoxMover mover(call);
  mover.Move(0, {count}, {0, {1}}, {0, {1}});
  return mover.Finish();
}

namespace {

// The result is one box of operand 0.
Result MoveAll(const OpInvocation& call, const BoxSide& from) {
  const std::vector<int64_t>& sizes = call.instruction.shape.dims;
  BoxMover mover(call);
  mover.Move(0, sizes, from, BoxSide::Whole(sizes));
  return mover.Finish();
}

}  // namespace

// Operand dimension d is result dimension dimensions[d].
Result EvaluateBroadcast(const OpInvocation& call) {
  const Literal& operand = call.operand(0);
  const auto& dimensions = call.attributes().dimensions;
  const int64_t rank = call.instruction.shape.rank();
  if (std::ssize(dimensions) != operand.shape().rank()) {
    return Fail(call.instruction, "needs one dimension for each of the operand's");
  }
  if (auto error = CheckDimensions(call.instruction, dimensions, rank)) return error;
  BoxSide from{0, Index(rank, 0)};
  Assign(BoxSide::Whole(operand.shape().dims).strides, dimensions, from.strides);
  return MoveAll(call, from);
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
  return MoveAll(call, {0, Select(BoxSide::Whole(operand.shape().dims).strides, permutation)});
}

Result EvaluateReverse(const OpInvocation& call) {
  const Literal& operand = call.operand(0);
  const auto& dimensions = call.attributes().dimensions;
  const std::vector<int64_t>& sizes = operand.shape().dims;
  if (sizes != call.instruction.shape.dims) {
    return Fail(call.instruction, "changes the shape of its operand");
  }
  if (auto error = CheckDimensions(call.instruction, dimensions, operand.shape().rank()))
    return error;
  BoxSide from = BoxSide::Whole(sizes);
  for (int64_t d : dimensions) {
    from.first += (sizes[d] - 1) * from.strides[d];
    from.strides[d] = -from.strides[d];
  }
  return MoveAll(call, from);
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
