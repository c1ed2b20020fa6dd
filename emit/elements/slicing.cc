// Elements of pad, concatenate and dynamic-update-slice, which come from one of several branches,
// and the value of get-dimension-size.
#include "emit/elements/node_emitter.h"

namespace affirm::emit {

using mlir::Value;
using Values = NodeEmitter::Values;

llvm::Expected<Values> NodeEmitter::EmitPad(int64_t node) {
  llvm::Expected<Value> padding = Element(node, 1);
  if (!padding) return padding.takeError();
  if (!plan(node).operands[0].read) return Values{*padding};
  Value inside = Conditions(node, 0, 1);
  if (!inside) return ScopedElement(node, 0);
  return Branch(
      inside, padding->getType(), [&] { return ScopedElement(node, 0); },
      [&]() -> llvm::Expected<Values> { return Values{*padding}; });
}

llvm::Expected<Values> NodeEmitter::EmitConcatenate(int64_t node) {
  // One branch after the other instead of nested ones: exactly one of them is taken.
  Values value{Zero(instruction(node).shape.type)};
  for (size_t k = 0; k < plan(node).operands.size(); ++k) {
    if (!plan(node).operands[k].read) continue;
    Value inside = Conditions(node, static_cast<int64_t>(k), 1);
    auto element = [&] { return ScopedElement(node, static_cast<int64_t>(k)); };
    llvm::Expected<Values> next = inside ? Branch(inside, value.front().getType(), element,
                                                  [&]() -> llvm::Expected<Values> { return value; })
                                         : element();
    if (!next) return next.takeError();
    value = std::move(*next);
  }
  return value;
}

llvm::Expected<Values> NodeEmitter::EmitDynamicUpdateSlice(int64_t node) {
  if (!plan(node).operands[1].read) return ScopedElement(node, 0);
  Value inside = Conditions(node, 1, 1);
  if (!inside) return ScopedElement(node, 1);
  mlir::Type type = ValueType(b_.getContext(), instruction(node).shape.type);
  return Branch(
      inside, type, [&] { return ScopedElement(node, 1); }, [&] { return ScopedElement(node, 0); });
}

llvm::Expected<Value> NodeEmitter::EmitGetDimensionSize(const hlo::Instruction& op) {
  const hlo::Shape& operand = op.operands.front()->shape;
  size_t dim = op.attributes.dimensions.empty() ? 0 : op.attributes.dimensions.front();
  if (dim >= operand.dims.size() || llvm::is_contained(operand.dynamic, true)) {
    return Unsupported(op, "the size isn't static");
  }
  return IntConstant(b_, ValueType(b_.getContext(), op.shape.type), operand.dims[dim]);
}

}  // namespace affirm::emit
