// Prints the theorem of a rule as two propositions of Coq. Every operation has parentheses around
// it, so that no precedence matters.
#include "verify/rules/coq.h"

#include <algorithm>

#include "core/symbolic/error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "verify/rules/range_ends.h"
#include "verify/rules/theorem.h"

namespace affirm::rules {
namespace {

enum class Shown : uint8_t { kNoDivisors, kExpressionDivisors, kAllDivisors };

class TheoremPrinter {
 public:
  explicit TheoremPrinter(const Rule& rule) : rule_(NameRangeEnds(rule)) {}

  llvm::Expected<std::string> Run() {
    for (const Term* term : LeftTerms(rule_)) AddDefined(*term, Shown::kNoDivisors);
    for (const Condition* condition : AssumedConditions(rule_)) Assume(*condition);
    for (const Term* term : RightTerms(rule_)) AddDefined(*term, Shown::kAllDivisors);
    const std::string claim = Claim(), name = CoqName(rule_);
    std::string text = Comment() + Definition("rule_" + name, Implications(claim)) +
                       Definition("defined_" + name, Obligations());
    if (!refused_.empty()) {
      return MakeError(rule_.where + ": error: rule '" + rule_.name +
                       "' can't be printed for Coq: " + refused_);
    }
    return text;
  }

 private:
  // A proposition of the theorem: assumed from here on, or to be shown from what stands before it.
  struct Step {
    bool shown;
    std::string proposition;
  };

  std::string Refuse(const llvm::Twine& why) {
    if (refused_.empty()) refused_ = why.str();
    return "";
  }

  // A lower case letter and digits stand for themselves. Other names get an apostrophe, which
  // neither the names of rules nor the words of Coq have; constants that name the end of a range
  // get two.
  std::string Name(int metavariable) {
    if (metavariable < 0 || static_cast<size_t>(metavariable) >= rule_.metavariables.size())
      return Refuse("a term has a metavariable that the rule lacks");
    const std::string& name = rule_.metavariables[metavariable].name;
    for (const char* end : {"lower", "upper"}) {
      if (llvm::StringRef(name).starts_with(end + std::string("(")))
        return end + std::to_string(metavariable) + "''";
    }
    if (name.empty() || !llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
      return Refuse("the name '" + llvm::Twine(name) + "' has more than letters, digits and _");
    const bool plain =
        llvm::isLower(name[0]) && llvm::all_of(llvm::drop_begin(name), llvm::isDigit);
    return plain ? name : name + "'";
  }

  static bool IsNegation(const Term& t) {
    return t.kind == TermKind::kMul && t.ops.size() == 2 && t.ops[0] == Term::Number(-1);
  }

  std::string Infix(const Term& t, const char* operation) {
    std::string text;
    for (const Term& op : t.ops) text += (text.empty() ? "(" : operation) + Text(op);
    return text + ")";
  }

  // (a + b - c - 1): plus and minus associate to the left.
  std::string Sum(const Term& t) {
    std::string text = "(" + Text(t.ops[0]);
    for (const Term& op : llvm::drop_begin(t.ops)) {
      if (op.kind == TermKind::kNumber && op.number < 0)
        text += " - " + std::to_string(op.number).substr(1);
      else
        text += IsNegation(op) ? " - " + Text(op.ops[1]) : " + " + Text(op);
    }
    return text + ")";
  }

  // function(a, function(b, c))
  std::string Call(const Term& t, const char* function) {
    std::string text = Text(t.ops.back());
    for (const Term& op : llvm::reverse(llvm::ArrayRef(t.ops).drop_back()))
      text = (llvm::Twine("(") + function + " " + Text(op) + " " + text + ")").str();
    return text;
  }

  std::string Text(const Term& t) {
    const size_t arity = t.ops.size();
    switch (t.kind) {
      case TermKind::kNumber:
        return t.number < 0 ? "(" + std::to_string(t.number) + ")" : std::to_string(t.number);
      case TermKind::kMetavariable:
        return Name(t.metavariable);
      case TermKind::kAdd:
        if (arity > 0) return Sum(t);
        break;
      case TermKind::kMul:
        if (IsNegation(t)) return "(- " + Text(t.ops[1]) + ")";
        if (arity > 0) return Infix(t, " * ");
        break;
      case TermKind::kFloorDiv:
        if (arity == 2) return Infix(t, " / ");
        break;
      case TermKind::kCeilDiv:
        if (arity == 2) return "(- ((- " + Text(t.ops[0]) + ") / " + Text(t.ops[1]) + "))";
        break;
      case TermKind::kMod:
        if (arity == 2) return Infix(t, " mod ");
        break;
      case TermKind::kMin:
        if (arity > 0) return Call(t, "Z.min");
        break;
      case TermKind::kMax:
        if (arity > 0) return Call(t, "Z.max");
        break;
      case TermKind::kGcd:
        if (arity == 2) return Call(t, "Z.gcd");
        break;
      case TermKind::kLcm:
        if (arity == 2) return Call(t, "Z.lcm");
        break;
      case TermKind::kAbs:
        if (arity == 1) return "(Z.abs " + Text(t.ops[0]) + ")";
        break;
      case TermKind::kLower:
      case TermKind::kUpper:
        return Refuse("the end of a range has no value here");
    }
    return Refuse("an operation has the wrong number of operands");
  }

  void AddStep(bool shown, std::string proposition) {
    const bool known =
        llvm::any_of(steps_, [&](const Step& s) { return s.proposition == proposition; });
    if (!known) steps_.push_back({shown, std::move(proposition)});
  }
  void Assume(std::string proposition) { AddStep(false, std::move(proposition)); }

  // Adds the steps that each division in the term is legal. Divisors that are positive numbers need
  // no step.
  void AddDefined(const Term& t, Shown shown) {
    for (const Term& op : t.ops) AddDefined(op, shown);
    const bool mod = t.kind == TermKind::kMod;
    if (!mod && t.kind != TermKind::kFloorDiv && t.kind != TermKind::kCeilDiv) return;
    if (t.ops.size() != 2) return;  // Text refuses it
    const Term& divisor = t.ops[1];
    if (divisor.kind == TermKind::kNumber && divisor.number > 0) return;
    AddStep(shown == Shown::kAllDivisors ||
                (shown == Shown::kExpressionDivisors && HasExpression(divisor, rule_)),
            mod ? "0 < " + Text(divisor) : Text(divisor) + " <> 0");
  }

  void Assume(const Condition& c) {
    for (const Term* term : TermsOf(c)) AddDefined(*term, Shown::kExpressionDivisors);
    const std::string left = Text(c.lhs);
    switch (c.kind) {
      case ConditionKind::kCompare:
        return Assume(left + Relation(c.op) + Text(c.rhs));
      case ConditionKind::kDivides:
        Assume(left + " <> 0");
        return Assume("Z.divide " + left + " " + Text(c.rhs));
      case ConditionKind::kIs:
      case ConditionKind::kLet:
        return Assume(left + " = " + Text(c.rhs));
      case ConditionKind::kWithin:
        if (!c.lower_infinite) Assume(Text(c.lower) + " <= " + left);
        if (!c.upper_infinite) Assume(left + " <= " + Text(c.upper));
        return;
    }
  }

  static const char* Relation(CompareOp op) {
    switch (op) {
      case CompareOp::kEq:
        return " = ";
      case CompareOp::kNe:
        return " <> ";
      case CompareOp::kLt:
        return " < ";
      case CompareOp::kLe:
        return " <= ";
      case CompareOp::kGt:
        return " > ";
      case CompareOp::kGe:
        return " >= ";
    }
    return "";
  }

  // All facts hold.
  std::string Facts(const std::vector<BoundPattern>& facts) {
    std::vector<std::string> ends;
    for (const BoundPattern& f : facts) {
      if (!f.lower_infinite) ends.push_back(Text(f.lower) + " <= " + Text(f.expr));
      if (!f.upper_infinite) ends.push_back(Text(f.expr) + " <= " + Text(f.upper));
    }
    return ends.empty() ? "True" : "(" + llvm::join(ends, " /\\ ") + ")";
  }

  std::string Claim() {
    if (!rule_.is_constraint_rule) return Text(rule_.lhs) + " = " + Text(rule_.rhs);
    std::string premises = Facts(rule_.premises);
    if (rule_.concludes_false) return "~ " + premises;
    if (rule_.conclusions.empty()) return premises;
    return premises + " <->\n    " + Facts(rule_.conclusions);
  }

  std::string Implications(const std::string& claim) const {
    std::string text;
    for (const Step& step : steps_) text += step.proposition + " ->\n    ";
    return text + claim;
  }

  // The steps to be shown, each from the steps before it alone.
  std::string Obligations() const {
    std::string text;
    for (const Step& step : llvm::reverse(steps_)) {
      if (!step.shown)
        text = step.proposition + " ->\n    " + (text.empty() ? "True" : text);
      else
        text = step.proposition + (text.empty() ? "" : " /\\ (" + text + ")");
    }
    return text.empty() ? "True" : text;
  }

  std::string Definition(const std::string& name, const std::string& body) {
    std::vector<std::string> names;
    names.reserve(rule_.metavariables.size());
    for (size_t i = 0; i < rule_.metavariables.size(); ++i)
      names.push_back(Name(static_cast<int>(i)));
    std::sort(names.begin(), names.end());
    const std::string forall =
        names.empty() ? "" : "forall " + llvm::join(names, " ") + " : Z,\n    ";
    return "Definition " + name + " : Prop :=\n  " + forall + body + ".\n";
  }

  // The rule without the line of why, which may have any text in it.
  std::string Comment() {
    Rule rule = rule_;
    rule.why.clear();
    const std::string text = llvm::StringRef(ToString(rule)).split("\n  why").first.str();
    for (const char* mark : {"(*", "*)", "\""})
      if (llvm::StringRef(text).contains(mark)) Refuse("its text would end a comment of Coq");
    return "(* " + text + " *)\n";
  }

  const Rule rule_;
  std::vector<Step> steps_;
  std::string refused_;
};

}  // namespace

std::string CoqName(const Rule& rule) {
  std::string name = rule.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

llvm::Expected<std::string> CoqDefinitions(llvm::ArrayRef<Rule> rules) {
  std::string text;
  llvm::StringSet<> names;
  for (const Rule& rule : rules) {
    const std::string name = CoqName(rule);
    if (!llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; })) {
      return MakeError(rule.where + ": error: the name of rule '" + rule.name +
                       "' has more than letters, digits, _ and .");
    }
    if (!names.insert(name).second) {
      return MakeError(rule.where + ": error: rule '" + rule.name +
                       "' has the name of another one in Coq, '" + name + "'");
    }
    llvm::Expected<std::string> definitions = TheoremPrinter(rule).Run();
    if (!definitions) return definitions.takeError();
    text += (text.empty() ? "" : "\n") + *definitions;
  }
  return text;
}

}  // namespace affirm::rules
