// Makes the mutants of a rule and proves or refutes each.
#include "verify/rules/mutants.h"

#include <algorithm>

#include "core/symbolic/checked.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm {
namespace {

bool InTheorem(const Condition& c) { return c.kind != ConditionKind::kLet || c.defines; }

// Calls fn(term, where it stands).
using TermVisitor = llvm::function_ref<void(Term&, const std::string&)>;

void VisitTerm(Term& t, const std::string& where, TermVisitor fn) {
  fn(t, where);
  for (Term& op : t.ops) VisitTerm(op, where, fn);
}

// Every term of the theorem, operands included, in a fixed order.
void VisitTerms(Rule& rule, TermVisitor fn) {
  const Rule original = rule;
  if (!rule.is_constraint_rule) {
    VisitTerm(rule.lhs, "the left side", fn);
    VisitTerm(rule.rhs, "the right side", fn);
  }
  for (BoundPattern& f : rule.premises) VisitTerm(f.expr, "a premise", fn);
  for (BoundPattern& f : rule.conclusions) {
    VisitTerm(f.expr, "a conclusion", fn);
    if (!f.lower_infinite) VisitTerm(f.lower, "a conclusion's lower end", fn);
    if (!f.upper_infinite) VisitTerm(f.upper, "a conclusion's upper end", fn);
  }
  for (size_t i = 0; i < rule.when.size(); ++i) {
    Condition& c = rule.when[i];
    if (!InTheorem(c)) continue;
    std::string where = "'" + ToString(original.when[i], original) + "'";
    VisitTerm(c.lhs, where, fn);
    if (c.kind == ConditionKind::kWithin) {
      if (!c.lower_infinite) VisitTerm(c.lower, where, fn);
      if (!c.upper_infinite) VisitTerm(c.upper, where, fn);
    } else {
      VisitTerm(c.rhs, where, fn);
    }
  }
}

// Ends of ranges and of conclusions.
void VisitEnds(Rule& rule, llvm::function_ref<void(Term&)> fn) {
  for (BoundPattern& f : rule.conclusions) {
    if (!f.lower_infinite) fn(f.lower);
    if (!f.upper_infinite) fn(f.upper);
  }
  for (Condition& c : rule.when) {
    if (c.kind != ConditionKind::kWithin) continue;
    if (!c.lower_infinite) fn(c.lower);
    if (!c.upper_infinite) fn(c.upper);
  }
}

const char* KindName(TermKind kind) {
  switch (kind) {
    case TermKind::kFloorDiv:
      return "floordiv";
    case TermKind::kCeilDiv:
      return "ceildiv";
    case TermKind::kMod:
      return "mod";
    case TermKind::kMin:
      return "min";
    case TermKind::kMax:
      return "max";
    case TermKind::kGcd:
      return "gcd";
    default:
      return "lcm";
  }
}

std::vector<TermKind> Exchanges(TermKind kind) {
  switch (kind) {
    case TermKind::kFloorDiv:
      return {TermKind::kCeilDiv, TermKind::kMod};
    case TermKind::kCeilDiv:
    case TermKind::kMod:
      return {TermKind::kFloorDiv};
    case TermKind::kMin:
      return {TermKind::kMax};
    case TermKind::kMax:
      return {TermKind::kMin};
    case TermKind::kGcd:
      return {TermKind::kLcm};
    case TermKind::kLcm:
      return {TermKind::kGcd};
    default:
      return {};
  }
}

bool IsNegation(const Term& t) {
  return t.kind == TermKind::kMul && t.ops.size() == 2 && t.ops[0] == Term::Number(-1);
}

// As the reader of rules makes it.
Term Negated(const Term& t) {
  if (t.kind == TermKind::kNumber && t.number != INT64_MIN) return Term::Number(-t.number);
  return IsNegation(t) ? t.ops[1] : Term::Node(TermKind::kMul, {Term::Number(-1), t});
}

bool HasNumber(const Term& t) {
  return t.kind == TermKind::kNumber ||
         (t.kind == TermKind::kAdd && std::any_of(t.ops.begin(), t.ops.end(), [](const Term& op) {
            return op.kind == TermKind::kNumber;
          }));
}

bool SameTheorem(const Rule& a, const Rule& b) {
  return a.lhs == b.lhs && a.rhs == b.rhs && a.premises == b.premises &&
         a.conclusions == b.conclusions && a.concludes_false == b.concludes_false &&
         a.when == b.when;
}

class Mutator {
 public:
  explicit Mutator(const Rule& rule) : rule_(rule) {}

  std::vector<Mutant> Run() {
    Conditions();
    Terms();
    Ends();
    return std::move(mutants_);
  }

 private:
  void Add(std::string what, Rule mutant) {
    if (SameTheorem(mutant, rule_)) return;
    for (const Mutant& m : mutants_)
      if (SameTheorem(m.rule, mutant)) return;
    mutants_.push_back({std::move(what), std::move(mutant)});
  }

  void Conditions() {
    for (size_t i = 0; i < rule_.when.size(); ++i) {
      const Condition& c = rule_.when[i];
      if (!InTheorem(c)) continue;
      std::string text = ToString(c, rule_);
      Rule dropped = rule_;
      dropped.when.erase(dropped.when.begin() + static_cast<int64_t>(i));
      Add("condition '" + text + "' dropped", std::move(dropped));
      if (c.kind != ConditionKind::kCompare) continue;
      Rule weaker = rule_;
      CompareOp& op = weaker.when[i].op;
      op = op == CompareOp::kLt   ? CompareOp::kLe
           : op == CompareOp::kGt ? CompareOp::kGe
           : op == CompareOp::kLe ? CompareOp::kLt
           : op == CompareOp::kGe ? CompareOp::kGt
                                  : op;
      std::string now = ToString(weaker.when[i], weaker);
      Add(("condition '" + llvm::Twine(text) + "' made '" + now + "'").str(), std::move(weaker));
    }
  }

  // A copy of the rule with `change` made to its n-th term.
  Rule Changed(size_t n, llvm::function_ref<void(Term&)> change) const {
    Rule copy = rule_;
    size_t at = 0;
    VisitTerms(copy, [&](Term& t, const std::string&) {
      if (at++ == n) change(t);
    });
    return copy;
  }

  void Terms() {
    std::vector<std::pair<Term, std::string>> terms;
    Rule copy = rule_;
    VisitTerms(copy, [&](Term& t, const std::string& where) { terms.push_back({t, where}); });
    for (size_t n = 0; n < terms.size(); ++n) {
      const auto& [t, where] = terms[n];
      std::string text = ToString(t, rule_);
      if (t.kind == TermKind::kNumber)
        for (int64_t step : {1, -1})
          if (auto v = CheckedAdd(t.number, step))
            Add((llvm::Twine(text) + " made " + llvm::Twine(*v) + " in " + where).str(),
                Changed(n, [&](Term& x) { x.number = *v; }));
      for (TermKind kind : Exchanges(t.kind))
        Add(("'" + llvm::Twine(text) + "' made " + KindName(kind) + " in " + where).str(),
            Changed(n, [&](Term& x) { x.kind = kind; }));
      if (t.kind == TermKind::kAdd) Signs(n, t, where);
    }
  }

  void Signs(size_t n, const Term& sum, const std::string& where) {
    for (size_t i = 1; i < sum.ops.size(); ++i)
      Add("sign of '" + ToString(sum.ops[i], rule_) + "' changed in " + where,
          Changed(n, [&](Term& x) { x.ops[i] = Negated(x.ops[i]); }));
  }

  void Ends() {
    std::vector<Term> ends;
    Rule copy = rule_;
    VisitEnds(copy, [&](Term& t) { ends.push_back(t); });
    for (size_t n = 0; n < ends.size(); ++n) {
      if (HasNumber(ends[n])) continue;  // shifted as a number
      for (int64_t step : {1, -1}) {
        Rule shifted = rule_;
        size_t at = 0;
        VisitEnds(shifted, [&](Term& t) {
          if (at++ == n) t = Term::Node(TermKind::kAdd, {t, Term::Number(step)});
        });
        Add("end " + std::to_string(n + 1) + ", '" + ToString(ends[n], rule_) + "', shifted by " +
                std::to_string(step),
            std::move(shifted));
      }
    }
  }

  const Rule& rule_;
  std::vector<Mutant> mutants_;
};

}  // namespace

std::vector<Mutant> Mutate(const Rule& rule) { return Mutator(rule).Run(); }

std::vector<MutantReport> TestMutants(const Rule& rule, const Budget& budget) {
  std::vector<MutantReport> reports;
  for (const Mutant& m : Mutate(rule))
    reports.push_back({m.what, ToString(m.rule), ProveRule(m.rule, budget)});
  return reports;
}

}  // namespace affirm
