#include "verify/hlo/composition.h"

#include <memory>
#include <utility>

#include "verify/maps/flat_map.h"
#include "verify/maps/timing.h"

namespace affirm {
namespace {

bool IsNormal(const IndexingMap& map) { return map.state() == IndexingMap::State::kNormal; }

// The place in the producer, seen from the dims of `first`.
Variable Carried(const Variable& v, const IndexingMap& first) {
  Variable carried = v;
  if (carried.source && carried.source->map) {
    carried.source->map =
        std::make_shared<IndexingMap>(ComposeByDefinition(first, *carried.source->map));
  }
  return carried;
}

// A place without its domain, over given dims: what is compared is the element that is named.
// Composed with a map whose variables it doesn't use, it is the place that it was.
IndexingMap BarePlace(const IndexingMap& place, const std::vector<Variable>& dims) {
  if (place.map().UsedSymbols().any()) {
    return IndexingMap(*place.context(), place.map(), dims, place.ranges(), place.runtime());
  }
  SymbolicMap of_dims(place.map().num_dims(), 0, 0, place.results());
  return IndexingMap(*place.context(), std::move(of_dims), dims, {}, {});
}

bool SameSource(const std::optional<RuntimeSource>& a, const std::optional<RuntimeSource>& b,
                const std::vector<Variable>& dims, const DecideOptions& options) {
  if (!a || !b) return !a && !b;
  if (a->producer != b->producer || a->clamp != b->clamp) return false;
  if (!a->map || !b->map) return !a->map && !b->map;
  if (*a->map == *b->map) return true;
  for (const IndexingMap* place : {a->map.get(), b->map.get()}) {
    if (!IsNormal(*place) || place->dims().size() != dims.size()) return false;
  }
  if (a->map->results() == b->map->results() && a->map->ranges() == b->map->ranges()) return true;
  return ProveEqual(BarePlace(*a->map, dims), BarePlace(*b->map, dims), options).verdict ==
         Verdict::kProved;
}

}  // namespace

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
  for (const Variable& v : second.runtime()) runtime.push_back(Carried(v, first));
  runtime.insert(runtime.end(), first.runtime().begin(), first.runtime().end());
  SymbolicMap map(static_cast<int64_t>(first.dims().size()), static_cast<int64_t>(ranges.size()),
                  static_cast<int64_t>(runtime.size()), results);
  return IndexingMap(context, std::move(map), first.dims(), std::move(ranges), std::move(runtime),
                     constraints);
}

namespace {

// Which of the common variables each runtime variable of a map is; those that are none yet join
// them.
std::vector<int64_t> PlaceRuntime(const IndexingMap& map, std::vector<Variable>& common,
                                  const DecideOptions& options) {
  std::vector<bool> taken(common.size());
  std::vector<int64_t> places(map.runtime().size(), -1);
  for (size_t r = 0; r < places.size(); ++r) {
    const Variable& v = map.runtime()[r];
    for (size_t k = 0; k < taken.size() && places[r] < 0; ++k) {
      if (taken[k] || !SameSource(v.source, common[k].source, map.dims(), options)) continue;
      common[k].bounds = common[k].bounds.Hull(v.bounds);
      taken[k] = true;
      places[r] = static_cast<int64_t>(k);
    }
  }
  for (size_t r = 0; r < places.size(); ++r) {
    if (places[r] >= 0) continue;
    places[r] = static_cast<int64_t>(common.size());
    common.push_back(map.runtime()[r]);
  }
  return places;
}

}  // namespace

void AlignRuntime(std::vector<IndexingMap>& maps, const DecideOptions& options) {
  std::vector<Variable> common;
  std::vector<std::vector<int64_t>> positions(maps.size());
  for (size_t m = 0; m < maps.size(); ++m) {
    if (IsNormal(maps[m])) positions[m] = PlaceRuntime(maps[m], common, options);
  }
  for (size_t m = 0; m < maps.size(); ++m) {
    IndexingMap& map = maps[m];
    if (!IsNormal(map)) continue;
    Context& context = *map.context();
    std::vector<Variable> runtime = common;
    for (size_t r = 0; r < positions[m].size(); ++r) runtime[positions[m][r]] = map.runtime()[r];
    auto rename = [&](SymbolicExpr e) {
      return Rename(e, context, [&](VarKind kind, int64_t k) {
        return context.Variable(kind, kind == VarKind::kRuntime ? positions[m][k] : k);
      });
    };
    std::vector<SymbolicExpr> results;
    std::vector<Constraint> constraints;
    for (SymbolicExpr e : map.results()) results.push_back(rename(e));
    for (const Constraint& c : map.constraints()) constraints.push_back({rename(c.expr), c.bounds});
    SymbolicMap symbolic(map.map().num_dims(), map.map().num_ranges(),
                         static_cast<int64_t>(common.size()), results);
    map = IndexingMap(context, std::move(symbolic), map.dims(), map.ranges(), std::move(runtime),
                      constraints);
  }
}

MapAnswer ProveComposition(const IndexingMap& first, const IndexingMap& second,
                           const IndexingMap& claimed, const DecideOptions& options) {
  return Timed([&] {
    std::vector<IndexingMap> maps = {claimed, ComposeByDefinition(first, second)};
    AlignRuntime(maps, options);
    return ProveEqual(maps[0], maps[1], options);
  });
}

}  // namespace affirm
