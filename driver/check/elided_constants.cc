#include "driver/check/elided_constants.h"

#include <utility>

#include "driver/check/program.h"
#include "verify/reference/arguments.h"

namespace affirm::driver {

int64_t GiveValuesToElidedConstants(hlo::Module& module, uint64_t seed) {
  int64_t count = 0;
  for (const auto& computation : module.computations) {
    for (const auto& op : computation->instructions) {
      if (op->opcode != hlo::Opcode::kConstant || op->literal || !op->shape.IsArray()) continue;
      hlo::Computation alone;
      auto parameter = MakeInstruction(hlo::Opcode::kParameter, op->name, op->shape, {});
      parameter->parameter_number = 0;
      alone.root = alone.Add(std::move(parameter));
      const uint64_t of_this = seed + static_cast<uint64_t>(++count);
      op->literal = hlo::MakeArguments(alone, of_this, hlo::ArgumentKind::kSmall).front();
    }
  }
  return count;
}

}  // namespace affirm::driver
