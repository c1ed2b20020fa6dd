#include "driver/validate/in_place.h"

#include "core/hlo/leaves.h"

namespace affirm::driver {
namespace {

bool WorksInPlace(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::kSort || opcode == hlo::Opcode::kScatter ||
         opcode == hlo::Opcode::kDynamicUpdateSlice;
}

// The launch's parameter that an array parameter of the computation is; -1 for a tuple.
int64_t NumberInLaunch(const hlo::Computation& computation, const hlo::Instruction& parameter) {
  int64_t number = 0;
  for (const hlo::Instruction* each : computation.parameters) {
    if (each == &parameter) return parameter.shape.IsArray() ? number : -1;
    number += hlo::NumLeaves(each->shape);
  }
  return -1;
}

// The place in the launch of the input with this number.
int64_t PlaceOfInput(const kernel::Launch& launch, int64_t number) {
  for (size_t k = 0; k < launch.params.size(); ++k) {
    if (launch.params[k].role == kernel::Param::kInput && number-- == 0)
      return static_cast<int64_t>(k);
  }
  return -1;
}

}  // namespace

bool StartResultsAsOperands(const hlo::Computation& computation, kernel::Launch& launch) {
  const hlo::Instruction& root = *computation.root;
  if (!WorksInPlace(root.opcode)) return false;
  bool changed = false;
  size_t result = 0;
  for (kernel::Param& param : launch.params) {
    if (param.role != kernel::Param::kOutput || result >= root.operands.size()) continue;
    const hlo::Instruction& operand = *root.operands[result++];
    if (operand.opcode != hlo::Opcode::kParameter || param.starts_as) continue;
    const int64_t number = NumberInLaunch(computation, operand);
    const int64_t from = number < 0 ? -1 : PlaceOfInput(launch, number);
    if (from < 0) continue;
    const kernel::Param& input = launch.params[from];
    if (input.memory == param.memory || input.bytes != param.bytes) continue;
    param.starts_as = from;
    changed = true;
  }
  return changed;
}

}  // namespace affirm::driver
