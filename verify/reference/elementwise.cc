// Elementwise ops, select and map on arrays: the function of one element, applied to each.
#include "verify/scalar/elementwise.h"

#include "verify/reference/fold.h"
#include "verify/reference/move_elements.h"
#include "verify/reference/ops.h"

namespace affirm::hlo {

Result EvaluateElementwise(const OpInvocation& call) {
  llvm::Expected<ScalarOp> op = ResolveElementwise(call.instruction);
  if (!op) return op.takeError();
  Result result = NewLiteral(call);
  if (!result) return result;
  const int64_t count = result->NumElements();
  // The predicate of select and the bounds of clamp may be scalars, which hold for every element.
  llvm::SmallVector<bool, 3> is_scalar;
  for (const Literal* operand : call.operands) {
    is_scalar.push_back(operand->shape().rank() == 0);
    if (!is_scalar.back() && operand->NumElements() != count) {
      return Fail(call.instruction, "has operands of different sizes");
    }
  }
  llvm::SmallVector<Scalar, 3> elements(call.operands.size());
  for (int64_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < elements.size(); ++k) {
      const int64_t from = is_scalar[k] ? 0 : i;
      elements[k] = Load(*call.operands[k], from);
      call.Read(0, i, k, 0, from);
    }
    Store(*result, i, (*op)(elements.data()));
  }
  return result;
}

// Copies bit for bit, NaN payloads included. As in every elementwise op, all operands count as
// read.
Result EvaluateSelect(const OpInvocation& call) {
  const bool scalar = call.operand(0).shape().IsScalar();
  const int64_t count = call.instruction.shape.NumElements();
  for (size_t k = scalar ? 1 : 0; k < 3; ++k) {
    if (call.operand(k).NumElements() != count)
      return Fail(call.instruction, "joins different sizes");
  }
  return MoveElements(call, [&](const IndexIterator& at) {
    const bool on_true = call.operand(0).GetInt(scalar ? 0 : at.linear()) != 0;
    call.Read(0, at.linear(), 0, 0, scalar ? 0 : at.linear());
    call.Read(0, at.linear(), on_true ? 2 : 1, 0, at.linear());
    return OperandElement{on_true ? 1 : 2, at.linear()};
  });
}

// Applies a computation to the elements of all operands at each index.
Result EvaluateMap(const OpInvocation& call) {
  auto callee = Callee(call.instruction, "to_apply");
  if (!callee) return callee.takeError();
  auto function = ScalarFunction::Create(call.instruction, **callee, ElementTypes(call.operands),
                                         call.instruction.shape.type);
  if (!function) return function.takeError();
  Result result = NewLiteral(call);
  if (!result) return result;
  for (const Literal* operand : call.operands) {
    if (operand->shape().dims != result->shape().dims) {
      return Fail(call.instruction, "has operands of different sizes");
    }
  }
  std::vector<Scalar> elements(call.operands.size());
  Scalar value;
  for (int64_t i = 0; i < result->NumElements(); ++i) {
    for (size_t k = 0; k < elements.size(); ++k) {
      elements[k] = Load(call.operand(k), i);
      call.Read(0, i, k, 0, i);
    }
    if (auto error = function->Apply(elements, value)) return error;
    Store(*result, i, value);
  }
  return result;
}

}  // namespace affirm::hlo
