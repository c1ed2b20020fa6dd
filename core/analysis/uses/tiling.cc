// Tiles of sets: one arithmetic progression for each dim, over independent range variables.
#include "core/analysis/uses/tiling.h"

#include <algorithm>

#include "core/analysis/ops/op_helpers.h"
#include "core/analysis/uses/decouple_ranges.h"
#include "core/simplify/simplify.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

using analysis::Progression;

Tile NoTile(std::string reason) {
  Tile tile;
  tile.reason = std::move(reason);
  return tile;
}

Tile EmptyTile(Context& context) {
  Tile tile;
  tile.offsets = IndexingMap::KnownEmpty(context);
  tile.exactness = Exactness::kExact;
  return tile;
}

// The runtime variables whose producer index depends on range variables that have several values.
std::vector<bool> RangeDependent(const IndexingMap& map) {
  std::vector<bool> range_dependent(map.runtime().size(), false);
  auto depends_on_range = [&](SymbolicExpr e) {
    bool found = false;
    for (size_t i = 0; i < map.ranges().size(); ++i) {
      found |=
          !map.ranges()[i].bounds.IsPoint() && e.Uses(VarKind::kRange, static_cast<int64_t>(i));
    }
    for (size_t i = 0; i < range_dependent.size(); ++i) {
      found |= range_dependent[i] && e.Uses(VarKind::kRuntime, static_cast<int64_t>(i));
    }
    return found;
  };
  for (size_t round = 0; round < range_dependent.size(); ++round) {
    for (size_t i = 0; i < range_dependent.size(); ++i) {
      const auto& source = map.runtime()[i].source;
      if (!source || !source->map || source->map->state() != IndexingMap::State::kNormal) continue;
      range_dependent[i] =
          range_dependent[i] || llvm::any_of(source->map->results(), depends_on_range);
    }
  }
  return range_dependent;
}

// Turns the runtime variables that RangeDependent finds into range variables behind the others. The
// sources of the other runtime variables use only range variables with a single value, which
// replaces them.
IndexingMap WithRangeDependentValuesAsRanges(const IndexingMap& map,
                                             const std::vector<bool>& range_dependent) {
  Context& context = *map.context();
  std::vector<Variable> ranges = map.ranges(), runtime;
  std::vector<SymbolicExpr> now(range_dependent.size());
  for (size_t i = 0; i < range_dependent.size(); ++i) {
    std::vector<Variable>& list = range_dependent[i] ? ranges : runtime;
    int64_t number = static_cast<int64_t>(list.size());
    now[i] = range_dependent[i] ? context.Range(number) : context.Runtime(number);
    list.push_back({map.runtime()[i].bounds, range_dependent[i] ? "" : map.runtime()[i].name,
                    range_dependent[i] ? std::nullopt : map.runtime()[i].source});
  }
  auto fn = [&](VarKind kind, int64_t i) {
    if (kind == VarKind::kRuntime) return now[i];
    const bool is_point = kind == VarKind::kRange && map.ranges()[i].bounds.IsPoint();
    return is_point ? context.Constant(map.ranges()[i].bounds.lower) : SymbolicExpr();
  };
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr e : map.results()) results.push_back(e.Substitute(fn));
  std::vector<Constraint> constraints;
  for (const Constraint& c : map.constraints()) {
    constraints.push_back({c.expr.Substitute(fn), c.bounds});
  }
  for (Variable& v : runtime) v = RebaseRuntimeSource(v, fn, map.dims(), {}, runtime);
  return IndexingMap(context, results, map.dims(), std::move(ranges), std::move(runtime),
                     constraints);
}

// `results` over the domain of `map`, without its range variables.
IndexingMap OverDims(const IndexingMap& map, llvm::ArrayRef<SymbolicExpr> results,
                     llvm::ArrayRef<Constraint> more = {}) {
  std::vector<Constraint> constraints = map.constraints();
  llvm::append_range(constraints, more);
  return Simplify(IndexingMap(*map.context(), results, map.dims(), {}, map.runtime(), constraints));
}

// Drops the operands of a minimum that are never below `end`: they cut off no element.
SymbolicExpr Needed(SymbolicExpr bound, SymbolicExpr end, const IndexingMap& domain) {
  if (bound.kind() != ExprKind::kMin) return bound;
  std::vector<SymbolicExpr> parts;
  for (SymbolicExpr part : bound.ops()) {
    SymbolicExpr excess = OverDims(domain, {part - end}).results()[0];
    if (!domain.RangeOf(excess).Within({0, kInt64Max})) parts.push_back(part);
  }
  return parts.empty() ? bound : domain.context()->Min(parts);
}

// Fills a tile from one progression for each dim, over the domain of `map`.
Tile MakeTile(const IndexingMap& map, std::vector<Progression> dims,
              llvm::ArrayRef<Constraint> conditions) {
  Context& context = *map.context();
  size_t n = dims.size();
  // Offsets, upper bounds, and upper bounds minus offsets.
  std::vector<SymbolicExpr> ends(3 * n);
  for (size_t k = 0; k < n; ++k) {
    ends[k] = dims[k].first;
    ends[n + k] = context.Constant(0);
    if (dims[k].last) {
      ends[n + k] =
          analysis::ApplyMonotone(dims[k].last, true, [](SymbolicExpr e) { return e + 1; });
    }
    ends[2 * n + k] = ends[n + k] - ends[k];
  }
  IndexingMap all = OverDims(map, ends, conditions);
  if (all.IsKnownEmpty()) return EmptyTile(context);
  Tile tile;
  for (size_t k = 0; k < n; ++k) {
    const Progression& p = dims[k];
    Interval extent = all.RangeOf(all.results()[2 * n + k]);
    // The least and the largest number of positions below the bound.
    int64_t least = extent.lower > 0 ? (extent.lower - 1) / p.stride + 1 : 0;
    int64_t most = std::max<int64_t>(extent.upper > 0 ? (extent.upper - 1) / p.stride + 1 : 0, 1);
    int64_t size = p.last ? std::min(p.size, most) : p.size;
    tile.sizes.push_back(size);
    tile.strides.push_back(size == 1 ? 1 : p.stride);
    bool is_cut = p.last && least < size;
    SymbolicExpr end = all.results()[k] + (size - 1) * p.stride + 1;
    tile.upper_bounds.push_back(is_cut ? Needed(all.results()[n + k], end, all) : SymbolicExpr());
    if (tile.reason.empty()) tile.reason = p.over_approximation_reason;
  }
  tile.offsets = all.WithResults(all.results().take_front(n));
  return tile;
}

}  // namespace

IndexingMap Tile::Elements() const {
  if (offsets.state() != IndexingMap::State::kNormal) return offsets;
  Context& context = *offsets.context();
  std::vector<SymbolicExpr> results;
  std::vector<Constraint> constraints = offsets.constraints();
  for (size_t k = 0; k < sizes.size(); ++k) {
    SymbolicExpr e = offsets.results()[k] + context.Range(static_cast<int64_t>(k)) * strides[k];
    results.push_back(e);
    if (upper_bounds[k]) constraints.push_back({e - upper_bounds[k], {kInt64Min, -1}});
  }
  std::vector<Variable> ranges = VariablesOfSizes(sizes), runtime = offsets.runtime();
  auto same = [](VarKind, int64_t) { return SymbolicExpr(); };
  for (Variable& v : runtime) v = RebaseRuntimeSource(v, same, offsets.dims(), ranges, runtime);
  return IndexingMap(context, results, offsets.dims(), std::move(ranges), std::move(runtime),
                     constraints);
}

llvm::Expected<Tile> TilesOfShape(const hlo::Shape& shape, llvm::ArrayRef<int64_t> sizes,
                                  Context& context) {
  if (!shape.IsArray() || static_cast<int64_t>(sizes.size()) != shape.rank()) {
    return MakeError("expected one tile size for each of the " + llvm::Twine(shape.rank()) +
                     " dimensions of " + shape.ToString() + ", have " + llvm::Twine(sizes.size()));
  }
  Tile tile;
  std::vector<Variable> ids;
  std::vector<SymbolicExpr> offsets;
  for (size_t k = 0; k < sizes.size(); ++k) {
    int64_t n = shape.dims[k];
    if (sizes[k] < 1)
      return MakeError("a tile size must be positive, have " + llvm::Twine(sizes[k]));
    int64_t size = std::clamp<int64_t>(n, 1, sizes[k]), count = CeilDivUnchecked(n, size);
    offsets.push_back(context.Dim(static_cast<int64_t>(k)) * size);
    ids.push_back({{0, count - 1}, "pid_" + std::to_string(k), std::nullopt});
    tile.sizes.push_back(size);
    tile.strides.push_back(1);
    tile.upper_bounds.push_back(n % size ? context.Constant(n) : SymbolicExpr());
  }
  tile.offsets = Simplify(IndexingMap(context, offsets, std::move(ids), {}, {}));
  tile.exactness = Exactness::kExact;
  return tile;
}

Tile TileOf(const IndexingMap& map) {
  if (map.IsUndefined()) return NoTile("the map is not known");
  if (map.IsKnownEmpty()) return EmptyTile(*map.context());
  std::vector<bool> range_dependent = RangeDependent(map);
  IndexingMap fixed = WithRangeDependentValuesAsRanges(map, range_dependent);
  analysis::DecoupledMap decoupled =
      analysis::DecoupleRangeVariables(RemoveUnusedVariables(Simplify(fixed)));
  if (decoupled.map.IsKnownEmpty()) return EmptyTile(*map.context());
  analysis::Progressions progressions(decoupled.map, decoupled.affine_bounds);
  std::vector<Progression> dims;
  for (SymbolicExpr e : decoupled.map.results()) {
    std::optional<Progression> p = progressions.Of(e);
    if (!p) return NoTile("no bounds are known for " + e.ToString());
    dims.push_back(*std::move(p));
  }
  Tile tile = MakeTile(decoupled.map, std::move(dims), progressions.conditions());
  if (tile.offsets.IsKnownEmpty()) return tile;
  if (tile.reason.empty()) tile.reason = decoupled.over_approximation_reason;
  if (llvm::is_contained(range_dependent, true))
    tile.reason = "a runtime variable depends on the position in the tile";
  tile.exactness = tile.reason.empty() ? Exactness::kExact : Exactness::kOverApproximate;
  return tile;
}

Tile PropagateTile(const Tile& tile, const LabeledMap& map) {
  if (!tile.IsKnown()) return tile;
  Tile out = TileOf(Compose(tile.Elements(), map.map));
  if (!out.IsKnown()) return out;
  Exactness before = analysis::Weaker(tile.exactness, map.exactness);
  if (before != Exactness::kExact && out.reason.empty()) {
    out.reason = tile.reason.empty() ? "the map covers what is read" : tile.reason;
  }
  out.exactness = analysis::Weaker(before, out.exactness);
  return out;
}

GroupedTiles TilesAlong(const GroupedIndexing& maps_to, const Tile& tile) {
  GroupedTiles out;
  for (const auto& [op, maps] : maps_to) {
    std::vector<LeafTile>& tiles = out[op];
    for (const LabeledMap& map : maps) {
      LeafTile next{PropagateTile(tile, map), map.leaf};
      bool is_empty = next.tile.offsets.IsKnownEmpty();
      if (!is_empty && !llvm::is_contained(tiles, next)) tiles.push_back(std::move(next));
    }
  }
  return out;
}

llvm::Expected<GroupedTiles> ComputationTiles(const hlo::Instruction& root, int64_t output_id,
                                              llvm::ArrayRef<int64_t> sizes, Context& context,
                                              const IndexingOptions& options) {
  const hlo::Shape* shape = LeafShape(root.shape, output_id);
  if (!shape) return MakeError("'" + root.name + "' has no output " + llvm::Twine(output_id));
  auto tile = TilesOfShape(*shape, sizes, context);
  if (!tile) return tile.takeError();
  return TilesAlong(ComputationIndexing(root, output_id, context, options), *tile);
}

llvm::Expected<GroupedTiles> ConsumerTiles(const hlo::Instruction& instruction, int64_t operand,
                                           llvm::ArrayRef<int64_t> sizes, Context& context,
                                           const IndexingOptions& options) {
  if (operand < 0 || operand >= std::ssize(instruction.operands)) {
    return MakeError("'" + instruction.name + "' has no operand " + llvm::Twine(operand));
  }
  auto tile = TilesOfShape(instruction.operands[operand]->shape, sizes, context);
  if (!tile) return tile.takeError();
  return TilesAlong(ConsumerIndexing(instruction, operand, 0, context, options), *tile);
}

}  // namespace affirm
