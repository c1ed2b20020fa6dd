// Substitutions into maps.
#include "core/indexing/transform.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm {
namespace {

// The map with `fn` applied to results and constraints, over the variables given.
IndexingMap Substituted(const IndexingMap& map, SymbolicExpr::Substitution fn,
                        std::vector<Variable> dims, std::vector<Variable> ranges,
                        llvm::ArrayRef<Constraint> constraints) {
  llvm::SmallVector<SymbolicExpr, 4> results;
  for (SymbolicExpr e : map.results()) results.push_back(e.Substitute(fn));
  llvm::SmallVector<Constraint, 8> moved;
  for (const Constraint& c : constraints) moved.push_back({c.expr.Substitute(fn), c.bounds});
  std::vector<Variable> runtime = map.runtime();
  for (Variable& v : runtime) v = RebaseRuntimeSource(v, fn, dims, ranges, runtime);
  return IndexingMap(*map.context(), results, std::move(dims), std::move(ranges),
                     std::move(runtime), moved);
}

// The position, modulus and residue of `s mod m in [r, r]`; false for any other constraint.
bool IsResidueOfRange(const Constraint& c, int64_t& position, int64_t& modulus, int64_t& residue) {
  if (c.expr.kind() != ExprKind::kMod || !c.bounds.IsPoint()) return false;
  SymbolicExpr s = c.expr.op(0), m = c.expr.op(1);
  if (!s.IsVariable() || s.var_kind() != VarKind::kRange || !m.IsConstant()) return false;
  position = s.value();
  modulus = m.value();
  residue = c.bounds.lower;
  return residue >= 0 && residue < modulus;
}

// Rescales by the first residue constraint; undefined when there is none that can be used.
IndexingMap RescaleOnce(const IndexingMap& map) {
  for (size_t i = 0; i < map.constraints().size(); ++i) {
    int64_t position, m, r;
    if (!IsResidueOfRange(map.constraints()[i], position, m, r)) continue;
    Interval b = map.ranges()[position].bounds;
    if (!b.IsBounded()) continue;
    // s = s' * m + r lies in [lower, upper]; in 128 bits, as the ends may be at the limits.
    int128 low = CeilDivUnchecked<int128>(int128{b.lower} - r, m);
    int128 high = FloorDivUnchecked<int128>(int128{b.upper} - r, m);
    std::vector<Variable> ranges = map.ranges();
    ranges[position].bounds = {static_cast<int64_t>(low), static_cast<int64_t>(high)};
    std::vector<Constraint> constraints = map.constraints();
    constraints.erase(constraints.begin() + static_cast<std::ptrdiff_t>(i));
    auto fn = [&](VarKind kind, int64_t v) -> SymbolicExpr {
      if (kind != VarKind::kRange || v != position) return {};
      return map.context()->Range(v) * m + r;
    };
    return Substituted(map, fn, map.dims(), std::move(ranges), constraints);
  }
  return IndexingMap::Undefined();
}

}  // namespace

IndexingMap RescaleRangeVariables(const IndexingMap& map) {
  IndexingMap current = map;
  while (current.state() == IndexingMap::State::kNormal) {
    IndexingMap next = RescaleOnce(current);
    if (next.IsUndefined()) break;
    current = std::move(next);
  }
  return current;
}

IndexingMap ConvertRangeVariablesToDims(const IndexingMap& map, llvm::ArrayRef<int64_t> positions) {
  if (map.state() != IndexingMap::State::kNormal) return map;
  int64_t n = static_cast<int64_t>(map.ranges().size());
  llvm::SmallVector<SymbolicExpr, 8> to(n);
  std::vector<Variable> dims = map.dims(), ranges;
  for (int64_t p : positions) {
    if (p < 0 || p >= n || to[p]) return IndexingMap::Undefined();
    to[p] = map.context()->Dim(static_cast<int64_t>(dims.size()));
    dims.push_back(map.ranges()[p]);
  }
  for (int64_t p = 0; p < n; ++p) {
    if (to[p]) continue;
    to[p] = map.context()->Range(static_cast<int64_t>(ranges.size()));
    ranges.push_back(map.ranges()[p]);
  }
  auto fn = [&](VarKind kind, int64_t v) {
    return kind == VarKind::kRange ? to[v] : SymbolicExpr();
  };
  return Substituted(map, fn, std::move(dims), std::move(ranges), map.constraints());
}

IndexingMap SubMap(const IndexingMap& map, llvm::ArrayRef<int64_t> positions) {
  if (map.state() != IndexingMap::State::kNormal) return map;
  llvm::SmallVector<SymbolicExpr, 4> results;
  for (int64_t p : positions) {
    if (p < 0 || p >= static_cast<int64_t>(map.results().size())) return IndexingMap::Undefined();
    results.push_back(map.results()[p]);
  }
  return map.WithResults(results);
}

IndexingMap ReplacePointVariables(const IndexingMap& map) {
  if (map.state() != IndexingMap::State::kNormal) return map;
  auto fn = [&](VarKind kind, int64_t v) -> SymbolicExpr {
    Interval b = map.vars(kind)[v].bounds;
    return b.IsPoint() ? map.context()->Constant(b.lower) : SymbolicExpr();
  };
  return Substituted(map, fn, map.dims(), map.ranges(), map.constraints());
}

}  // namespace affirm
