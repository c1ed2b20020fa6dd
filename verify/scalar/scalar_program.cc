#include "verify/scalar/scalar_program.h"

#include <algorithm>

#include "llvm/ADT/DenseMap.h"

namespace affirm::hlo {
namespace {

// The function of an op that gives a scalar as it is, or its bits as another number of the same
// size. Passes write comparators of sorts with such bitcasts. nullopt for other ops.
std::optional<ScalarOp> ResolveMove(const Instruction& op) {
  const bool forwards = op.opcode == Opcode::kBroadcast || op.opcode == Opcode::kCopy ||
                        op.opcode == Opcode::kReshape;
  const bool casts = op.opcode == Opcode::kBitcast || op.opcode == Opcode::kBitcastConvert;
  if (!forwards && !casts) return std::nullopt;
  const Shape &from = op.operands[0]->shape, &to = op.shape;
  if (from.IsScalar() && from.type == to.type)
    return [](const Scalar* operands) { return operands[0]; };
  const auto is_number = [](PrimitiveType type) {
    return (IsInt(type) || IsFloat(type)) && BitWidth(type) >= 8;
  };
  if (!casts || !from.IsScalar() || !is_number(from.type) || !is_number(to.type) ||
      BitWidth(from.type) != BitWidth(to.type))
    return std::nullopt;
  return [before = Literal(Shape::Array(from.type, {})),
          after = Literal(Shape::Array(to.type, {}))](const Scalar* operands) mutable {
    Store(before, 0, operands[0]);
    std::copy_n(before.data(), ByteWidth(before.shape().type), after.data());
    return Load(after, 0);
  };
}

}  // namespace

std::optional<ScalarProgram> ScalarProgram::Compile(const Computation& computation) {
  ScalarProgram program;
  if (!program.AddInstructions(computation)) return std::nullopt;
  return program;
}

// False when an instruction is not a parameter, a constant, a scalar elementwise op, a move of a
// scalar, or a tuple at the root.
bool ScalarProgram::AddInstructions(const Computation& computation) {
  llvm::DenseMap<const Instruction*, int> slot_of;
  slots_.assign(computation.instructions.size(), {});
  for (const auto& owned : computation.instructions) types_.push_back(owned->shape.type);
  for (const auto& owned : computation.instructions) {
    const Instruction& instruction = *owned;
    const int slot = static_cast<int>(slot_of.size());
    slot_of[&instruction] = slot;
    llvm::SmallVector<int, 3> operands;
    for (const Instruction* operand : instruction.operands) {
      if (!slot_of.contains(operand)) return false;
      operands.push_back(slot_of[operand]);
    }
    if (instruction.opcode == Opcode::kTuple && &instruction == computation.root) {
      result_slots_.assign(operands.begin(), operands.end());
    } else if (!instruction.shape.IsScalar()) {
      return false;
    } else if (instruction.opcode == Opcode::kConstant && instruction.literal) {
      slots_[slot] = Load(*instruction.literal, 0);
    } else if (IsElementwise(instruction.opcode)) {
      llvm::Expected<ScalarOp> op = ResolveElementwise(instruction);
      if (!op) {
        llvm::consumeError(op.takeError());  // the interpreter reports it
        return false;
      }
      steps_.push_back({IsLoop(instruction.opcode, instruction.shape.type), std::move(*op),
                        llvm::cantFail(ResolveSpan(instruction)), std::move(operands), slot});
    } else if (std::optional<ScalarOp> op = ResolveMove(instruction)) {
      steps_.push_back({false, std::move(*op), CopyOfSpan(instruction.operands[0]->shape.type),
                        std::move(operands), slot});
    } else if (instruction.opcode != Opcode::kParameter) {
      return false;
    }
  }
  for (const Instruction* parameter : computation.parameters)
    parameter_slots_.push_back(slot_of[parameter]);
  if (!computation.root->shape.IsTuple()) result_slots_.push_back(slot_of[computation.root]);
  return !result_slots_.empty();
}

void ScalarProgram::Apply(llvm::ArrayRef<Scalar> arguments, llvm::MutableArrayRef<Scalar> results) {
  for (size_t k = 0; k < arguments.size(); ++k) slots_[parameter_slots_[k]] = arguments[k];
  llvm::SmallVector<Scalar, 3> operands;
  for (const Step& step : steps_) {
    operands.clear();
    for (int slot : step.operands) operands.push_back(slots_[slot]);
    slots_[step.result] = step.op(operands.data());
  }
  for (size_t k = 0; k < results.size(); ++k) results[k] = slots_[result_slots_[k]];
}

void ScalarProgram::MakeSpans() {
  for (size_t slot = 0; slot < slots_.size(); ++slot) {
    spans_.emplace_back(Shape::Array(types_[slot], {kSpan}));
    for (int64_t i = 0; i < kSpan; ++i) Store(spans_.back(), i, slots_[slot]);
  }
}

void ScalarProgram::ApplyToSpans(llvm::ArrayRef<const uint8_t*> arguments,
                                 llvm::ArrayRef<uint8_t*> results, int64_t count) {
  if (spans_.empty()) MakeSpans();
  llvm::SmallVector<const uint8_t*> elements;
  for (const Literal& span : spans_) elements.push_back(span.data());
  for (size_t k = 0; k < arguments.size(); ++k) {
    const int slot = parameter_slots_[k];
    elements[slot] = arguments[k];
    // An argument that is also a result is copied: another result may be written to its memory.
    if (llvm::is_contained(result_slots_, slot))
      CopyOfSpan(types_[slot])(&arguments[k], spans_[slot].data(), count);
  }
  llvm::SmallVector<const uint8_t*, 3> operands;
  for (const Step& step : steps_) {
    operands.clear();
    for (int slot : step.operands) operands.push_back(elements[slot]);
    step.span(operands.data(), spans_[step.result].data(), count);
  }
  for (size_t k = 0; k < results.size(); ++k) {
    const Literal& result = spans_[result_slots_[k]];
    std::copy_n(result.data(), count * ByteWidth(result.shape().type), results[k]);
  }
}

bool ScalarProgram::IsFold() const {
  return steps_.size() == 1 && steps_[0].is_loop && parameter_slots_.size() == 2 &&
         result_slots_.size() == 1 && result_slots_[0] == steps_[0].result &&
         llvm::all_of(steps_[0].operands,
                      [&](int slot) { return llvm::is_contained(parameter_slots_, slot); });
}

// Each value is the result for the one before it and an element.
void ScalarProgram::Fold(uint8_t* value, const uint8_t* elements, int64_t count) {
  const Step& step = steps_.front();
  const size_t width = ByteWidth(types_[step.result]);
  std::vector<uint8_t> values((count + 1) * width);
  std::copy_n(value, width, values.data());
  llvm::SmallVector<const uint8_t*, 2> operands;
  for (int slot : step.operands)
    operands.push_back(slot == parameter_slots_[0] ? values.data() : elements);
  step.span(operands.data(), values.data() + width, count);
  std::copy_n(values.data() + count * width, width, value);
}

}  // namespace affirm::hlo
