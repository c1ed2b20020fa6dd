// The intervals that a formula implies, and queries of the deciders under the assumptions.
#include "emit/transforms/index_assumptions.h"

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

// Collects the intervals that a formula implies for single terms.
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
      // The negation of a <= b is b + 1 <= a.
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

SymbolicExpr IndexAssumptions::Fresh(Interval bounds, std::string name) {
  variables_.push_back({bounds, std::move(name), std::nullopt});
  stale_ = true;
  return context_.Dim(static_cast<int64_t>(variables_.size()) - 1);
}

IndexAssumptions::Assumption IndexAssumptions::MakeAssumption(Formula formula) {
  Assumption assumption;
  std::set<int64_t> variables;
  CollectVariables(formula, variables);
  assumption.variables.assign(variables.begin(), variables.end());
  CollectIntervals(formula, false, assumption.intervals);
  assumption.formula = std::move(formula);
  stale_ = true;
  return assumption;
}

void IndexAssumptions::Define(Formula assumption) {
  assumptions_.push_back(MakeAssumption(std::move(assumption)));
}

void IndexAssumptions::Enter(Formula assumption) {
  entered_.push_back(assumptions_.size());
  assumptions_.push_back(MakeAssumption(std::move(assumption)));
}

void IndexAssumptions::Leave() {
  // Assumptions made inside are about values that only live there.
  assumptions_.resize(entered_.back());
  entered_.pop_back();
  stale_ = true;
}

Interval IndexAssumptions::RangeOf(SymbolicExpr e) {
  if (stale_) {
    intervals_.clear();
    for (const Assumption& assumption : assumptions_)
      llvm::append_range(intervals_, assumption.intervals);
    ranges_.Reset(variables_, {}, {}, intervals_);
    stale_ = false;
  }
  return ranges_.Of(e);
}

SolverResult IndexAssumptions::Prove(const Formula& claim) {
  std::set<int64_t> variables;
  CollectVariables(claim, variables);
  std::vector<Formula> known;
  std::vector<bool> taken(assumptions_.size());
  for (bool grew = true; grew;) {
    grew = false;
    for (size_t k = 0; k < assumptions_.size(); ++k) {
      auto shared = [&](int64_t v) { return variables.count(v) > 0; };
      if (taken[k] || llvm::none_of(assumptions_[k].variables, shared)) continue;
      taken[k] = grew = true;
      known.push_back(assumptions_[k].formula);
      variables.insert(assumptions_[k].variables.begin(), assumptions_[k].variables.end());
    }
  }
  SolverQuery query{.context = &context_, .variables = {}, .names = {}};
  for (const Variable& v : variables_) {
    query.variables.push_back(v.bounds);
    query.names.push_back(v.name);
  }
  query.claim = Formula::Implies(Formula::And(std::move(known)), claim);
  return Decide(query, KernelBudget());
}

bool IndexAssumptions::Proves(SymbolicExpr e, Interval bounds) {
  if (RangeOf(e).Within(bounds)) return true;
  if (e.IsConstant()) return bounds.Contains(e.value());
  return Prove(Formula::In(e, bounds)).verdict == Verdict::kProved;
}

std::string IndexAssumptions::PointText(SymbolicExpr e, llvm::ArrayRef<int64_t> point) const {
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
