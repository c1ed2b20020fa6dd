#include "verify/enclosure/scalar_enclosures.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/scalar/scalar.h"

namespace affirm::enclosure {

using hlo::Instruction;
using hlo::Opcode;

namespace {

bool MovesScalar(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kCopy:
    case Opcode::kReshape:
      return op.operands[0]->shape.IsScalar() && op.operands[0]->shape.type == op.shape.type;
    default:
      return false;
  }
}

}  // namespace

std::optional<ScalarEnclosures> ScalarEnclosures::Create(const hlo::Computation& computation,
                                                         Freedom freedom) {
  ScalarEnclosures made;
  made.freedom_ = freedom;
  made.parameters_.resize(computation.parameters.size());
  llvm::DenseMap<const Instruction*, size_t> slots;
  for (const auto& op : computation.instructions) {
    if (op->opcode == Opcode::kTuple && op.get() == computation.root) {
      for (const Instruction* operand : op->operands) made.results_.push_back(slots.at(operand));
      continue;
    }
    if (!op->shape.IsScalar()) return std::nullopt;
    const size_t slot = made.slots_.size();
    slots[op.get()] = slot;
    Step step = {nullptr, {}, {}};
    Enclosure given;
    for (const Instruction* operand : op->operands) step.operands.push_back(slots.at(operand));
    if (op->opcode == Opcode::kParameter) {
      made.parameters_[op->parameter_number] = slot;
    } else if (op->opcode == Opcode::kConstant && op->literal) {
      given = Enclosure::Of(op->shape.type, hlo::Load(*op->literal, 0));
    } else if (hlo::IsElementwise(op->opcode) && !MovesScalar(*op)) {
      auto exact = hlo::ResolveElementwise(*op);
      if (!exact) {
        llvm::consumeError(exact.takeError());
        return std::nullopt;
      }
      step.op = op.get();
      step.exact = std::move(*exact);
    } else if (!MovesScalar(*op)) {
      return std::nullopt;
    }
    made.steps_.push_back(std::move(step));
    made.slots_.push_back(given);
    if (op.get() == computation.root) made.results_.push_back(slot);
  }
  made.chosen_.assign(made.slots_.size(), -1);
  return made;
}

llvm::ArrayRef<Enclosure> ScalarEnclosures::Apply(llvm::ArrayRef<Enclosure> arguments) {
  for (auto [k, slot] : llvm::enumerate(parameters_)) {
    slots_[slot] = arguments[k];
    chosen_[slot] = static_cast<int64_t>(k);
  }
  for (auto [slot, step] : llvm::enumerate(steps_)) {
    if (step.operands.empty()) continue;
    if (step.op == nullptr) {
      slots_[slot] = slots_[step.operands[0]];
      chosen_[slot] = chosen_[step.operands[0]];
      continue;
    }
    operands_.clear();
    for (const size_t operand : step.operands) operands_.push_back(slots_[operand]);
    slots_[slot] = Elementwise(*step.op, operands_, step.exact, freedom_);
    chosen_[slot] = -1;
    if (step.op->opcode == Opcode::kSelect) {
      const int64_t on_true = chosen_[step.operands[1]], on_false = chosen_[step.operands[2]];
      const Enclosure& condition = operands_[0];
      if (condition.lo == condition.hi) chosen_[slot] = condition.lo != 0 ? on_true : on_false;
      if (on_true == on_false) chosen_[slot] = on_true;
    }
  }
  of_results_.clear();
  for (const size_t slot : results_) of_results_.push_back(slots_[slot]);
  return of_results_;
}

int64_t ScalarEnclosures::ChosenParameter(size_t result) const { return chosen_[results_[result]]; }

}  // namespace affirm::enclosure
