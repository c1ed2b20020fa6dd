// The one operation that a reduction applies, and whether its terms may be regrouped.
#include "emit/plan/regrouping.h"

namespace affirm::emit {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;

bool HasIdentity(Opcode operation, PrimitiveType type) {
  switch (operation) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      // Small floats have no infinities or no -0.
      return hlo::IsInt(type) || (hlo::IsFloat(type) && hlo::BitWidth(type) >= 16);
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return type == PrimitiveType::kPred || hlo::IsInt(type);
    default:
      return false;
  }
}

// The operation of a reduction whose computation is that one operation on its two parameters.
std::optional<Opcode> OperationOf(const Instruction& reduce) {
  if (reduce.operands.size() != 2 || reduce.called.size() != 1) return std::nullopt;
  const Instruction& root = *reduce.called.front()->root;
  if (root.operands.size() != 2 || root.operands[0] == root.operands[1]) return std::nullopt;
  for (const Instruction* operand : root.operands) {
    if (operand->opcode != Opcode::kParameter) return std::nullopt;
  }
  return root.opcode;
}

}  // namespace

std::optional<Opcode> RegroupedOperation(const Instruction& op) {
  if (op.opcode != Opcode::kReduce || !op.shape.IsArray()) return std::nullopt;
  std::optional<Opcode> operation = OperationOf(op);
  PrimitiveType type = op.shape.type;
  if (!operation || op.operands[0]->shape.type != type || !HasIdentity(*operation, type)) {
    return std::nullopt;
  }
  return operation;
}

}  // namespace affirm::emit
