// Compilation of a scalar computation to a list of steps, with the interpreter as fallback.
#include "verify/reference/scalar_function.h"

#include <algorithm>
#include <optional>

#include "llvm/ADT/DenseMap.h"
#include "verify/reference/ops.h"

namespace affirm::hlo {
namespace {

bool IsScalarOf(const Shape& shape, PrimitiveType type) {
  return shape.IsScalar() && shape.type == type;
}

bool HasResults(const Shape& shape, llvm::ArrayRef<PrimitiveType> results) {
  if (!shape.IsTuple()) return results.size() == 1 && IsScalarOf(shape, results[0]);
  if (shape.tuple.size() != results.size()) return false;
  for (size_t k = 0; k < results.size(); ++k) {
    if (!IsScalarOf(shape.tuple[k], results[k])) return false;
  }
  return true;
}

bool HasParameters(const Computation& computation, llvm::ArrayRef<PrimitiveType> types) {
  if (computation.parameters.size() != types.size()) return false;
  for (size_t k = 0; k < types.size(); ++k) {
    const Instruction* parameter = computation.parameters[k];
    if (parameter == nullptr || !IsScalarOf(parameter->shape, types[k])) return false;
  }
  return true;
}

// What gives a scalar as it is, or its bits as another number of the same size, which are moved as
// arrays have them. Passes write comparators of sorts so. Nothing for other ops.
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

llvm::Expected<ScalarFunction> ScalarFunction::Create(const Instruction& caller,
                                                      const Computation& computation,
                                                      llvm::ArrayRef<PrimitiveType> parameters,
                                                      llvm::ArrayRef<PrimitiveType> results) {
  if (computation.root == nullptr || !HasParameters(computation, parameters) ||
      !HasResults(computation.root->shape, results)) {
    return Fail(caller, "calls " + computation.name + ", which takes or gives other types");
  }
  ScalarFunction function(computation);
  function.compiled_ = function.Compile();
  return function;
}

// False when an instruction is not a parameter, a constant, a scalar elementwise op, a move of a
// scalar, or a tuple at the root.
bool ScalarFunction::Compile() {
  llvm::DenseMap<const Instruction*, int> slot_of;
  slots_.assign(computation_->instructions.size(), {});
  for (const auto& owned : computation_->instructions) {
    const Instruction& instruction = *owned;
    const int slot = slot_of.size();
    slot_of[&instruction] = slot;
    llvm::SmallVector<int, 3> operands;
    for (const Instruction* operand : instruction.operands) {
      if (!slot_of.contains(operand)) return false;
      operands.push_back(slot_of[operand]);
    }
    if (instruction.opcode == Opcode::kTuple && &instruction == computation_->root) {
      result_slots_.assign(operands.begin(), operands.end());
    } else if (!instruction.shape.IsScalar()) {
      return false;
    } else if (instruction.opcode == Opcode::kConstant && instruction.literal) {
      slots_[slot] = Load(*instruction.literal, 0);
    } else if (IsElementwise(instruction.opcode)) {
      llvm::Expected<ScalarOp> op = ResolveElementwise(instruction);
      if (!op) {
        llvm::consumeError(op.takeError());  // interpreting reports it
        return false;
      }
      steps_.push_back({std::move(*op), std::move(operands), slot});
    } else if (std::optional<ScalarOp> op = ResolveMove(instruction)) {
      steps_.push_back({std::move(*op), std::move(operands), slot});
    } else if (instruction.opcode != Opcode::kParameter) {
      return false;
    }
  }
  for (const Instruction* parameter : computation_->parameters) {
    parameter_slots_.push_back(slot_of[parameter]);
  }
  if (!computation_->root->shape.IsTuple()) result_slots_.push_back(slot_of[computation_->root]);
  return !result_slots_.empty();
}

llvm::Error ScalarFunction::Apply(llvm::ArrayRef<Scalar> arguments,
                                  llvm::MutableArrayRef<Scalar> results) {
  if (!compiled_) return Interpret(arguments, results);
  for (size_t k = 0; k < arguments.size(); ++k) slots_[parameter_slots_[k]] = arguments[k];
  llvm::SmallVector<Scalar, 3> operands;
  for (const Step& step : steps_) {
    operands.clear();
    for (int slot : step.operands) operands.push_back(slots_[slot]);
    slots_[step.result] = step.op(operands.data());
  }
  for (size_t k = 0; k < results.size(); ++k) results[k] = slots_[result_slots_[k]];
  return llvm::Error::success();
}

llvm::Error ScalarFunction::Interpret(llvm::ArrayRef<Scalar> arguments,
                                      llvm::MutableArrayRef<Scalar> results) {
  std::vector<Literal> literals;
  for (size_t k = 0; k < arguments.size(); ++k) {
    literals.emplace_back(computation_->parameters[k]->shape);
    Store(literals.back(), 0, arguments[k]);
  }
  Result value = hlo::Interpret(*computation_, literals);
  if (!value) return value.takeError();
  for (size_t k = 0; k < results.size(); ++k) {
    results[k] = Load(value->shape().IsTuple() ? value->tuple()[k] : *value, 0);
  }
  return llvm::Error::success();
}

}  // namespace affirm::hlo
