// An element of a dot or a convolution: a loop over the products that it adds.
#include "core/hlo/attribute_rules.h"
#include "emit/elements/node_emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace affirm::emit {

namespace arith = mlir::arith;
using mlir::Value;
using Values = NodeEmitter::Values;

// Sums of products, taken in the accumulation type and rounded to the result's once: f64 when it or
// an operand is, else f32 for floats.
llvm::Expected<Values> NodeEmitter::EmitContraction(int64_t node) {
  const hlo::Instruction& op = instruction(node);
  const std::string unmodeled = hlo::UnmodeledAttribute(op);
  if (!unmodeled.empty()) return Unsupported(op, "its values depend on " + unmodeled);
  hlo::PrimitiveType type = op.shape.type;
  if (hlo::IsFloat(type)) {
    bool is_double = type == hlo::PrimitiveType::kF64;
    for (const hlo::Instruction* operand : op.operands) {
      is_double |= operand->shape.type == hlo::PrimitiveType::kF64;
    }
    type = is_double ? hlo::PrimitiveType::kF64 : hlo::PrimitiveType::kF32;
  }
  Values zero{Zero(type)};
  if (!plan(node).operands[0].read || !plan(node).operands[1].read) {
    return Values{Convert(b_, zero.front(), type, op.shape.type)};
  }
  auto step = [&](mlir::ValueRange acc) -> llvm::Expected<Values> {
    if (llvm::Error error = EmitScope(plan(node).operands[0].scope)) return error;
    llvm::SmallVector<Value, 2> factors;
    for (int64_t k = 0; k < 2; ++k) {
      llvm::Expected<Value> element = Element(node, k);
      if (!element) return element.takeError();
      factors.push_back(Convert(b_, *element, op.operands[k]->shape.type, type));
    }
    Value product = Multiply(b_, factors[0], factors[1]);
    if (type == hlo::PrimitiveType::kPred) {
      return Values{arith::OrIOp::create(b_, acc[0], product)};
    }
    return Values{Add(b_, acc[0], product)};
  };
  auto sum = LoopNest(plan(node).loops, zero, [&](mlir::ValueRange acc) -> llvm::Expected<Values> {
    Value inside = Conditions(node, 0, 2);
    if (!inside) return step(acc);
    return Branch(
        inside, acc.getTypes(), [&] { return step(acc); },
        [&]() -> llvm::Expected<Values> { return Values(acc.begin(), acc.end()); });
  });
  if (!sum) return sum.takeError();
  return Values{Convert(b_, sum->front(), type, op.shape.type)};
}

}  // namespace affirm::emit
