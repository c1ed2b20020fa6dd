#include "verify/value_rules/definition.h"

#include <map>
#include <set>
#include <vector>

#include "verify/scalar/elementwise.h"

namespace affirm::value_rules {

namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;

// Gives each term a number, and terms that are the same by definition the same one.
class Numbering {
 public:
  int64_t NumberOf(const Instruction& op) {
    const auto known = numbers_.find(&op);
    if (known != numbers_.end()) return known->second;
    std::vector<int64_t> operands;
    operands.reserve(op.operands.size());
    for (const Instruction* operand : op.operands) operands.push_back(NumberOf(*operand));
    const int64_t number = Make(op, std::move(operands));
    numbers_.emplace(&op, number);
    return number;
  }

 private:
  // The key of an operation on its operands; constants and parameters have keys of their own.
  struct Operation {
    Opcode opcode;
    PrimitiveType type, of;
    std::string rest;
    auto operator<=>(const Operation&) const = default;
  };

  int64_t Make(const Instruction& op, std::vector<int64_t> operands) {
    const PrimitiveType type = op.shape.type;
    const PrimitiveType of = operands.empty() ? type : op.operands[0]->shape.type;
    std::string rest = op.attributes.comparison_direction + " " +
                       std::to_string(op.attributes.exponent_bits) + " " +
                       std::to_string(op.attributes.mantissa_bits);
    if (op.opcode == Opcode::kConstant) {
      const hlo::Literal& literal = *op.literal;
      rest += llvm::StringRef(reinterpret_cast<const char*>(literal.data()), hlo::ByteWidth(type));
    }
    if (op.opcode == Opcode::kParameter) rest += op.name;
    if (of != type || !hlo::IsRoundedFromF32(op.opcode, type))
      return Find({op.opcode, type, of, rest}, std::move(operands));
    for (int64_t& operand : operands) operand = Converted(operand, type, PrimitiveType::kF32);
    const int64_t wide =
        Find({op.opcode, PrimitiveType::kF32, PrimitiveType::kF32, rest}, std::move(operands));
    return Converted(wide, PrimitiveType::kF32, type);
  }

  int64_t Converted(int64_t number, PrimitiveType from, PrimitiveType to) {
    return Find({Opcode::kConvert, to, from, " 0 0"}, {number});
  }
  int64_t Find(Operation operation, std::vector<int64_t> operands) {
    const auto number = static_cast<int64_t>(terms_.size());
    return terms_.try_emplace({std::move(operation), std::move(operands)}, number).first->second;
  }

  std::map<const Instruction*, int64_t> numbers_;
  std::map<std::pair<Operation, std::vector<int64_t>>, int64_t> terms_;
};

}  // namespace

Opcode ApproximatedOp(const Instance& instance) {
  std::vector<const Instruction*> open = {&instance.left(), &instance.right(),
                                          &instance.condition()};
  std::set<const Instruction*> seen;
  while (!open.empty()) {
    const Instruction* op = open.back();
    open.pop_back();
    if (!seen.insert(op).second) continue;
    if (hlo::IsFloat(op->shape.type) && hlo::IsApproximated(op->opcode)) return op->opcode;
    open.insert(open.end(), op->operands.begin(), op->operands.end());
  }
  return Opcode::kUnknown;
}

bool IsByDefinition(const Instance& instance) {
  Numbering numbering;
  return numbering.NumberOf(instance.left()) == numbering.NumberOf(instance.right());
}

}  // namespace affirm::value_rules
