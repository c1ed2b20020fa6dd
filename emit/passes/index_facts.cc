// What a formula says of ranges, and queries of the deciders under what is known.
#include "emit/passes/index_facts.h"

#include <algorithm>
#include <set>

#include "llvm/ADT/STLExtras.h"

namespace affirm::emit {
namespace {

// Smaller than for questions that people ask: a kernel has many.
DecideOptions KernelBudget() {
  DecideOptions options;
  options.budget.enumeration_points = 1 << 12;
  options.budget.z3_rlimit = 2'000'000;
  options.budget.isl_operations = 200'000;
  return options;
}

void CollectVariables(SymbolicExpr e, std::set<int64_t>& variables) {
  if (!e) return;
  e.Walk([&](SymbolicExpr node) {
    if (node.IsVariable()) variables.insert(node.value());
  });
}

void CollectVariables(const Formula& f, std::set<int64_t>& variables) {
  CollectVariables(f.lhs(), variables);
  CollectVariables(f.rhs(), variables);
  for (const Formula& part : f.parts()) CollectVariables(part, variables);
}

// e <= 0 (or e = 0) as bounds of e without its constant; nothing where a bound leaves int64.
void AddInterval(SymbolicExpr e, bool equal, std::vector<Constraint>& intervals) {
  if (!e || e.IsConstant()) return;
  int64_t offset = e.kind() == ExprKind::kAdd ? e.value() : 0;
  if (offset == kInt64Min) return;
  intervals.push_back({e - offset, {equal ? -offset : kInt64Min, -offset}});
}

// What a formula says of single terms.
void CollectIntervals(const Formula& f, bool negated, std::vector<Constraint>& intervals) {
  using Kind = Formula::Kind;
  switch (f.kind()) {
    case Kind::kNot:
      return CollectIntervals(f.parts()[0], !negated, intervals);
    case Kind::kAnd:
    case Kind::kOr:
      if ((f.kind() == Kind::kAnd) == negated) return;
      for (const Formula& part : f.parts()) CollectIntervals(part, negated, intervals);
      return;
    case Kind::kLe:
      // Not a <= b is b + 1 <= a.
      if (negated) return AddInterval(f.rhs() - f.lhs() + 1, false, intervals);
      return AddInterval(f.lhs() - f.rhs(), false, intervals);
    case Kind::kEq:
      if (!negated) AddInterval(f.lhs() - f.rhs(), true, intervals);
      return;
    default:
      return;
  }
}

}  // namespace

SymbolicExpr IndexFacts::Fresh(Interval bounds, std::string name) {
  variables_.push_back({bounds, std::move(name), std::nullopt});
  stale_ = true;
  return context_.Dim(static_cast<int64_t>(variables_.size()) - 1);
}

IndexFacts::Fact IndexFacts::MakeFact(Formula formula) {
  Fact fact;
  std::set<int64_t> variables;
  CollectVariables(formula, variables);
  fact.variables.assign(variables.begin(), variables.end());
  CollectIntervals(formula, false, fact.intervals);
  fact.formula = std::move(formula);
  stale_ = true;
  return fact;
}

void IndexFacts::Define(Formula fact) { facts_.push_back(MakeFact(std::move(fact))); }

void IndexFacts::Enter(Formula fact) {
  entered_.push_back(facts_.size());
  facts_.push_back(MakeFact(std::move(fact)));
}

void IndexFacts::Leave() {
  // What was defined inside speaks of values that only live there.
  facts_.resize(entered_.back());
  entered_.pop_back();
  stale_ = true;
}

Interval IndexFacts::RangeOf(SymbolicExpr e) {
  if (stale_) {
    intervals_.clear();
    for (const Fact& fact : facts_) llvm::append_range(intervals_, fact.intervals);
    ranges_.Reset(variables_, {}, {}, intervals_);
    stale_ = false;
  }
  return ranges_.Of(e);
}

Answer IndexFacts::Prove(const Formula& claim) {
  std::set<int64_t> variables;
  CollectVariables(claim, variables);
  std::vector<Formula> known;
  std::vector<bool> taken(facts_.size());
  for (bool grew = true; grew;) {
    grew = false;
    for (size_t k = 0; k < facts_.size(); ++k) {
      auto shared = [&](int64_t v) { return variables.count(v) > 0; };
      if (taken[k] || llvm::none_of(facts_[k].variables, shared)) continue;
      taken[k] = grew = true;
      known.push_back(facts_[k].formula);
      variables.insert(facts_[k].variables.begin(), facts_[k].variables.end());
    }
  }
  Question question{.context = &context_, .variables = {}, .names = {}};
  for (const Variable& v : variables_) {
    question.variables.push_back(v.bounds);
    question.names.push_back(v.name);
  }
  question.claim = Formula::Implies(Formula::And(std::move(known)), claim);
  return Decide(question, KernelBudget());
}

bool IndexFacts::Proves(SymbolicExpr e, Interval bounds) {
  if (RangeOf(e).Within(bounds)) return true;
  if (e.IsConstant()) return bounds.Contains(e.value());
  return Prove(Formula::In(e, bounds)).verdict == Verdict::kProved;
}

std::string IndexFacts::PointText(SymbolicExpr e, llvm::ArrayRef<int64_t> point) const {
  std::set<int64_t> used;
  CollectVariables(e, used);
  std::string text;
  for (int64_t k : used) {
    if (!text.empty()) text += ", ";
    text += variables_[k].name + " = " + std::to_string(point[k]);
  }
  return text;
}

}  // namespace affirm::emit
