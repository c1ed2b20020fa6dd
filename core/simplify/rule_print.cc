// Printing of rules, in the syntax that ParseRules reads.
#include "core/simplify/rule.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm {
namespace {

enum Precedence { kSum = 1, kProduct = 2, kPrimary = 3 };

class TermPrinter {
 public:
  TermPrinter(const Rule& rule, llvm::raw_ostream& os) : rule_(rule), os_(os) {}

  void Operand(const Term& t, Precedence context) {
    bool parens = Strength(t) < context;
    if (parens) os_ << '(';
    Bare(t);
    if (parens) os_ << ')';
  }

 private:
  static Precedence Strength(const Term& t) {
    switch (t.kind) {
      case TermKind::kAdd:
        return kSum;
      case TermKind::kMul:
      case TermKind::kFloorDiv:
      case TermKind::kCeilDiv:
      case TermKind::kMod:
        return kProduct;
      default:
        return kPrimary;
    }
  }

  static bool IsNegation(const Term& t) {
    return t.kind == TermKind::kMul && t.ops.size() == 2 && t.ops[0].kind == TermKind::kNumber &&
           t.ops[0].number == -1;
  }

  void List(const Term& t, const char* separator, Precedence context) {
    for (size_t i = 0; i < t.ops.size(); ++i) {
      if (i) os_ << separator;
      Operand(t.ops[i], context);
    }
  }

  void Call(const Term& t, const char* name) {
    os_ << name << '(';
    List(t, ", ", kSum);
    os_ << ')';
  }

  void Bare(const Term& t) {
    switch (t.kind) {
      case TermKind::kNumber:
        os_ << t.number;
        return;
      case TermKind::kMetavariable:
        os_ << rule_.metavariables[t.metavariable].name;
        return;
      case TermKind::kAdd:
        return Sum(t);
      case TermKind::kMul:
        if (IsNegation(t)) {
          os_ << '-';
          return Operand(t.ops[1], kPrimary);
        }
        return List(t, " * ", kPrimary);
      case TermKind::kFloorDiv:
        return List(t, " floordiv ", kPrimary);
      case TermKind::kCeilDiv:
        return List(t, " ceildiv ", kPrimary);
      case TermKind::kMod:
        return List(t, " mod ", kPrimary);
      case TermKind::kMin:
        return Call(t, "min");
      case TermKind::kMax:
        return Call(t, "max");
      case TermKind::kGcd:
        return Call(t, "gcd");
      case TermKind::kLcm:
        return Call(t, "lcm");
      case TermKind::kAbs:
        return Call(t, "abs");
      case TermKind::kLower:
        return Call(t, "lower");
      case TermKind::kUpper:
        return Call(t, "upper");
    }
  }

  void Sum(const Term& t) {
    Operand(t.ops[0], kProduct);
    for (size_t i = 1; i < t.ops.size(); ++i) {
      const Term& op = t.ops[i];
      if (IsNegation(op)) {
        os_ << " - ";
        Operand(op.ops[1], kPrimary);
      } else if (op.kind == TermKind::kNumber && op.number < 0 && op.number != INT64_MIN) {
        os_ << " - " << -op.number;
      } else {
        os_ << " + ";
        Operand(op, kProduct);
      }
    }
  }

  const Rule& rule_;
  llvm::raw_ostream& os_;
};

std::string EndsToString(const Rule& rule, const Term& lower, bool lower_infinite,
                         const Term& upper, bool upper_infinite) {
  return "[" + (lower_infinite ? "-inf" : ToString(lower, rule)) + ", " +
         (upper_infinite ? "inf" : ToString(upper, rule)) + "]";
}

std::string FactsToString(const Rule& rule, const std::vector<BoundPattern>& facts) {
  std::string text;
  for (const BoundPattern& f : facts) {
    if (!text.empty()) text += " and ";
    text += ToString(f.expr, rule) + " in " +
            EndsToString(rule, f.lower, f.lower_infinite, f.upper, f.upper_infinite);
  }
  return text;
}

}  // namespace

std::string ToString(const Term& term, const Rule& rule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  TermPrinter(rule, os).Operand(term, kSum);
  return text;
}

std::string ToString(const Condition& c, const Rule& rule) {
  static constexpr const char* kOps[] = {"==", "!=", "<", "<=", ">", ">="};
  std::string lhs = ToString(c.lhs, rule);
  switch (c.kind) {
    case ConditionKind::kCompare:
      return lhs + " " + kOps[static_cast<int>(c.op)] + " " + ToString(c.rhs, rule);
    case ConditionKind::kDivides:
      return lhs + " divides " + ToString(c.rhs, rule);
    case ConditionKind::kWithin:
      return "range(" + lhs + ") within " +
             EndsToString(rule, c.lower, c.lower_infinite, c.upper, c.upper_infinite);
    case ConditionKind::kIs:
      return lhs + " is " + ToString(c.rhs, rule);
    case ConditionKind::kLet:
      return "let " + lhs + " = " + ToString(c.rhs, rule);
  }
  return "";
}

std::string ToString(const Rule& rule) {
  std::string text = "rule " + rule.name + ": ";
  if (rule.is_constraint_rule) {
    text += FactsToString(rule, rule.premises) + "  =>  ";
    text += rule.concludes_false       ? "false"
            : rule.conclusions.empty() ? "true"
                                       : FactsToString(rule, rule.conclusions);
  } else {
    text += ToString(rule.lhs, rule) + "  =>  " + ToString(rule.rhs, rule);
  }
  for (size_t i = 0; i < rule.when.size(); ++i) {
    text += (i ? ", " : "\n  when ") + ToString(rule.when[i], rule);
  }
  return text + "\n  why  " + rule.why + "\n";
}

}  // namespace affirm
