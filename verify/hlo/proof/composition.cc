// Composition and inverse by substitution, and the proof of a composition by comparison.
#include "verify/hlo/proof/composition.h"

#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/proof/rebase_runtime_source.h"
#include "verify/hlo/proof/runtime_equivalence.h"
#include "verify/maps/flattened_map.h"

namespace affirm {

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
    runtime.push_back(RebaseRuntimeVariable(
        all[r],
        [&](VarKind kind, int64_t k) {
          SymbolicExpr e = context.Variable(kind, k);
          return of_second ? in_second(e) : in_first(e);
        },
        first.dims(), ranges, all));
  }
  return IndexingMap(context, results, first.dims(), std::move(ranges), std::move(runtime),
                     constraints);
}

namespace {

// Whether the producer index of a runtime variable depends on a range variable.
bool DependsOn(const IndexingMap& map, int64_t runtime, int64_t range) {
  const auto& source = map.runtime()[runtime].source;
  if (!source || !source->map || source->map->state() != IndexingMap::State::kNormal) return false;
  return llvm::any_of(source->map->results(), [&](SymbolicExpr e) {
    if (e.Uses(VarKind::kRange, range)) return true;
    for (int64_t r = 0; r < std::ssize(map.runtime()); ++r) {
      if (r != runtime && e.Uses(VarKind::kRuntime, r) && DependsOn(map, r, range)) return true;
    }
    return false;
  });
}

// Solves e == c for a range variable. None of the runtime variables in its value may be read at an
// index that depends on it. A limit of int64 is a number as an end of a variable, and none as one
// of a constraint.
std::optional<DeterminedVariable> Solve(const IndexingMap& map, SymbolicExpr e, int64_t c) {
  return Determined(e, c, [&](const DeterminedVariable& found) {
    const auto& [x, value] = found;
    if (x.var_kind() != VarKind::kRange || !map.ranges()[x.value()].bounds.IsBounded()) {
      return false;
    }
    for (int64_t r = 0; r < std::ssize(map.runtime()); ++r) {
      if (value.Uses(VarKind::kRuntime, r) && DependsOn(map, r, x.value())) return false;
    }
    return true;
  });
}

}  // namespace

IndexingMap EliminateDeterminedRanges(IndexingMap map) {
  Context& context = *map.context();
  for (size_t i = 0; i < map.constraints().size(); ++i) {
    const Constraint equality = map.constraints()[i];
    if (!equality.bounds.IsPoint()) continue;
    const auto solved = Solve(map, equality.expr, equality.bounds.lower);
    if (!solved) continue;
    const SymbolicExpr value = solved->value;
    const int64_t range = solved->variable.value();
    auto to = [&](VarKind kind, int64_t k) {
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
      runtime.push_back(RebaseRuntimeVariable(v, to, map.dims(), map.ranges(), map.runtime()));
    }
    map = IndexingMap(context, results, map.dims(), map.ranges(), std::move(runtime), constraints);
    if (map.state() != IndexingMap::State::kNormal) return map;
    i = static_cast<size_t>(-1);  // starts again: one range fewer is used
  }
  return map;
}

IndexingMap InverseByDefinition(const IndexingMap& map, llvm::ArrayRef<int64_t> sizes) {
  if (map.state() != IndexingMap::State::kNormal) return map;
  if (map.results().size() != sizes.size()) return IndexingMap::Undefined();
  Context& context = *map.context();
  const auto num_dims = static_cast<int64_t>(map.dims().size());
  std::vector<Variable> dims, ranges = map.dims(), runtime;
  // Results outside of the sizes are kept, so that a proof can refute them.
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
  results.reserve(num_dims);
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
    runtime.push_back(RebaseRuntimeVariable(v, to, dims, ranges, map.runtime()));
  }
  return EliminateDeterminedRanges(IndexingMap(context, results, std::move(dims), std::move(ranges),
                                               std::move(runtime), constraints));
}

MapProofResult ProveComposition(const IndexingMap& first, const IndexingMap& second,
                                const IndexingMap& claimed, const DecideOptions& options) {
  return ProveEqualForAllRuntimeValues(claimed, ComposeByDefinition(first, second), options);
}

IndexingMap EveryElement(Context& context, const hlo::Shape& from, const hlo::Shape& to) {
  std::vector<SymbolicExpr> results;
  results.reserve(to.rank());
  for (int64_t i = 0; i < to.rank(); ++i) results.push_back(context.Range(i));
  return IndexingMap::FromShapes(context, results, from.dims, to.dims);
}

}  // namespace affirm
