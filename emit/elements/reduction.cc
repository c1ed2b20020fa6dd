// An element of a reduce or a reduce-window that one thread computes, by a loop over the elements
// that it combines.
#include "emit/elements/node_emitter.h"

namespace affirm::emit {

using mlir::Value;
using Values = NodeEmitter::Values;

llvm::Expected<Values> NodeEmitter::EmitReduce(int64_t node) {
  const hlo::Instruction& op = instruction(node);
  if (op.called.size() != 1) return Unsupported(op, "it must call one computation");
  auto inputs = static_cast<int64_t>(op.operands.size() / 2);
  Values init;
  bool empty = false;
  for (int64_t k = 0; k < inputs; ++k) {
    llvm::Expected<Value> value = Element(node, inputs + k);
    if (!value) return value.takeError();
    init.push_back(*value);
    empty |= !plan(node).operands[k].read;
  }
  if (empty) return init;
  auto step = [&](mlir::ValueRange acc) -> llvm::Expected<Values> {
    llvm::SmallVector<Value> arguments(acc.begin(), acc.end());
    if (llvm::Error error = EmitScope(plan(node).operands[0].scope)) return error;
    for (int64_t k = 0; k < inputs; ++k) {
      llvm::Expected<Value> element = Element(node, k);
      if (!element) return element.takeError();
      arguments.push_back(*element);
    }
    return InlineScalar(*op.called.front(), arguments);
  };
  return LoopNest(plan(node).loops, init, [&](mlir::ValueRange acc) -> llvm::Expected<Values> {
    Value inside = Conditions(node, 0, inputs);
    if (!inside) return step(acc);
    // A window skips what lies outside of the operand.
    return Branch(
        inside, acc.getTypes(), [&] { return step(acc); },
        [&]() -> llvm::Expected<Values> { return Values(acc.begin(), acc.end()); });
  });
}

}  // namespace affirm::emit
