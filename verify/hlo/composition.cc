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

namespace {

// Whether the place of a runtime variable depends on a range variable.
bool Follows(const IndexingMap& map, int64_t runtime, int64_t range) {
  const auto& source = map.runtime()[runtime].source;
  if (!source || !source->map || source->map->state() != IndexingMap::State::kNormal) return false;
  return llvm::any_of(source->map->results(), [&](SymbolicExpr e) {
    if (e.Uses(VarKind::kRange, range)) return true;
    for (int64_t r = 0; r < std::ssize(map.runtime()); ++r) {
      if (r != runtime && e.Uses(VarKind::kRuntime, r) && Follows(map, r, range)) return true;
    }
    return false;
  });
}

// Of e == c: a range variable that e names once, by itself or negated, and what it then is. What
// values of run time it is must not be read at places that depend on it.
std::optional<std::pair<int64_t, SymbolicExpr>> Solve(const IndexingMap& map, SymbolicExpr e,
                                                      int64_t c) {
  const llvm::SmallVector<SymbolicExpr, 4> terms = e.kind() == ExprKind::kAdd
                                                       ? llvm::SmallVector<SymbolicExpr, 4>(e.ops())
                                                       : llvm::SmallVector<SymbolicExpr, 4>{e};
  for (SymbolicExpr term : terms) {
    const auto [factor, x] = term.SplitCoefficient();
    const bool is_range = x.IsVariable() && x.var_kind() == VarKind::kRange;
    if (!is_range || (factor != 1 && factor != -1)) continue;
    const SymbolicExpr rest = e - term;
    const SymbolicExpr value = factor == 1 ? -rest + c : rest - c;
    if (!value || value.Uses(VarKind::kRange, x.value())) continue;
    bool circular = false;
    for (int64_t r = 0; r < std::ssize(map.runtime()); ++r) {
      circular |= value.Uses(VarKind::kRuntime, r) && Follows(map, r, x.value());
    }
    if (!circular) return std::pair(x.value(), value);
  }
  return std::nullopt;
}

// Puts what an equation says a range variable is in its place, as often as there is one.
IndexingMap WithoutTiedRanges(IndexingMap map) {
  Context& context = *map.context();
  for (size_t i = 0; i < map.constraints().size(); ++i) {
    const Constraint tied = map.constraints()[i];
    if (!tied.bounds.IsPoint()) continue;
    const auto solved = Solve(map, tied.expr, tied.bounds.lower);
    if (!solved) continue;
    const auto [range, value] = *solved;
    auto to = [&, range = range, value = value](VarKind kind, int64_t k) {
      return kind == VarKind::kRange && k == range ? value : context.Variable(kind, k);
    };
    std::vector<SymbolicExpr> results;
    for (SymbolicExpr e : map.results()) results.push_back(Rename(e, context, to));
    std::vector<Constraint> constraints = {{value, map.ranges()[range].bounds}};
    for (size_t k = 0; k < map.constraints().size(); ++k) {
      const Constraint& c = map.constraints()[k];
      if (k != i) constraints.push_back({Rename(c.expr, context, to), c.bounds});
    }
    std::vector<Variable> runtime;
    for (const Variable& v : map.runtime()) {
      runtime.push_back(Carried(v, to, map.dims(), map.ranges(), map.runtime()));
    }
    SymbolicMap symbolic(map.map().num_dims(), map.map().num_ranges(), map.map().num_runtime(),
                         std::move(results));
    map = IndexingMap(context, std::move(symbolic), map.dims(), map.ranges(), std::move(runtime),
                      constraints);
    if (map.state() != IndexingMap::State::kNormal) return map;
    i = static_cast<size_t>(-1);  // from the start: there is one range less
  }
  return map;
}

}  // namespace

IndexingMap Converse(const IndexingMap& map, llvm::ArrayRef<int64_t> sizes) {
  if (map.state() != IndexingMap::State::kNormal) return map;
  if (map.results().size() != sizes.size()) return IndexingMap::Undefined();
  Context& context = *map.context();
  const auto num_dims = static_cast<int64_t>(map.dims().size());
  std::vector<Variable> dims, ranges = map.dims(), runtime;
  // Results outside of the sizes stay, for a proof to find.
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Interval reached = map.RangeOf(map.results()[i]);
    dims.push_back({Interval{0, sizes[i] - 1}.Hull(reached), "", std::nullopt});
  }
  ranges.insert(ranges.end(), map.ranges().begin(), map.ranges().end());
  auto to = [&](VarKind kind, int64_t k) {
    if (kind == VarKind::kDim) return context.Range(k);
    return context.Variable(kind, kind == VarKind::kRange ? k + num_dims : k);
  };
  std::vector<SymbolicExpr> results;
  for (int64_t d = 0; d < num_dims; ++d) results.push_back(context.Range(d));
  std::vector<Constraint> constraints;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const SymbolicExpr reached = Rename(map.results()[i], context, to);
    constraints.push_back({reached - context.Dim(static_cast<int64_t>(i)), Interval{0, 0}});
  }
  for (const Constraint& c : map.constraints()) {
    constraints.push_back({Rename(c.expr, context, to), c.bounds});
  }
  for (const Variable& v : map.runtime()) {
    runtime.push_back(Carried(v, to, dims, ranges, map.runtime()));
  }
  SymbolicMap turned(static_cast<int64_t>(dims.size()), static_cast<int64_t>(ranges.size()),
                     static_cast<int64_t>(runtime.size()), std::move(results));
  return WithoutTiedRanges(IndexingMap(context, std::move(turned), std::move(dims),
                                       std::move(ranges), std::move(runtime), constraints));
}

MapAnswer ProveComposition(const IndexingMap& first, const IndexingMap& second,
                           const IndexingMap& claimed, const DecideOptions& options) {
  return ProveEqualAtRun(claimed, ComposeByDefinition(first, second), options);
}

}  // namespace affirm
