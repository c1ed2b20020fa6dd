#include "driver/check/random_states.h"

#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

namespace {

bool IsState(const hlo::Instruction& op) {
  if (!op.operands.empty() || !op.shape.IsArray()) return false;
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
