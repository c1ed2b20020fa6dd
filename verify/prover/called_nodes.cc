#include "verify/prover/called_nodes.h"

#include "verify/prover/loop_bodies.h"

namespace affirm::prover {

using hlo::Opcode;

size_t OperandOfBranch(const hlo::Instruction& conditional, size_t number) {
  const std::string& role = conditional.called_as[number];
  if (role == "true_computation") return 1;
  return role == "false_computation" ? 2 : number + 1;
}

const Call* CalledNodes::Enter(const Node& node, size_t number) {
  std::unique_ptr<Call>& call = calls_[{node.call, node.instruction, number}];
  if (call == nullptr) {
    std::string prefix = (node.call != nullptr ? node.call->prefix : "") + node.instruction->name;
    if (node.instruction->opcode == Opcode::kConditional)
      prefix += "/" + std::to_string(OperandOfBranch(*node.instruction, number) - 1);
    call = std::make_unique<Call>(Call{node.call, node.instruction, number, prefix + "/"});
  }
  return call.get();
}

Node CalledNodes::Resolve(Node node) {
  while (node.call != nullptr && node.instruction->opcode == Opcode::kParameter) {
    const hlo::Instruction& call = *node.call->instruction;
    const size_t operand = call.opcode == Opcode::kConditional
                               ? OperandOfBranch(call, node.call->number)
                               : static_cast<size_t>(node.instruction->parameter_number);
    node = {node.call->outer, call.operands[operand], node.leaf};
  }
  return node;
}

std::vector<NodeOperand> CalledNodes::OperandsOf(const Node& node) {
  const hlo::Instruction& op = *node.instruction;
  const auto same = [&](const Call* call, const hlo::Instruction* from, int64_t leaf) {
    return NodeOperand{Resolve({call, from, leaf}), std::nullopt};
  };
  std::vector<NodeOperand> operands;
  switch (op.opcode) {
    case Opcode::kGetTupleElement: {
      const hlo::Instruction* tuple = op.operands[0];
      const int64_t first = hlo::FirstLeafOfElement(tuple->shape, op.attributes.tuple_index);
      return {same(node.call, tuple, first + node.leaf)};
    }
    case Opcode::kTuple: {
      int64_t leaf = node.leaf;
      for (const hlo::Instruction* operand : op.operands) {
        const int64_t leaves = hlo::NumLeaves(operand->shape);
        if (leaf < leaves) return {same(node.call, operand, leaf)};
        leaf -= leaves;
      }
      return {};
    }
    case Opcode::kCall:
    case Opcode::kFusion:
      return {same(Enter(node, 0), op.called[0]->root, node.leaf)};
    case Opcode::kConditional:
      operands.push_back({Resolve({node.call, op.operands[0], 0}), 0});
      for (size_t k = 1; k <= op.called.size(); ++k) {
        for (size_t number = 0; number < op.called.size(); ++number) {
          if (OperandOfBranch(op, number) == k)
            operands.push_back(
                {same(Enter(node, number), op.called[number]->root, node.leaf).node, k});
        }
      }
      return operands;
    case Opcode::kWhile:
      if (IsKept(op, node.leaf)) return {same(node.call, op.operands[0], node.leaf)};
      break;
    default:
      break;
  }
  for (size_t k = 0; k < op.operands.size(); ++k) {
    for (int64_t leaf = 0; leaf < hlo::NumLeaves(op.operands[k]->shape); ++leaf)
      operands.push_back({Resolve({node.call, op.operands[k], leaf}), k});
  }
  return operands;
}

}  // namespace affirm::prover
