#include "verify/value_rules/syntax.h"

#include <algorithm>

#include "llvm/ADT/StringSwitch.h"

namespace affirm::value_rules {

using hlo::Opcode;
using hlo::PrimitiveType;

bool IsNamedNumber(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name).Cases({"inf", "nan", "true", "false"}, true).Default(false);
}

bool IsKeyword(llvm::StringRef name) {
  return IsNamedNumber(name) ||
         llvm::StringSwitch<bool>(name)
             .Cases({"rule", "with", "for", "in", "when", "class", "why"}, true)
             .Default(false);
}

std::optional<PrimitiveType> TypeNamed(llvm::StringRef name) {
  const PrimitiveType type = hlo::PrimitiveTypeFromName(name);
  const bool known = type == PrimitiveType::kPred || hlo::IsInt(type) || hlo::IsFloat(type);
  return known ? std::optional(type) : std::nullopt;
}

bool IsNamedWithMore(Opcode opcode) {
  return opcode == Opcode::kConvert || opcode == Opcode::kReducePrecision ||
         opcode == Opcode::kCompare;
}

Opcode OpcodeOfFunction(llvm::StringRef name) {
  if (name == "min") return Opcode::kMinimum;
  if (name == "max") return Opcode::kMaximum;
  std::string text = name.str();
  std::replace(text.begin(), text.end(), '_', '-');
  const Opcode opcode = hlo::OpcodeFromName(text);
  return opcode != Opcode::kUnknown && hlo::IsElementwise(opcode) ? opcode : Opcode::kUnknown;
}

std::string FunctionOf(Opcode opcode) {
  if (opcode == Opcode::kMinimum) return "min";
  if (opcode == Opcode::kMaximum) return "max";
  std::string name = hlo::Name(opcode).str();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace affirm::value_rules
