// The maps of accesses in other forms.
#include "driver/dump/emitter_accesses.h"

namespace affirm::driver {

const char* const kLaunchNames[6] = {"th_x", "th_y", "th_z", "bl_x", "bl_y", "bl_z"};

const char* Name(EmitterAccess::Kind kind) {
  return kind == EmitterAccess::kRead    ? "read"
         : kind == EmitterAccess::kWrite ? "write"
                                         : "atomic update";
}

IndexingMap Linearized(const EmitterAccess& access) {
  const IndexingMap& map = *access.map;
  const bool flat_already = access.shape.empty() && map.results().size() == 1;
  if (flat_already || map.IsKnownEmpty()) return map;
  std::vector<int64_t> order = access.order;
  if (order.empty()) {
    for (size_t k = access.shape.size(); k-- > 0;) order.push_back(static_cast<int64_t>(k));
  }
  SymbolicExpr flat = map.context()->Constant(0);
  int64_t stride = 1;
  for (int64_t dim : order) {
    flat = flat + map.results()[dim] * stride;
    stride *= access.shape[dim];
  }
  return map.WithResults({flat});
}

IndexingMap AtEachIteration(const IndexingMap& map) {
  if (map.IsKnownEmpty() || map.IsUndefined()) return map;
  Context& context = *map.context();
  std::vector<Variable> dims = map.dims();
  std::vector<SymbolicExpr> loops;
  for (const Variable& loop : map.ranges()) {
    if (loop.bounds.IsPoint()) {
      loops.push_back(context.Constant(loop.bounds.lower));
      continue;
    }
    loops.push_back(context.Dim(static_cast<int64_t>(dims.size())));
    dims.push_back(loop);
  }
  auto substitute = [&](SymbolicExpr e) {
    return e.Substitute([&](VarKind kind, int64_t index) {
      return kind == VarKind::kRange ? loops[index] : SymbolicExpr();
    });
  };
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr result : map.results()) results.push_back(substitute(result));
  std::vector<Constraint> constraints;
  for (const Constraint& c : map.constraints())
    constraints.push_back({substitute(c.expr), c.bounds});
  return IndexingMap(context, results, dims, {}, map.runtime(), constraints);
}

IndexingMap WithLoopsAsDims(const IndexingMap& map, size_t depth) {
  if (map.IsKnownEmpty()) return map;
  Context& context = *map.context();
  std::vector<Variable> dims = map.dims(), ranges;
  const auto ids = static_cast<int64_t>(dims.size());
  for (size_t k = 0; k < map.ranges().size(); ++k)
    (k < depth ? dims : ranges).push_back(map.ranges()[k]);
  auto move = [&](SymbolicExpr e) {
    return e.Substitute([&](VarKind kind, int64_t index) -> SymbolicExpr {
      if (kind != VarKind::kRange) return {};
      const auto outer = static_cast<int64_t>(depth);
      return index < outer ? context.Dim(ids + index) : context.Range(index - outer);
    });
  };
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr result : map.results()) results.push_back(move(result));
  std::vector<Constraint> constraints;
  for (const Constraint& c : map.constraints()) constraints.push_back({move(c.expr), c.bounds});
  return IndexingMap(context, results, dims, ranges, {}, constraints);
}

}  // namespace affirm::driver
