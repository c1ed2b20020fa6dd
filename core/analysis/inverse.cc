// Solves the results of a map for its dims and range variables, one result after the other.
#include "core/analysis/inverse.h"

#include "core/analysis/ops/op_helpers.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

// Unknowns are the dims and ranges of the given map, numbered in that order. While solving, the
// dims of the answer (the given x) are runtime variables past the map's own, so that one expression
// can hold all of them.
class Solver {
 public:
  Solver(const IndexingMap& map, llvm::ArrayRef<int64_t> shape)
      : map_(map),
        context_(*map.context()),
        num_dims_(static_cast<int64_t>(map.dims().size())),
        num_runtime_(static_cast<int64_t>(map.runtime().size())),
        solved_(map.dims().size() + map.ranges().size()),
        bounded_(solved_.size(), false),
        x_bounds_(VariablesOfSizes(shape)) {}

  IndexingMap Solve() {
    for (size_t i = 0; i < map_.results().size(); ++i) SolveResult(static_cast<int64_t>(i));
    for (size_t v = 0; v < solved_.size(); ++v) BoundSolved(static_cast<int64_t>(v));
    for (const Constraint& c : map_.constraints()) {
      constraints_.push_back({Apply(c.expr), c.bounds});
    }
    return Build();
  }

 private:
  SymbolicExpr X(int64_t i) const { return context_.Runtime(num_runtime_ + i); }
  SymbolicExpr Unknown(int64_t v) const {
    return v < num_dims_ ? context_.Dim(v) : context_.Range(v - num_dims_);
  }
  int64_t Number(SymbolicExpr var) const {
    return var.var_kind() == VarKind::kDim ? var.value() : num_dims_ + var.value();
  }
  const Interval& BoundsOf(int64_t v) const {
    return v < num_dims_ ? map_.dims()[v].bounds : map_.ranges()[v - num_dims_].bounds;
  }

  // Replaces the unknowns that have a solution.
  SymbolicExpr Apply(SymbolicExpr e) const {
    return e.Substitute([&](VarKind kind, int64_t i) {
      if (kind == VarKind::kRuntime) return SymbolicExpr();
      return solved_[kind == VarKind::kDim ? i : num_dims_ + i];
    });
  }

  // The unknown to solve `f = x` for: one that stands alone in a single term of the sum; dims
  // before ranges.
  SymbolicExpr Candidate(SymbolicExpr f) const {
    SymbolicExpr one[] = {f};
    llvm::ArrayRef<SymbolicExpr> terms = f.kind() == ExprKind::kAdd ? f.ops() : one;
    SymbolicExpr best;
    for (SymbolicExpr term : terms) {
      auto [coefficient, var] = term.SplitCoefficient();
      if (!var.IsVariable() || var.var_kind() == VarKind::kRuntime || coefficient == kInt64Min) {
        continue;
      }
      bool alone = llvm::all_of(
          terms, [&](SymbolicExpr t) { return t == term || !t.Uses(var.var_kind(), var.value()); });
      if (alone && (!best || Number(var) < Number(best.SplitCoefficient().second))) best = term;
    }
    return best;
  }

  void SolveResult(int64_t i) {
    SymbolicExpr f = Apply(map_.results()[i]);
    if (f.IsConstant()) {
      x_bounds_[i].bounds = x_bounds_[i].bounds.Intersect(Interval::Point(f.value()));
      return;
    }
    SymbolicExpr term = Candidate(f);
    if (!term) {
      constraints_.push_back({f - X(i), Interval::Point(0)});
      return;
    }
    auto [coefficient, var] = term.SplitCoefficient();
    SymbolicExpr rest = f - term;
    SymbolicExpr numerator = coefficient > 0 ? X(i) - rest : rest - X(i);
    SymbolicExpr solution = analysis::ExactQuotient(
        numerator, coefficient > 0 ? coefficient : -coefficient, constraints_);
    for (SymbolicExpr& s : solved_) {
      if (s) s = Replace(s, var, solution);
    }
    for (Constraint& c : constraints_) c.expr = Replace(c.expr, var, solution);
    solved_[Number(var)] = solution;
    if (rest.IsConstant()) TightenX(i, coefficient, rest.value(), Number(var));
  }

  static SymbolicExpr Replace(SymbolicExpr e, SymbolicExpr var, SymbolicExpr by) {
    return e.Uses(var.var_kind(), var.value()) ? e.Replace(var, by) : e;
  }

  // x = coefficient * v + offset: the bounds of v are bounds of x.
  void TightenX(int64_t i, int64_t coefficient, int64_t offset, int64_t v) {
    Interval x = BoundsOf(v) * Interval::Point(coefficient) + Interval::Point(offset);
    x_bounds_[i].bounds = x_bounds_[i].bounds.Intersect(x);
    bounded_[v] = x.IsBounded();
  }

  // A solution has to lie in the bounds of the variable that it replaces.
  void BoundSolved(int64_t v) {
    if (solved_[v] && !bounded_[v]) constraints_.push_back({solved_[v], BoundsOf(v)});
  }

  // Renumbers: x becomes the dims, the unknowns without a solution the ranges.
  IndexingMap Build() const {
    std::vector<SymbolicExpr> range_of(solved_.size());
    std::vector<Variable> ranges;
    for (size_t v = 0; v < solved_.size(); ++v) {
      if (solved_[v]) continue;
      range_of[v] = context_.Range(static_cast<int64_t>(ranges.size()));
      ranges.push_back({BoundsOf(static_cast<int64_t>(v)), "", std::nullopt});
    }
    auto finish = [&](SymbolicExpr e) {
      return Apply(e).Substitute([&](VarKind kind, int64_t i) -> SymbolicExpr {
        if (kind == VarKind::kDim) return range_of[i];
        if (kind == VarKind::kRange) return range_of[num_dims_ + i];
        return i >= num_runtime_ ? context_.Dim(i - num_runtime_) : SymbolicExpr();
      });
    };
    std::vector<SymbolicExpr> results;
    results.reserve(num_dims_);
    for (int64_t v = 0; v < num_dims_; ++v) results.push_back(finish(Unknown(v)));
    std::vector<Constraint> constraints;
    constraints.reserve(constraints_.size());
    for (const Constraint& c : constraints_) constraints.push_back({finish(c.expr), c.bounds});
    std::vector<Variable> runtime = map_.runtime();
    for (Variable& v : runtime) RebaseSource(v, ranges, finish);
    return IndexingMap(context_, results, x_bounds_, std::move(ranges), std::move(runtime),
                       constraints);
  }

  // The producer index of a runtime variable, over the new variables. An index that would itself
  // depend on a runtime value is left out.
  void RebaseSource(Variable& v, const std::vector<Variable>& ranges,
                    llvm::function_ref<SymbolicExpr(SymbolicExpr)> finish) const {
    if (!v.source || !v.source->map || v.source->map->state() != IndexingMap::State::kNormal) {
      return;
    }
    std::vector<SymbolicExpr> producer_index;
    for (SymbolicExpr e : v.source->map->results()) producer_index.push_back(finish(e));
    if (llvm::any_of(producer_index,
                     [](SymbolicExpr e) { return e.HasVariables(VarKind::kRuntime); })) {
      v.source->map = nullptr;
      return;
    }
    v.source->map =
        std::make_shared<IndexingMap>(IndexingMap(context_, producer_index, x_bounds_, ranges, {}));
  }

  const IndexingMap& map_;
  Context& context_;
  int64_t num_dims_;
  int64_t num_runtime_;
  std::vector<SymbolicExpr> solved_;  // by unknown; null: free
  std::vector<bool> bounded_;         // by unknown: its bounds are in x_bounds_
  std::vector<Variable> x_bounds_;
  std::vector<Constraint> constraints_;
};

}  // namespace

IndexingMap Inverse(const IndexingMap& map, llvm::ArrayRef<int64_t> result_shape) {
  if (map.state() != IndexingMap::State::kNormal) return map;
  if (map.results().size() != result_shape.size()) return IndexingMap::Undefined();
  return Solver(map, result_shape).Solve();
}

}  // namespace affirm
