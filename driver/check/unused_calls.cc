#include "driver/check/unused_calls.h"

#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

namespace {

bool HasSideEffect(const hlo::Instruction& call) {
  const std::string* said = call.attributes.FindExtra("custom_call_has_side_effect");
  return said != nullptr && *said != "false";
}

}  // namespace

void DropUnusedCalls(hlo::Module& module) {
  for (const auto& computation : module.computations) {
    auto& instructions = computation->instructions;
    // Users stand behind what they read.
    for (size_t k = instructions.size(); k-- > 0;) {
      hlo::Instruction& call = *instructions[k];
      if (call.opcode != hlo::Opcode::kCustomCall || !call.users.empty() ||
          &call == computation->root || HasSideEffect(call)) {
        continue;
      }
      for (hlo::Instruction* operand : call.operands) llvm::erase(operand->users, &call);
      instructions.erase(instructions.begin() + static_cast<int64_t>(k));
    }
  }
}

}  // namespace affirm::driver
