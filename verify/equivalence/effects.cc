#include "verify/equivalence/effects.h"

#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::equivalence {

using hlo::Instruction;
using hlo::Opcode;

namespace {

bool HasEffect(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kUnknown:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kSend:
    case Opcode::kSendDone:
      return true;
    case Opcode::kCustomCall: {
      const std::string* effect = op.attributes.FindExtra("custom_call_has_side_effect");
      return effect != nullptr && *effect != "false";
    }
    default:
      return false;
  }
}

}  // namespace

bool IsFunctionOfOperands(const Instruction& op) {
  if (HasEffect(op) || op.opcode == Opcode::kRng || op.opcode == Opcode::kRngGetAndUpdateState)
    return false;
  return llvm::all_of(op.called, [](const hlo::Computation* called) {
    return llvm::all_of(called->instructions,
                        [](const auto& inner) { return IsFunctionOfOperands(*inner); });
  });
}

const Instruction* FindEffect(const hlo::Computation& computation) {
  for (const auto& op : computation.instructions) {
    if (HasEffect(*op)) return op.get();
    for (const hlo::Computation* called : op->called) {
      if (const Instruction* inner = FindEffect(*called)) return inner;
    }
  }
  return nullptr;
}

const Instruction* FindEffectBesideResults(const hlo::Computation& computation) {
  llvm::DenseSet<const Instruction*> reached;
  std::vector<const Instruction*> stack = {computation.root};
  while (!stack.empty()) {
    const Instruction* op = stack.back();
    stack.pop_back();
    if (reached.insert(op).second)
      stack.insert(stack.end(), op->operands.begin(), op->operands.end());
  }
  for (const auto& op : computation.instructions) {
    const bool seen = reached.contains(op.get());
    if (HasEffect(*op) && !seen) return op.get();
    for (const hlo::Computation* called : op->called) {
      if (const Instruction* inner = seen ? FindEffectBesideResults(*called) : FindEffect(*called))
        return inner;
    }
  }
  return nullptr;
}

}  // namespace affirm::equivalence
