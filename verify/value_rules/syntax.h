// The words and signs of value rules, which the reader and the printer share.
#ifndef AFFIRM_VERIFY_VALUE_RULES_SYNTAX_H_
#define AFFIRM_VERIFY_VALUE_RULES_SYNTAX_H_

#include <optional>
#include <string>

#include "core/hlo/opcode.h"
#include "core/hlo/shape.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::value_rules {

struct Operator {
  llvm::StringLiteral text;
  int binds;  // the more, the closer
  hlo::Opcode opcode;
  llvm::StringLiteral direction = "";
};
// Longer ones before those that they begin with.
inline constexpr Operator kBinary[] = {
    {"||", 1, hlo::Opcode::kOr, "of predicates"},
    {"&&", 2, hlo::Opcode::kAnd, "of predicates"},
    {"==", 3, hlo::Opcode::kCompare, "EQ"},
    {"!=", 3, hlo::Opcode::kCompare, "NE"},
    {"<=", 3, hlo::Opcode::kCompare, "LE"},
    {">=", 3, hlo::Opcode::kCompare, "GE"},
    {"<", 3, hlo::Opcode::kCompare, "LT"},
    {">", 3, hlo::Opcode::kCompare, "GT"},
    {"+", 4, hlo::Opcode::kAdd},
    {"-", 4, hlo::Opcode::kSubtract},
    {"*", 5, hlo::Opcode::kMultiply},
    {"/", 5, hlo::Opcode::kDivide},
    {"%", 5, hlo::Opcode::kRemainder},
};
inline constexpr int kUnaryBinds = 6;

// inf, nan, true and false: numbers on both sides of every rule.
bool IsNamedNumber(llvm::StringRef name);
// Words that name no variable, type or choice: clauses, and numbers that have names.
bool IsKeyword(llvm::StringRef name);
// A type of integers, floats or predicates; nullopt of other names.
std::optional<hlo::PrimitiveType> TypeNamed(llvm::StringRef name);
// Whether it is written with more than its operands.
bool IsNamedWithMore(hlo::Opcode opcode);
// "shift_left" is shift-left; min and max as in rules about maps. kUnknown of what is no
// elementwise operation.
hlo::Opcode OpcodeOfFunction(llvm::StringRef name);
// The function that stands for an opcode.
std::string FunctionOf(hlo::Opcode opcode);

}  // namespace affirm::value_rules

#endif  // AFFIRM_VERIFY_VALUE_RULES_SYNTAX_H_
