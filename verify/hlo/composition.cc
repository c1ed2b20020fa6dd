#include "verify/hlo/composition.h"

#include <memory>
#include <utility>

#include "verify/hlo/runtime_places.h"
#include "verify/maps/flat_map.h"

namespace affirm {

Variable Carried(const Variable& v, llvm::function_ref<SymbolicExpr(VarKind, int64_t)> to,
                 const std::vector<Variable>& dims, const std::vector<Variable>& ranges,
                 const std::vector<Variable>& runtime) {
  if (!v.source || !v.source->map || v.source->map->state() != IndexingMap::State::kNormal)
    return v;
  Context& context = *v.source->map->context();
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr e : v.source->map->results()) results.push_back(Rename(e, context, to));
  std::vector<Variable> others;
  for (const Variable& other : runtime) others.push_back({other.bounds, other.name, std::nullopt});
  SymbolicMap place(static_cast<int64_t>(dims.size()), static_cast<int64_t>(ranges.size()),
                    static_cast<int64_t>(others.size()), std::move(results));
  Variable carried = v;
  carried.source->map =
      std::make_shared<IndexingMap>(context, std::move(place), dims, ranges, std::move(others));
  return carried;
}

IndexingMap ComposeByDefinition(const IndexingMap& first, const IndexingMap& second) {
  if (first.IsUndefined() || second.IsUndefined()) return IndexingMap::Undefined();
  if (first.IsKnownEmpty()) return first;
  if (second.IsKnownEmpty()) return second;
  if (first.results().size() != second.dims().size()) return IndexingMap::Undefined();
  Context& context = *first.context();
  int64_t num_ranges = static_cast<int64_t>(second.ranges().size());
  int64_t num_runtime = static_cast<int64_t>(second.runtime().size());
  auto in_first = [&](SymbolicExpr e) {
    return Rename(e, context, [&](VarKind kind, int64_t k) {
      int64_t shift = kind == VarKind::kRange     ? num_ranges
                      : kind == VarKind::kRuntime ? num_runtime
                                                  : 0;
      return context.Variable(kind, k + shift);
    });
  };
  std::vector<SymbolicExpr> between, results;
  for (SymbolicExpr e : first.results()) between.push_back(in_first(e));
  auto in_second = [&](SymbolicExpr e) {
    return Rename(e, context, [&](VarKind kind, int64_t k) {
      return kind == VarKind::kDim ? between[k] : context.Variable(kind, k);
    });
  };
  for (SymbolicExpr e : second.results()) results.push_back(in_second(e));

  std::vector<Constraint> constraints;
  for (const Constraint& c : first.constraints())
    constraints.push_back({in_first(c.expr), c.bounds});
  for (size_t i = 0; i < between.size(); ++i) {
    constraints.push_back({between[i], second.dims()[i].bounds});
  }
  for (const Constraint& c : second.constraints()) {
    constraints.push_back({in_second(c.expr), c.bounds});
  }
  std::vector<Variable> ranges = second.ranges(), runtime;
  ranges.insert(ranges.end(), first.ranges().begin(), first.ranges().end());
  std::vector<Variable> all = second.runtime();
  all.insert(all.end(), first.runtime().begin(), first.runtime().end());
  for (size_t r = 0; r < all.size(); ++r) {
    const bool of_second = static_cast<int64_t>(r) < num_runtime;
    runtime.push_back(Carried(
        all[r],
        [&](VarKind kind, int64_t k) {
          SymbolicExpr e = context.Variable(kind, k);
          return of_second ? in_second(e) : in_first(e);
        },
        first.dims(), ranges, all));
  }
  SymbolicMap map(static_cast<int64_t>(first.dims().size()), static_cast<int64_t>(ranges.size()),
                  static_cast<int64_t>(runtime.size()), results);
  return IndexingMap(context, std::move(map), first.dims(), std::move(ranges), std::move(runtime),
                     constraints);
}

MapAnswer ProveComposition(const IndexingMap& first, const IndexingMap& second,
                           const IndexingMap& claimed, const DecideOptions& options) {
  return ProveEqualAtRun(claimed, ComposeByDefinition(first, second), options);
}

}  // namespace affirm
