#include "verify/value_rules/instance.h"

#include <optional>

#include "core/hlo/text.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace affirm::value_rules {

namespace {

using hlo::Opcode;
using hlo::PrimitiveType;

// Writes the lines of a computation.
class Writer {
 public:
  Writer(const ValueRule& rule, const Types& types) : rule_(rule) {
    for (auto [variable, type] : llvm::zip(rule.types, types)) types_[variable.name] = type;
    for (auto [number, variable] : llvm::enumerate(rule.variables)) {
      variables_[variable.name] = TypeNamed(variable.type);
      Line("x_" + variable.name, TypeNamed(variable.type),
           "parameter(" + std::to_string(number) + ")");
    }
  }

  llvm::Expected<std::string> Text() {
    const auto expected = TypeOf(rule_.lhs) ? TypeOf(rule_.lhs) : TypeOf(rule_.rhs);
    if (!expected) return MakeError("the sides are numbers of no type");
    auto left = Write(rule_.lhs, expected);
    if (!left) return left.takeError();
    auto right = Write(rule_.rhs, left->type);
    if (!right) return right.takeError();
    const Expression truth{.kind = Expression::Kind::kNumber, .text = "true"};
    auto when = Write(rule_.when ? *rule_.when : truth, PrimitiveType::kPred);
    if (!when) return when.takeError();
    if (right->type != left->type) {
      return MakeError("the left side is of type " + hlo::Name(left->type) +
                       ", the right side of " + hlo::Name(right->type));
    }
    if (when->type != PrimitiveType::kPred)
      return MakeError("expected a predicate behind 'when', found a " + hlo::Name(when->type));
    return "HloModule rule\nENTRY e {\n" + lines_ + "  ROOT r = (" + Shape(left->type) + ", " +
           Shape(right->type) + ", pred[]) tuple(" + left->name + ", " + right->name + ", " +
           when->name + ")\n}\n";
  }

 private:
  struct Value {
    std::string name;
    PrimitiveType type;
  };

  static std::string Shape(PrimitiveType type) { return hlo::Name(type).str() + "[]"; }
  void Line(const std::string& name, PrimitiveType type, const std::string& what) {
    lines_ += "  " + name + " = " + Shape(type) + " " + what + "\n";
  }
  Value Fresh(PrimitiveType type, const std::string& what) {
    const std::string name = "v" + std::to_string(number_++);
    Line(name, type, what);
    return {name, type};
  }
  PrimitiveType TypeNamed(llvm::StringRef name) const {
    auto found = types_.find(name);
    return found != types_.end() ? found->second : hlo::PrimitiveTypeFromName(name);
  }

  // The type that a term has by itself: not of numbers.
  std::optional<PrimitiveType> TypeOf(const Expression& e) const {
    if (e.kind == Expression::Kind::kVariable) return variables_.lookup(e.text);
    if (e.kind == Expression::Kind::kNumber) return std::nullopt;
    if (!e.type.empty()) return TypeNamed(e.type);
    if (e.opcode == Opcode::kCompare || e.opcode == Opcode::kIsFinite) return PrimitiveType::kPred;
    return OperandType(e);
  }
  // The type of the first operand that has one of its own; the predicate of a select does not
  // count.
  std::optional<PrimitiveType> OperandType(const Expression& e) const {
    for (const Expression& arg : llvm::ArrayRef(e.args).drop_front(FirstOperand(e))) {
      if (auto type = TypeOf(arg)) return type;
    }
    return std::nullopt;
  }
  static size_t FirstOperand(const Expression& e) { return e.opcode == Opcode::kSelect ? 1 : 0; }

  // `expected`: the type of what stands beside it.
  llvm::Expected<Value> Write(const Expression& e, std::optional<PrimitiveType> expected) {
    switch (e.kind) {
      case Expression::Kind::kVariable:
        return Value{"x_" + e.text, variables_.lookup(e.text)};
      case Expression::Kind::kNumber:
        if (!expected)
          return MakeError("nothing says of which type " + e.text + " is: T(" + e.text + ")");
        return Fresh(*expected, "constant(" + e.text + ")");
      case Expression::Kind::kOp:
        return Operation(e, expected);
    }
    return MakeError("no term");
  }

  llvm::Expected<Value> Operation(const Expression& e, std::optional<PrimitiveType> expected) {
    if (e.opcode == Opcode::kConstant) return Write(e.args[0], TypeNamed(e.type));
    const bool same_type =
        e.type.empty() && e.opcode != Opcode::kCompare && e.opcode != Opcode::kIsFinite;
    auto of_operands = OperandType(e);
    if (!of_operands && same_type) of_operands = expected;
    std::string operands;
    PrimitiveType type = PrimitiveType::kInvalid;
    for (auto [k, arg] : llvm::enumerate(e.args)) {
      const bool chooses = k < FirstOperand(e);
      auto value = Write(arg, chooses ? PrimitiveType::kPred : of_operands);
      if (!value) return value;
      operands += (k == 0 ? "" : ", ") + value->name;
      // HLO also has sums of floats of different types.
      if (k > FirstOperand(e) && value->type != type) {
        return MakeError("the operands of " + hlo::Name(e.opcode) + " are of types " +
                         hlo::Name(type) + " and " + hlo::Name(value->type));
      }
      if (k == FirstOperand(e)) type = value->type;
    }
    if (!same_type) type = e.type.empty() ? PrimitiveType::kPred : TypeNamed(e.type);
    std::string text = hlo::Name(e.opcode).str() + "(" + operands + ")";
    if (e.opcode == Opcode::kCompare) text += ", direction=" + e.direction;
    if (e.opcode == Opcode::kReducePrecision) {
      text += ", exponent_bits=" + std::to_string(e.exponent_bits) +
              ", mantissa_bits=" + std::to_string(e.mantissa_bits);
    }
    return Fresh(type, text);
  }

  const ValueRule& rule_;
  llvm::StringMap<PrimitiveType> types_, variables_;
  std::string lines_;
  int64_t number_ = 0;
};

}  // namespace

std::vector<Types> TypesOf(const ValueRule& rule) {
  std::vector<Types> all = {{}};
  for (const TypeVariable& variable : rule.types) {
    std::vector<Types> longer;
    for (const Types& types : all) {
      for (const PrimitiveType type : variable.types) {
        longer.push_back(types);
        longer.back().push_back(type);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::string ToString(const ValueRule& rule, const Types& types) {
  std::string text;
  for (auto [variable, type] : llvm::zip(rule.types, types))
    text += (text.empty() ? "" : ", ") + variable.name + " = " + hlo::Name(type).str();
  return text;
}

llvm::Expected<Instance> Instance::Create(const ValueRule& rule, const Types& types) {
  auto fail = [&](llvm::Error error) {
    std::string of = ToString(rule, types);
    return MakeError(rule.where + ": error: rule '" + rule.name + "'" +
                     (of.empty() ? "" : ", " + of) + ": " + llvm::toString(std::move(error)));
  };
  auto text = Writer(rule, types).Text();
  if (!text) return fail(text.takeError());
  auto module = hlo::ParseModule(*text, "as HLO");
  if (!module) return fail(module.takeError());
  return Instance(std::move(*module));
}

std::vector<PrimitiveType> Instance::VariableTypes() const {
  std::vector<PrimitiveType> types;
  for (const hlo::Instruction* parameter : computation().parameters)
    types.push_back(parameter->shape.type);
  return types;
}

int64_t Instance::NumBits() const {
  int64_t bits = 0;
  for (const PrimitiveType type : VariableTypes())
    bits += type == PrimitiveType::kPred ? 1 : hlo::BitWidth(type);
  return bits;
}

}  // namespace affirm::value_rules
