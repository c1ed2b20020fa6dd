// Composition of indexing maps, runtime variables included.
#include "core/indexing/indexing_map.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm {

Variable RebaseRuntimeSource(const Variable& v, SymbolicExpr::Substitution fn,
                             const std::vector<Variable>& dims, const std::vector<Variable>& ranges,
                             const std::vector<Variable>& runtime) {
  if (!v.source || !v.source->map || v.source->map->state() != IndexingMap::State::kNormal)
    return v;
  const IndexingMap& old = *v.source->map;
  llvm::SmallVector<SymbolicExpr, 4> results;
  for (SymbolicExpr e : old.results()) results.push_back(e.Substitute(fn));
  llvm::SmallVector<Constraint, 4> constraints;
  for (const Constraint& c : old.constraints()) {
    constraints.push_back({c.expr.Substitute(fn), c.bounds});
  }
  bool nested =
      llvm::any_of(results, [](SymbolicExpr e) { return e.HasVariables(VarKind::kRuntime); });
  std::vector<Variable> others;
  for (const Variable& r : runtime) {
    if (nested) others.push_back({r.bounds, r.name, std::nullopt});
  }
  Variable out = v;
  out.source->map = std::make_shared<IndexingMap>(*old.context(), results, dims, ranges,
                                                  std::move(others), constraints);
  return out;
}

IndexingMap Compose(const IndexingMap& first, const IndexingMap& second) {
  if (first.IsUndefined() || second.IsUndefined()) return IndexingMap::Undefined();
  if (first.IsKnownEmpty()) return first;
  if (second.IsKnownEmpty()) return second;
  if (first.map().num_results() != second.map().num_dims()) return IndexingMap::Undefined();

  // Variables: second's symbols keep their numbers, first's stand behind them.
  int64_t range_shift = static_cast<int64_t>(second.ranges().size());
  int64_t runtime_shift = static_cast<int64_t>(second.runtime().size());
  auto shift = [&](VarKind kind, int64_t i) -> SymbolicExpr {
    if (kind == VarKind::kDim) return {};
    return first.context()->Variable(kind,
                                     i + (kind == VarKind::kRange ? range_shift : runtime_shift));
  };
  bool renumber = range_shift || runtime_shift;
  auto shifted = [&](SymbolicExpr e) { return renumber ? e.Substitute(shift) : e; };
  llvm::SmallVector<SymbolicExpr, 4> inner;
  for (SymbolicExpr e : first.results()) inner.push_back(shifted(e));
  auto feed = [&](VarKind kind, int64_t i) {
    return kind == VarKind::kDim ? inner[i] : SymbolicExpr();
  };

  std::vector<Variable> ranges = second.ranges();
  ranges.insert(ranges.end(), first.ranges().begin(), first.ranges().end());
  std::vector<Variable> runtime = second.runtime();
  runtime.insert(runtime.end(), first.runtime().begin(), first.runtime().end());
  for (size_t i = 0; i < runtime.size(); ++i) {
    bool of_second = i < second.runtime().size();
    runtime[i] = of_second ? RebaseRuntimeSource(runtime[i], feed, first.dims(), ranges, runtime)
                           : RebaseRuntimeSource(runtime[i], shift, first.dims(), ranges, runtime);
  }

  llvm::SmallVector<SymbolicExpr, 4> results;
  for (SymbolicExpr e : second.results()) results.push_back(e.Substitute(feed));
  llvm::SmallVector<Constraint, 8> constraints;
  for (const Constraint& c : first.constraints()) {
    constraints.push_back({shifted(c.expr), c.bounds});
  }
  for (const Constraint& c : second.constraints()) {
    constraints.push_back({c.expr.Substitute(feed), c.bounds});
  }
  for (size_t i = 0; i < inner.size(); ++i) {
    constraints.push_back({inner[i], second.dims()[i].bounds});
  }
  return IndexingMap(*first.context(), results, first.dims(), std::move(ranges), std::move(runtime),
                     constraints);
}

}  // namespace affirm
