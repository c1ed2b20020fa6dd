#include "driver/check/random_states.h"

#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

namespace {

// Nothing computes it: an op that no longer reads it leaves nothing uncovered.
bool IsGiven(const hlo::Instruction* op) {
  return op->opcode == hlo::Opcode::kConstant || op->opcode == hlo::Opcode::kParameter;
}

bool IsState(const hlo::Instruction& op) {
  if (!op.shape.IsArray()) return false;
  if (op.opcode == hlo::Opcode::kRng) return llvm::all_of(op.operands, IsGiven);
  if (!op.operands.empty()) return false;
  return op.opcode == hlo::Opcode::kRngGetAndUpdateState ||
         (op.opcode == hlo::Opcode::kCustomCall &&
          op.attributes.custom_call_target == "GetRngSeed");
}

}  // namespace

int64_t MakeStatesParameters(hlo::Module& module) {
  hlo::Computation& entry = *module.entry;
  int64_t count = 0;
  for (const auto& op : entry.instructions) {
    if (!IsState(*op)) continue;
    op->opcode = hlo::Opcode::kParameter;
    op->opcode_text = hlo::Name(op->opcode).str();
    op->attributes = {};
    for (hlo::Instruction* operand : op->operands) {
      llvm::erase(operand->users, op.get());
    }
    op->operands.clear();
    op->parameter_number = std::ssize(entry.parameters);
    entry.parameters.push_back(op.get());
    ++count;
  }
  // It lists the parameters that there were.
  if (count > 0) {
    llvm::erase_if(module.extra_attributes,
                   [](const auto& entry) { return entry.first == "entry_computation_layout"; });
  }
  return count;
}

}  // namespace affirm::driver
