// Printing of value rules.
#include <iterator>

#include "llvm/ADT/STLExtras.h"
#include "verify/value_rules/syntax.h"
#include "verify/value_rules/value_rule.h"

namespace affirm::value_rules {

namespace {

using hlo::Opcode;

const Operator* OperatorOf(const Expression& e) {
  const auto* found = llvm::find_if(kBinary, [&](const Operator& op) {
    return op.opcode == e.opcode && op.direction == e.direction && e.args.size() == 2;
  });
  return found == std::end(kBinary) ? nullptr : found;
}

void Print(const Expression& e, int binds, std::string& out) {
  if (e.kind != Expression::Kind::kOp) {
    out += e.text;
    return;
  }
  if (const Operator* op = OperatorOf(e)) {
    const bool inside = op->binds <= binds;
    if (inside) out += "(";
    Print(e.args[0], op->binds - 1, out);
    out += " " + op->text.str() + " ";
    Print(e.args[1], op->binds, out);
    if (inside) out += ")";
    return;
  }
  const bool negates = e.opcode == Opcode::kNegate || e.opcode == Opcode::kNot;
  // -3 is read as a number: the negation of a number is a function.
  if (negates && e.args[0].kind != Expression::Kind::kNumber) {
    out += e.opcode == Opcode::kNot ? "!" : "-";
    Print(e.args[0], kUnaryBinds - 1, out);
    return;
  }
  out += (e.opcode == Opcode::kConstant ? e.type : FunctionOf(e.opcode)) + "(";
  for (size_t k = 0; k < e.args.size(); ++k) {
    if (k > 0) out += ", ";
    Print(e.args[k], 0, out);
  }
  if (!e.type.empty() && e.opcode != Opcode::kConstant) out += ", " + e.type;
  if (e.opcode == Opcode::kReducePrecision)
    out += ", " + std::to_string(e.exponent_bits) + ", " + std::to_string(e.mantissa_bits);
  out += ")";
}

}  // namespace

llvm::StringRef Name(RuleClass of) {
  switch (of) {
    case RuleClass::kExact:
      return "exact";
    case RuleClass::kDefined:
      return "defined";
    case RuleClass::kLicensed:
      return "licensed";
  }
  return "";
}

std::string ToString(const Expression& expression) {
  std::string out;
  Print(expression, 0, out);
  return out;
}

std::string ToString(const ValueRule& rule) {
  std::string out = "rule " + rule.name + ": " + ToString(rule.lhs) + "  =>  " +
                    ToString(rule.rhs) + "\n  with  ";
  for (size_t k = 0; k < rule.variables.size(); ++k) {
    const bool same = k > 0 && rule.variables[k].type == rule.variables[k - 1].type;
    if (k > 0) out += same ? ", " : " : " + rule.variables[k - 1].type + ", ";
    out += rule.variables[k].name;
  }
  if (!rule.variables.empty()) out += " : " + rule.variables.back().type;
  for (size_t k = 0; k < rule.types.size(); ++k) {
    out += (k == 0 ? " for " : ", ") + rule.types[k].name + " in {";
    for (size_t t = 0; t < rule.types[k].types.size(); ++t)
      out += (t == 0 ? "" : ", ") + hlo::Name(rule.types[k].types[t]).str();
    out += "}";
  }
  if (rule.when) out += "\n  when  " + ToString(*rule.when);
  out += "\n  class " + Name(rule.of_class).str() + "\n  why   " + rule.why + "\n";
  return out;
}

}  // namespace affirm::value_rules
