// Reading of rule files.
#include <optional>
#include <utility>

#include "core/simplify/rule.h"
#include "core/symbolic/checked.h"
#include "core/symbolic/text_cursor.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace affirm {
namespace {

constexpr int kMaxNesting = 200;

bool IsKeyword(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"rule", "when", "why", "let", "in", "is", "and", "divides"}, true)
      .Cases({"range", "within", "inf", "floordiv", "ceildiv", "mod"}, true)
      .Cases({"true", "false"}, true)
      .Default(false);
}

class RuleParser {
 public:
  RuleParser(llvm::StringRef text, llvm::StringRef where) : cursor_(text, where) {}

  llvm::Expected<std::vector<Rule>> Run() {
    std::vector<Rule> rules;
    llvm::StringSet<> names;
    while (!cursor_.AtEnd()) {
      size_t at = cursor_.offset();
      rule_ = Rule();
      if (auto err = OneRule()) return err;
      if (!names.insert(rule_.name).second) {
        return cursor_.ErrorAt(at, "rule '" + rule_.name + "' is defined twice");
      }
      rules.push_back(std::move(rule_));
    }
    return rules;
  }

 private:
  llvm::Error OneRule() {
    cursor_.SkipSpace();
    int64_t line =
        1 + static_cast<int64_t>(cursor_.text().take_front(cursor_.offset()).count('\n'));
    if (auto err = cursor_.Expect("rule", "at the start of a rule")) return err;
    rule_.where = (cursor_.where() + ":" + llvm::Twine(line)).str();
    llvm::StringRef name = cursor_.Identifier();
    if (name.empty()) return cursor_.Error("expected the name of the rule");
    rule_.name = name.str();
    if (auto err = cursor_.Expect(":", "after the name of the rule")) return err;
    if (auto err = Sides()) return err;
    if (cursor_.Consume("when")) {
      do {
        if (auto err = OneCondition()) return err;
      } while (cursor_.Consume(","));
    }
    if (auto err = cursor_.Expect("why", "and a line that says why the rule holds")) return err;
    llvm::StringRef rest = cursor_.text().drop_front(cursor_.offset());
    llvm::StringRef why = rest.take_until([](char c) { return c == '\n'; });
    cursor_.set_offset(cursor_.offset() + why.size());
    rule_.why = why.trim().str();
    if (rule_.why.empty()) return cursor_.Error("expected a line that says why the rule holds");
    return llvm::Error::success();
  }

  llvm::Error Sides() {
    auto lhs = Expression();
    if (!lhs) return lhs.takeError();
    if (!cursor_.LooksAt("in")) {
      if (auto err = cursor_.Expect("=>", "or 'in' after the left side")) return err;
      auto rhs = Expression();
      if (!rhs) return rhs.takeError();
      rule_.lhs = *lhs;
      rule_.rhs = *rhs;
      return llvm::Error::success();
    }
    rule_.is_constraint_rule = true;
    auto first = Bounds(*lhs);
    if (!first) return first.takeError();
    rule_.premises.push_back(*first);
    if (auto err = MoreFacts(rule_.premises)) return err;
    if (auto err = cursor_.Expect("=>", "after the premises")) return err;
    if (cursor_.Consume("true")) return llvm::Error::success();
    if (cursor_.Consume("false")) {
      rule_.concludes_false = true;
      return llvm::Error::success();
    }
    if (auto err = Fact(rule_.conclusions)) return err;
    return MoreFacts(rule_.conclusions);
  }

  llvm::Error Fact(std::vector<BoundPattern>& out) {
    auto e = Expression();
    if (!e) return e.takeError();
    auto fact = Bounds(*e);
    if (!fact) return fact.takeError();
    out.push_back(*fact);
    return llvm::Error::success();
  }

  llvm::Error MoreFacts(std::vector<BoundPattern>& out) {
    while (cursor_.Consume("and")) {
      if (auto err = Fact(out)) return err;
    }
    return llvm::Error::success();
  }

  llvm::Expected<BoundPattern> Bounds(Term expr) {
    if (auto err = cursor_.Expect("in", "after the constrained expression")) return err;
    BoundPattern b;
    b.expr = std::move(expr);
    if (auto err = Ends(b.lower, b.lower_infinite, b.upper, b.upper_infinite, RangeEnds::kRefused))
      return err;
    return b;
  }

  // Where the names of expressions and the ends of ranges stand in a term that has been read: the
  // first of each.
  struct Mentions {
    std::optional<size_t> expression, range_end;
  };
  enum class RangeEnds : uint8_t { kAllowed, kRefused };

  // A term that stands for an expression: lower() and upper() are constants of conditions.
  llvm::Expected<Term> Expression() {
    mentions_ = {};
    auto t = Sum();
    if (!t) return t;
    if (mentions_.range_end) return RefuseRangeEnd();
    return t;
  }

  // A term that stands for a constant. The name of an expression has no value in it, but for its
  // known range: lower(x), upper(x).
  llvm::Expected<Term> Constant(const llvm::Twine& what, RangeEnds range_ends) {
    mentions_ = {};
    auto t = Sum();
    if (!t) return t;
    if (mentions_.expression) return RefuseExpression(*mentions_.expression, what);
    if (mentions_.range_end && range_ends == RangeEnds::kRefused) return RefuseRangeEnd();
    return t;
  }

  llvm::Error RefuseRangeEnd() {
    return cursor_.ErrorAt(*mentions_.range_end,
                           "the end of a range can't stand here, expected it as a constant in a "
                           "condition or a 'let'");
  }

  llvm::Error RefuseExpression(size_t at, const llvm::Twine& what) {
    TextCursor name(cursor_.text(), cursor_.where());
    name.set_offset(at);
    return cursor_.ErrorAt(
        at, "'" + name.Identifier() + "' stands for an expression, expected " + what);
  }

  // [a, b] with -inf and inf for absent ends.
  llvm::Error Ends(Term& lower, bool& lower_infinite, Term& upper, bool& upper_infinite,
                   RangeEnds range_ends) {
    if (auto err = cursor_.Expect("[", "to open the bounds")) return err;
    if (cursor_.Consume("-inf")) {
      lower_infinite = true;
    } else {
      auto t = Constant("a constant as the lower end", range_ends);
      if (!t) return t.takeError();
      lower = *t;
    }
    if (auto err = cursor_.Expect(",", "between the bounds")) return err;
    if (cursor_.Consume("inf")) {
      upper_infinite = true;
    } else {
      auto t = Constant("a constant as the upper end", range_ends);
      if (!t) return t.takeError();
      upper = *t;
    }
    return cursor_.Expect("]", "to close the bounds");
  }

  llvm::Error OneCondition() {
    Condition c;
    if (cursor_.Consume("let")) {
      c.kind = ConditionKind::kLet;
      cursor_.SkipSpace();
      size_t at = cursor_.offset();
      auto lhs = Primary();
      if (!lhs) return lhs.takeError();
      if (lhs->kind != TermKind::kMetavariable || rule_.metavariables[lhs->metavariable].is_expr) {
        return cursor_.ErrorAt(at, "'let' defines the name of a constant");
      }
      if (auto err = cursor_.Expect("=", "after the name in 'let'")) return err;
      auto rhs = Constant("a constant in a 'let'", RangeEnds::kAllowed);
      if (!rhs) return rhs.takeError();
      c.lhs = *lhs;
      c.rhs = *rhs;
      c.defines = !mentions_.range_end;
    } else if (cursor_.Consume("range")) {
      c.kind = ConditionKind::kWithin;
      if (auto err = cursor_.Expect("(", "after 'range'")) return err;
      auto e = Expression();
      if (!e) return e.takeError();
      c.lhs = *e;
      if (auto err = cursor_.Expect(")", "after the expression")) return err;
      if (auto err = cursor_.Expect("within", "after range(...)")) return err;
      if (auto err =
              Ends(c.lower, c.lower_infinite, c.upper, c.upper_infinite, RangeEnds::kAllowed))
        return err;
    } else if (auto err = Relation(c)) {
      return err;
    }
    rule_.when.push_back(std::move(c));
    return llvm::Error::success();
  }

  // Only `is` relates expressions, so what may stand on the left shows when the relation is read.
  llvm::Error Relation(Condition& c) {
    mentions_ = {};
    auto lhs = Sum();
    if (!lhs) return lhs.takeError();
    c.lhs = *lhs;
    const Mentions left = mentions_;
    struct {
      const char* text;
      ConditionKind kind;
      CompareOp op;
    } const forms[] = {{"divides", ConditionKind::kDivides, CompareOp::kEq},
                       {"is", ConditionKind::kIs, CompareOp::kEq},
                       {"==", ConditionKind::kCompare, CompareOp::kEq},
                       {"!=", ConditionKind::kCompare, CompareOp::kNe},
                       {"<=", ConditionKind::kCompare, CompareOp::kLe},
                       {">=", ConditionKind::kCompare, CompareOp::kGe},
                       {"<", ConditionKind::kCompare, CompareOp::kLt},
                       {">", ConditionKind::kCompare, CompareOp::kGt}};
    for (const auto& form : forms) {
      if (!cursor_.Consume(form.text)) continue;
      c.kind = form.kind;
      c.op = form.op;
      bool constants = form.kind != ConditionKind::kIs;
      const std::string side = ("constants around '" + llvm::Twine(form.text) +
                                "'; range(x) within [a, b] bounds an expression")
                                   .str();
      if (constants && left.expression) return RefuseExpression(*left.expression, side);
      if (!constants && left.range_end) return mentions_ = left, RefuseRangeEnd();
      auto rhs = constants ? Constant(side, RangeEnds::kAllowed) : Expression();
      if (!rhs) return rhs.takeError();
      c.rhs = *rhs;
      return llvm::Error::success();
    }
    return cursor_.Error("expected a comparison, 'divides' or 'is' in the condition");
  }

  llvm::Expected<Term> Sum() {
    if (++depth_ > kMaxNesting) return TooDeep();
    std::vector<Term> terms;
    bool minus = false;
    int highest = 0;
    do {
      auto t = Product();
      if (!t) return t;
      terms.push_back(minus ? Negate(std::move(*t)) : std::move(*t));
      highest = std::max(highest, height_);
      if (cursor_.Consume("+")) {
        minus = false;
      } else if (cursor_.Consume("-")) {
        minus = true;
      } else {
        break;
      }
    } while (true);
    --depth_;
    height_ = highest + (terms.size() > 1 ? 1 : 0);
    return terms.size() == 1 ? terms[0] : Term::Node(TermKind::kAdd, std::move(terms));
  }

  Term Negate(Term t) {
    if (t.kind == TermKind::kNumber && t.number != kInt64Min) return Term::Number(-t.number);
    ++height_;
    return Term::Node(TermKind::kMul, {Term::Number(-1), std::move(t)});
  }

  llvm::Error TooDeep() { return cursor_.Error("the term is nested too deeply"); }

  llvm::Expected<Term> Product() {
    auto lhs = Unary();
    while (lhs) {
      const int height = height_;
      if (height >= kMaxNesting) return TooDeep();
      TermKind kind;
      if (cursor_.Consume("*")) {
        kind = TermKind::kMul;
      } else if (cursor_.Consume("floordiv") || cursor_.Consume("/")) {
        kind = TermKind::kFloorDiv;
      } else if (cursor_.Consume("ceildiv")) {
        kind = TermKind::kCeilDiv;
      } else if (cursor_.Consume("mod")) {
        kind = TermKind::kMod;
      } else {
        break;
      }
      auto rhs = Unary();
      if (!rhs) return rhs;
      if (kind == TermKind::kMul && lhs->kind == TermKind::kMul) {
        lhs->ops.push_back(std::move(*rhs));
        height_ = std::max(height, height_ + 1);
      } else {
        lhs = Term::Node(kind, {std::move(*lhs), std::move(*rhs)});
        height_ = std::max(height, height_) + 1;
      }
    }
    return lhs;
  }

  llvm::Expected<Term> Unary() {
    if (!cursor_.LooksAt("-inf") && cursor_.Consume("-")) {
      auto t = Primary();
      if (!t) return t;
      return Negate(std::move(*t));
    }
    return Primary();
  }

  llvm::Expected<Term> Primary() {
    char c = cursor_.Peek();
    if (c >= '0' && c <= '9') {
      auto v = cursor_.Integer();
      if (!v) return v.takeError();
      height_ = 1;
      return Term::Number(*v);
    }
    if (cursor_.Consume("(")) {
      auto t = Sum();
      if (!t) return t;
      if (auto err = cursor_.Expect(")", "to close the parenthesis")) return err;
      return t;
    }
    size_t at = cursor_.offset();
    llvm::StringRef name = cursor_.Identifier();
    if (name.empty()) return cursor_.Error("expected a term");
    if (IsKeyword(name)) return cursor_.ErrorAt(at, "'" + name + "' is a word of the language");
    if (cursor_.LooksAt("(")) return Call(name, at);
    height_ = 1;
    Term t;
    t.kind = TermKind::kMetavariable;
    t.metavariable = rule_.FindMetavariable(name);
    if (t.metavariable < 0) {
      t.metavariable = static_cast<int>(rule_.metavariables.size());
      rule_.metavariables.push_back({name.str(), name[0] >= 'u' && name[0] <= 'z'});
    }
    if (rule_.metavariables[t.metavariable].is_expr && !mentions_.expression)
      mentions_.expression = at;
    return t;
  }

  llvm::Expected<Term> Call(llvm::StringRef name, size_t at) {
    struct {
      const char* text;
      TermKind kind;
      size_t least, most;
    } const functions[] = {{"min", TermKind::kMin, 2, 8},    {"max", TermKind::kMax, 2, 8},
                           {"gcd", TermKind::kGcd, 2, 2},    {"lcm", TermKind::kLcm, 2, 2},
                           {"abs", TermKind::kAbs, 1, 1},    {"lower", TermKind::kLower, 1, 1},
                           {"upper", TermKind::kUpper, 1, 1}};
    for (const auto& f : functions) {
      if (name != f.text) continue;
      cursor_.Consume("(");
      std::vector<Term> ops;
      int highest = 0;
      bool range_end = f.kind == TermKind::kLower || f.kind == TermKind::kUpper;
      bool of_constants =
          f.kind == TermKind::kGcd || f.kind == TermKind::kLcm || f.kind == TermKind::kAbs;
      const Mentions before = std::exchange(mentions_, {});
      do {
        auto t = Sum();
        if (!t) return t;
        highest = std::max(highest, height_);
        ops.push_back(std::move(*t));
      } while (cursor_.Consume(","));
      if (auto err = cursor_.Expect(")", "after the arguments")) return err;
      if (ops.size() < f.least || ops.size() > f.most) {
        return cursor_.ErrorAt(at, name + " has the wrong number of arguments");
      }
      height_ = highest + 1;
      if (range_end && mentions_.range_end) return RefuseRangeEnd();
      if (of_constants && mentions_.expression)
        return RefuseExpression(*mentions_.expression, "constants as operands of " + name);
      // The operand of lower() and upper() is an expression where a constant is expected.
      if (range_end) mentions_ = {std::nullopt, at};
      if (before.expression) mentions_.expression = before.expression;
      if (before.range_end) mentions_.range_end = before.range_end;
      return Term::Node(f.kind, std::move(ops));
    }
    return cursor_.ErrorAt(at, "unknown function '" + name + "'");
  }

  TextCursor cursor_;
  Rule rule_;
  int depth_ = 0;      // of brackets that are open
  int height_ = 0;     // of the term that was read last: a / b / c is ((a / b) / c)
  Mentions mentions_;  // in the term that is being read
};

}  // namespace

int Rule::FindMetavariable(llvm::StringRef slot_name) const {
  for (size_t i = 0; i < metavariables.size(); ++i) {
    if (metavariables[i].name == slot_name) return static_cast<int>(i);
  }
  return -1;
}

llvm::Expected<std::vector<Rule>> ParseRules(llvm::StringRef text, llvm::StringRef where) {
  return RuleParser(text, where).Run();
}

}  // namespace affirm
