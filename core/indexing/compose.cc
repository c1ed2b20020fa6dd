// Composition of maps.
#include "core/indexing/indexing_map.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm {
namespace {

// Rewrites a runtime variable's source map, whose dims are the dims of `second`, to the dims of
// `first`.
Variable CarryRuntime(const Variable& v, const IndexingMap& first) {
  Variable out = v;
  if (out.source && out.source->map) {
    out.source->map = std::make_shared<IndexingMap>(Compose(first, *out.source->map));
  }
  return out;
}

}  // namespace

IndexingMap Compose(const IndexingMap& first, const IndexingMap& second) {
  if (first.IsUndefined() || second.IsUndefined()) return IndexingMap::Undefined();
  if (first.IsKnownEmpty()) return first;
  if (second.IsKnownEmpty()) return second;
  if (first.map().num_results() != second.map().num_dims()) return IndexingMap::Undefined();

  // Variables: second's symbols keep their numbers, first's stand behind them.
  int64_t range_shift = static_cast<int64_t>(second.ranges().size());
  int64_t runtime_shift = static_cast<int64_t>(second.runtime().size());
  auto shift = [&](SymbolicExpr e) {
    if (!range_shift && !runtime_shift) return e;
    return e.Substitute([&](VarKind kind, int64_t i) -> SymbolicExpr {
      if (kind == VarKind::kDim) return {};
      return e.context()->Variable(kind,
                                   i + (kind == VarKind::kRange ? range_shift : runtime_shift));
    });
  };
  llvm::SmallVector<SymbolicExpr, 4> inner;
  for (SymbolicExpr e : first.results()) inner.push_back(shift(e));
  auto apply = [&](SymbolicExpr e) {
    return e.Substitute(
        [&](VarKind kind, int64_t i) { return kind == VarKind::kDim ? inner[i] : SymbolicExpr(); });
  };

  std::vector<Variable> ranges = second.ranges();
  ranges.insert(ranges.end(), first.ranges().begin(), first.ranges().end());
  std::vector<Variable> runtime;
  for (const Variable& v : second.runtime()) runtime.push_back(CarryRuntime(v, first));
  runtime.insert(runtime.end(), first.runtime().begin(), first.runtime().end());

  llvm::SmallVector<SymbolicExpr, 4> results;
  for (SymbolicExpr e : second.results()) results.push_back(apply(e));
  llvm::SmallVector<Constraint, 8> constraints;
  for (const Constraint& c : first.constraints()) {
    constraints.push_back({shift(c.expr), c.bounds});
  }
  for (const Constraint& c : second.constraints()) {
    constraints.push_back({apply(c.expr), c.bounds});
  }
  for (size_t i = 0; i < inner.size(); ++i) {
    constraints.push_back({inner[i], second.dims()[i].bounds});
  }
  SymbolicMap map(first.map().num_dims(), static_cast<int64_t>(ranges.size()),
                  static_cast<int64_t>(runtime.size()), results);
  return IndexingMap(*first.context(), std::move(map), first.dims(), std::move(ranges),
                     std::move(runtime), constraints);
}

}  // namespace affirm
