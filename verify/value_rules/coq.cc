// Prints rules about integers as propositions of Coq. Types are found as in instance.cc: a number
// has the type of what stands beside it.
#include "verify/value_rules/coq.h"

#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace affirm::value_rules {
namespace {

using hlo::Opcode;
using hlo::PrimitiveType;

// An integer type by the terms of Coq for its width and signedness; or the type of predicates.
struct IntegerType {
  bool is_pred = false;
  std::string width = {}, is_signed = {};
  bool any_width = false;  // and so at least 8 bits
  bool operator==(const IntegerType&) const = default;
};

// The arguments of an operation on integers before its operands.
enum class Before : uint8_t { kNothing, kWidth, kWidthAndSign };
struct IntegerFunction {
  const char* name;
  Before before;
};

std::optional<IntegerFunction> IntegerFunctionOf(const Expression& e) {
  switch (e.opcode) {
    case Opcode::kNegate:
      return IntegerFunction{"int_negate", Before::kWidth};
    case Opcode::kNot:
      return IntegerFunction{"int_not", Before::kWidth};
    case Opcode::kAdd:
      return IntegerFunction{"int_add", Before::kWidth};
    case Opcode::kSubtract:
      return IntegerFunction{"int_subtract", Before::kWidth};
    case Opcode::kMultiply:
      return IntegerFunction{"int_multiply", Before::kWidth};
    case Opcode::kDivide:
      return IntegerFunction{"int_divide", Before::kWidthAndSign};
    case Opcode::kRemainder:
      return IntegerFunction{"int_remainder", Before::kWidthAndSign};
    case Opcode::kMaximum:
      return IntegerFunction{"int_maximum", Before::kWidthAndSign};
    case Opcode::kMinimum:
      return IntegerFunction{"int_minimum", Before::kWidthAndSign};
    case Opcode::kClamp:
      return IntegerFunction{"int_clamp", Before::kWidthAndSign};
    case Opcode::kAbs:
      return IntegerFunction{"int_abs", Before::kWidthAndSign};
    case Opcode::kSign:
      return IntegerFunction{"int_sign", Before::kWidthAndSign};
    case Opcode::kAnd:
      return IntegerFunction{"int_and", Before::kNothing};
    case Opcode::kOr:
      return IntegerFunction{"int_or", Before::kNothing};
    case Opcode::kXor:
      return IntegerFunction{"int_xor", Before::kNothing};
    case Opcode::kShiftLeft:
      return IntegerFunction{"int_shift_left", Before::kWidth};
    case Opcode::kShiftRightLogical:
      return IntegerFunction{"int_shift_right_logical", Before::kWidth};
    case Opcode::kShiftRightArithmetic:
      return IntegerFunction{"int_shift_right_arithmetic", Before::kWidth};
    default:
      return std::nullopt;
  }
}

class PropositionPrinter {
 public:
  explicit PropositionPrinter(const ValueRule& rule) : rule_(rule) {
    for (auto [index, variable] : llvm::enumerate(rule.types)) AddTypeVariable(index, variable);
    for (const Variable& v : rule.variables) {
      const std::string name = v.name + "'";
      const IntegerType type = TypeNamed(v.type);
      variables_[v.name] = type;
      binders_ += " (" + name + (type.is_pred ? " : bool)" : " : Z)");
      if (!type.is_pred) hypotheses_ += "is_int " + type.width + " " + name + " ->\n    ";
    }
  }

  // nullopt where the rule can't be said: see problem().
  std::optional<std::string> Definition() {
    if (rule_.of_class != RuleClass::kExact) Refuse("it claims no equality");
    auto own = TypeOf(rule_.lhs);
    if (!own) own = TypeOf(rule_.rhs);
    if (rule_.when)
      hypotheses_ += Text(*rule_.when, IntegerType{.is_pred = true}) + " = true ->\n    ";
    const IntegerType type = own.value_or(IntegerType{});
    const std::string claim = Text(rule_.lhs, type) + " = " + Text(rule_.rhs, type);
    std::string name = rule_.name;
    for (char& c : name) {
      if (c == '.') c = '_';
      if (!llvm::isAlnum(c) && c != '_') Refuse("its name has more than letters, digits, _ and .");
    }
    if (!problem_.empty()) return std::nullopt;
    const std::string forall = binders_.empty() ? "" : "forall" + binders_ + ",\n    ";
    return "Definition rule_" + name + " : Prop :=\n  " + forall + hypotheses_ + claim + ".\n";
  }
  const std::string& problem() const { return problem_; }

 private:
  std::string Refuse(const llvm::Twine& why) {
    if (problem_.empty()) problem_ = why.str();
    return "";
  }

  void AddTypeVariable(size_t index, const TypeVariable& variable) {
    size_t with_sign = 0, integers = 0;
    for (const PrimitiveType type : variable.types) {
      if (type == PrimitiveType::kPred) Refuse(variable.name + " has predicates");
      if (!hlo::IsInt(type)) continue;
      // They lack numbers that the rule may name.
      if (hlo::BitWidth(type) < 8) Refuse(variable.name + " has integers of fewer than 8 bits");
      ++integers;
      if (hlo::IsSignedInt(type)) ++with_sign;
    }
    if (integers == 0) Refuse(variable.name + " has no integers");
    const std::string number = index == 0 ? "" : std::to_string(index);
    IntegerType type{.width = "w" + number, .is_signed = "false", .any_width = true};
    binders_ += " (" + type.width + " : Z)";
    hypotheses_ += "8 <= " + type.width + " ->\n    ";
    if (with_sign == integers) {
      type.is_signed = "true";
    } else if (with_sign > 0) {
      type.is_signed = "s" + number;
      binders_ += " (" + type.is_signed + " : bool)";
    }
    types_[variable.name] = type;
  }

  IntegerType TypeNamed(llvm::StringRef name) {
    if (auto found = types_.find(name); found != types_.end()) return found->second;
    const PrimitiveType type = hlo::PrimitiveTypeFromName(name);
    if (type == PrimitiveType::kPred) return {.is_pred = true};
    if (!hlo::IsInt(type)) Refuse(name + " is no type of integers");
    return {.width = std::to_string(hlo::IsInt(type) ? hlo::BitWidth(type) : 0),
            .is_signed = hlo::IsSignedInt(type) ? "true" : "false"};
  }

  // The type that a term has by itself: not of numbers.
  std::optional<IntegerType> TypeOf(const Expression& e) {
    if (e.kind == Expression::Kind::kVariable) return variables_.lookup(e.text);
    if (e.kind == Expression::Kind::kNumber) return std::nullopt;
    if (!e.type.empty()) return TypeNamed(e.type);
    if (e.opcode == Opcode::kCompare) return IntegerType{.is_pred = true};
    return OperandType(e);
  }
  std::optional<IntegerType> OperandType(const Expression& e) {
    for (const Expression& arg : llvm::ArrayRef(e.args).drop_front(FirstOperand(e))) {
      if (auto type = TypeOf(arg)) return type;
    }
    return std::nullopt;
  }
  static size_t FirstOperand(const Expression& e) { return e.opcode == Opcode::kSelect ? 1 : 0; }

  std::string Text(const Expression& e, const IntegerType& expected) {
    switch (e.kind) {
      case Expression::Kind::kVariable:
        if (variables_.lookup(e.text) != expected) return Refuse(e.text + " is of another type");
        return e.text + "'";
      case Expression::Kind::kNumber:
        return Number(e.text, expected);
      case Expression::Kind::kOp:
        return Operation(e, expected);
    }
    return Refuse("no term");
  }

  std::string Number(llvm::StringRef text, const IntegerType& type) {
    if (type.is_pred && (text == "true" || text == "false")) return text.str();
    int64_t number = 0;
    if (type.is_pred || text.getAsInteger(10, number)) return Refuse(text + " is no integer");
    // Every type of 8 bits or more has such a number.
    const bool small = number >= (type.is_signed == "false" ? 0 : -128) &&
                       number <= (type.is_signed == "false" ? 255 : 127);
    if (type.any_width && !small) return Refuse(text + " is beyond 8 bits");
    return "(wrap " + type.width + " (" + std::to_string(number) + "))";
  }

  std::string Operands(const Expression& e, const IntegerType& type) {
    std::string text;
    for (const Expression& arg : e.args) text += " " + Text(arg, type);
    return text + ")";
  }

  std::string Operation(const Expression& e, const IntegerType& expected) {
    if (e.opcode == Opcode::kConstant) return Text(e.args[0], TypeNamed(e.type));
    const IntegerType own = OperandType(e).value_or(expected);
    if (e.opcode == Opcode::kCompare) {
      if (!expected.is_pred) return Refuse("a comparison is a predicate");
      return Comparison(e, own);
    }
    if (e.opcode == Opcode::kConvert) {
      const IntegerType to = TypeNamed(e.type);
      if (to != expected || to.is_pred) return Refuse("a conversion to another type");
      if (own.is_pred) return "(int_of_bool" + Operands(e, own);
      return "(int_convert " + own.width + " " + own.is_signed + " " + to.width + Operands(e, own);
    }
    if (own != expected || !e.type.empty()) return Refuse("an operation of another type");
    if (e.opcode == Opcode::kSelect) {
      return "(if " + Text(e.args[0], IntegerType{.is_pred = true}) + " then " +
             Text(e.args[1], own) + " else " + Text(e.args[2], own) + ")";
    }
    if (own.is_pred) {
      const char* name = e.opcode == Opcode::kAnd   ? "andb"
                         : e.opcode == Opcode::kOr  ? "orb"
                         : e.opcode == Opcode::kXor ? "xorb"
                         : e.opcode == Opcode::kNot ? "negb"
                                                    : nullptr;
      if (!name) return Refuse(hlo::Name(e.opcode) + " of predicates");
      return "(" + std::string(name) + Operands(e, own);
    }
    const auto function = IntegerFunctionOf(e);
    if (!function) return Refuse(hlo::Name(e.opcode) + " of integers");
    std::string text = "(" + std::string(function->name);
    if (function->before != Before::kNothing) text += " " + own.width;
    if (function->before == Before::kWidthAndSign) text += " " + own.is_signed;
    return text + Operands(e, own);
  }

  std::string Comparison(const Expression& e, const IntegerType& type) {
    if (type.is_pred) return Refuse("a comparison of predicates");
    const std::string a = Text(e.args[0], type), b = Text(e.args[1], type);
    const std::string of = " " + type.width + " " + type.is_signed + " ";
    return llvm::StringSwitch<std::string>(e.direction)
        .Case("EQ", "(int_eq " + a + " " + b + ")")
        .Case("NE", "(negb (int_eq " + a + " " + b + "))")
        .Case("LT", "(int_lt" + of + a + " " + b + ")")
        .Case("LE", "(int_le" + of + a + " " + b + ")")
        .Case("GT", "(int_lt" + of + b + " " + a + ")")
        .Case("GE", "(int_le" + of + b + " " + a + ")")
        .Default("");
  }

  const ValueRule& rule_;
  llvm::StringMap<IntegerType> types_, variables_;
  std::string binders_, hypotheses_, problem_;
};

}  // namespace

CoqPropositions CoqDefinitions(llvm::ArrayRef<ValueRule> rules) {
  CoqPropositions all;
  llvm::StringSet<> definitions;
  for (const ValueRule& rule : rules) {
    PropositionPrinter printer(rule);
    const auto definition = printer.Definition();
    if (!definition)
      all.left_out.push_back(rule.name + ": " + printer.problem());
    else if (!definitions.insert(llvm::StringRef(*definition).split(" :").first).second)
      all.left_out.push_back(rule.name + ": another rule has its name in Coq");
    else
      all.definitions += (all.definitions.empty() ? "" : "\n") + *definition;
  }
  return all;
}

std::string CoqFileOf(llvm::ArrayRef<ValueRule> rules) {
  const CoqPropositions all = CoqDefinitions(rules);
  std::string text;
  for (const CoqFile& file : CoqMachineIntegers()) text += file.text;
  text += "\n(* Rules without a proposition:\n";
  for (const std::string& rule : all.left_out) {
    // Text of the rule must not end the comment.
    const bool plain = llvm::none_of(rule, [](char c) { return c == '*' || c == '"'; });
    text += "   " + (plain ? rule : "one whose reason has a mark of Coq") + "\n";
  }
  return text + "*)\n\n" + all.definitions;
}

}  // namespace affirm::value_rules
