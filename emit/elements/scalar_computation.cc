// Computations on scalars (what a reduction or a map applies), inlined where they are called.
#include "emit/elements/node_emitter.h"
#include "emit/plan/same_bits.h"

namespace affirm::emit {
namespace {

constexpr int kMaxCallDepth = 50;

using hlo::Instruction;
using hlo::Opcode;
using mlir::Value;
using Values = NodeEmitter::Values;

// Ops that return their scalar operand unchanged.
bool IsIdentityOnScalars(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBroadcast:
    case Opcode::kCopy:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kOptimizationBarrier:
      return true;
    default:
      return false;
  }
}

}  // namespace

llvm::Expected<Values> NodeEmitter::InlineScalar(const hlo::Computation& computation,
                                                 llvm::ArrayRef<Value> arguments, int depth) {
  llvm::DenseMap<const Instruction*, Values> values;
  for (const auto& owned : computation.instructions) {
    const Instruction& op = *owned;
    if (depth > kMaxCallDepth) return Unsupported(op, "calls nest too deeply");
    llvm::SmallVector<Value> operands;
    for (const Instruction* operand : op.operands) {
      const Values& leaves = values[operand];
      operands.append(leaves.begin(), leaves.end());
    }
    if (!op.shape.IsScalar() && !op.shape.IsTuple()) {
      return Unsupported(op, "a computation applied to elements has a value that isn't a scalar");
    }
    auto number = static_cast<size_t>(op.parameter_number);
    if (op.opcode == Opcode::kParameter) {
      if (number >= arguments.size()) return Unsupported(op, "it has no argument");
      values[&op] = {arguments[number]};
    } else if (op.opcode == Opcode::kConstant) {
      if (!op.literal) return Unsupported(op, "its value was elided from the text");
      values[&op] = {ScalarLiteral(*op.literal, 0)};
    } else if (op.opcode == Opcode::kTuple || IsIdentityOnScalars(op.opcode)) {
      values[&op] = Values(operands.begin(), operands.end());
    } else if (op.opcode == Opcode::kBitcast) {
      if (!HaveSameBits(op.operands[0]->shape.type, op.shape.type)) {
        return Unsupported(op, "it changes the width of a single element");
      }
      values[&op] = {Reinterpreted(b_, operands[0], op.shape.type)};
    } else if (op.opcode == Opcode::kGetTupleElement) {
      auto index = static_cast<size_t>(op.attributes.tuple_index);
      if (index >= operands.size()) return Unsupported(op, "its tuple has no such element");
      values[&op] = {operands[index]};
    } else if ((op.opcode == Opcode::kFusion || op.opcode == Opcode::kCall ||
                op.opcode == Opcode::kMap) &&
               op.called.size() == 1) {
      llvm::Expected<Values> result = InlineScalar(*op.called.front(), operands, depth + 1);
      if (!result) return result.takeError();
      values[&op] = std::move(*result);
    } else if (hlo::IsElementwise(op.opcode) || op.opcode == Opcode::kBitcastConvert) {
      llvm::Expected<Value> result = EmitElementwise(b_, op, operands);
      if (!result) return result.takeError();
      values[&op] = {*result};
    } else {
      return Unsupported(op, "the op has no emission on single elements");
    }
  }
  return values[computation.root];
}

}  // namespace affirm::emit
