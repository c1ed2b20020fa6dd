// Elementwise ops, select and map on arrays: the function of one element, applied to each.
#include "verify/scalar/elementwise.h"

#include <algorithm>

#include "verify/reference/fold.h"
#include "verify/reference/ops.h"

namespace affirm::hlo {
namespace {

// How often a loop takes an operand that is a scalar at once.
constexpr int64_t kRepeats = 1024;

std::vector<uint8_t> Repeated(const Literal& scalar, int64_t count) {
  std::vector<uint8_t> elements;
  for (int64_t i = 0; i < count; ++i)
    elements.insert(elements.end(), scalar.bytes().begin(), scalar.bytes().end());
  return elements;
}

// The op on all elements. Operands of rank 0 hold for every element.
Result ApplyToAll(const OpInvocation& call, const SpanOp& op) {
  Result result = NewLiteral(call);
  if (!result) return result;
  const int64_t count = result->NumElements();
  llvm::SmallVector<const uint8_t*, 3> elements;
  llvm::SmallVector<int64_t, 3> widths;  // 0 for a scalar
  std::vector<std::vector<uint8_t>> repeated;
  for (auto [k, operand] : llvm::enumerate(call.operands)) {
    const bool is_scalar = operand->shape().rank() == 0 && count != 1;
    if (!is_scalar && operand->NumElements() != count)
      return Fail(call.instruction, "has operands of different sizes");
    for (int64_t i = 0; i < count && call.observer != nullptr; ++i)
      call.Read(0, i, k, 0, is_scalar ? 0 : i);
    if (is_scalar) repeated.push_back(Repeated(*operand, std::min(count, kRepeats)));
    elements.push_back(is_scalar ? repeated.back().data() : operand->data());
    widths.push_back(is_scalar ? 0 : ByteWidth(operand->shape().type));
  }
  const int64_t at_once = repeated.empty() ? count : kRepeats;
  for (int64_t i = 0; i < count; i += at_once) {
    const int64_t size = std::min(at_once, count - i);
    op(elements.data(), result->data() + i * ByteWidth(result->shape().type), size);
    for (size_t k = 0; k < elements.size(); ++k) elements[k] += widths[k] * size;
  }
  return result;
}

}  // namespace

Result EvaluateElementwise(const OpInvocation& call) {
  llvm::Expected<SpanOp> op = ResolveSpan(call.instruction);
  if (!op) return op.takeError();
  return ApplyToAll(call, *op);
}

// Copies bit for bit, NaN payloads included. As in every elementwise op, all operands count as
// read.
Result EvaluateSelect(const OpInvocation& call) {
  const Shape& shape = call.instruction.shape;
  bool fits = shape.IsArray() && call.operand(0).shape().type == PrimitiveType::kPred;
  for (size_t k = 1; k < 3; ++k) {
    fits = fits && call.operand(k).shape().type == shape.type &&
           call.operand(k).NumElements() == shape.NumElements();
  }
  if (!fits) return Fail(call.instruction, "does not fit its operands");
  return ApplyToAll(call, SelectOfBits(shape.type));
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
