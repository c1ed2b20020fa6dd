// Removes variables that neither results nor constraints need.
#include "core/simplify/simplify.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm {
namespace {

// Candidate points tried when constraints contain removable variables only.
constexpr int64_t kMaxPoints = 1 << 14;

// Variables as one list: dims, ranges, runtime variables.
struct Numbering {
  explicit Numbering(const IndexingMap& m)
      : dims(m.dims().size()), ranges(m.ranges().size()), runtime(m.runtime().size()) {}
  size_t Of(VarKind kind, int64_t i) const {
    return kind == VarKind::kDim ? i : kind == VarKind::kRange ? dims + i : dims + ranges + i;
  }
  size_t total() const { return dims + ranges + runtime; }
  size_t dims, ranges, runtime;
};

llvm::BitVector VariablesOf(SymbolicExpr root, const Numbering& n) {
  llvm::BitVector used(n.total());
  root.Walk([&](SymbolicExpr e) {
    if (e.IsVariable()) used.set(n.Of(e.var_kind(), e.value()));
  });
  return used;
}

// Whether the constraints among `removed` variables have a solution; nullopt when too many to try.
std::optional<bool> Satisfiable(const IndexingMap& map, llvm::ArrayRef<Constraint> constraints,
                                const llvm::BitVector& involved, const Numbering& n) {
  if (constraints.empty()) return true;
  // The other variables do not matter; pin them so that only the involved ones are enumerated.
  auto pin = [&](VarKind kind) {
    std::vector<Variable> vars = map.vars(kind);
    for (size_t i = 0; i < vars.size(); ++i) {
      if (!involved.test(n.Of(kind, i))) vars[i].bounds = Interval::Point(vars[i].bounds.lower);
    }
    return vars;
  };
  IndexingMap probe(*map.context(), llvm::ArrayRef<SymbolicExpr>(), pin(VarKind::kDim),
                    pin(VarKind::kRange), pin(VarKind::kRuntime), constraints);
  if (probe.IsKnownEmpty()) return false;
  bool found = false;
  bool complete = probe.ForEachPoint(
      [&](auto, auto, auto) {
        found = true;
        return false;
      },
      kMaxPoints);
  if (!complete) return std::nullopt;
  return found;
}

// The map with only the variables in `keep`, renumbered; constraints on others are dropped.
IndexingMap Keep(const IndexingMap& map, const llvm::BitVector& keep, const Numbering& n) {
  std::vector<Variable> vars[3];
  llvm::SmallVector<int64_t, 8> renumbered(n.total(), -1);
  for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
    auto& list = vars[static_cast<int>(kind)];
    for (size_t i = 0; i < map.vars(kind).size(); ++i) {
      if (!keep.test(n.Of(kind, i))) continue;
      renumbered[n.Of(kind, i)] = static_cast<int64_t>(list.size());
      list.push_back(map.vars(kind)[i]);
    }
  }
  auto renumber = [&](VarKind kind, int64_t i) {
    return map.context()->Variable(kind, renumbered[n.Of(kind, i)]);
  };
  auto apply = [&](SymbolicExpr e) { return e.Substitute(renumber); };
  for (Variable& v : vars[2]) v = RebaseRuntimeSource(v, renumber, vars[0], vars[1], vars[2]);
  llvm::SmallVector<SymbolicExpr, 4> results;
  for (SymbolicExpr e : map.results()) results.push_back(apply(e));
  llvm::SmallVector<Constraint, 8> constraints;
  for (const Constraint& c : map.constraints()) {
    llvm::BitVector used = VariablesOf(c.expr, n);
    used.reset(keep);
    if (used.none()) constraints.push_back({apply(c.expr), c.bounds});
  }
  return IndexingMap(*map.context(), results, vars[0], vars[1], vars[2], constraints);
}

}  // namespace

IndexingMap RemoveUnusedVariables(const IndexingMap& map) {
  if (map.state() != IndexingMap::State::kNormal) return map;
  Numbering n(map);
  llvm::BitVector needed(n.total());
  needed.set(0, n.dims);
  for (SymbolicExpr e : map.results()) needed |= VariablesOf(e, n);
  llvm::SmallVector<llvm::BitVector, 8> uses;
  for (const Constraint& c : map.constraints()) uses.push_back(VariablesOf(c.expr, n));
  // A constraint ties its variables together: one needed makes all of them needed. So does the
  // producer index of a runtime variable, which may name other runtime variables.
  auto close = [&] {
    for (bool changed = true; changed;) {
      changed = false;
      auto need = [&](const llvm::BitVector& more) {
        if (!more.test(needed)) return;
        needed |= more;
        changed = true;
      };
      for (const llvm::BitVector& u : uses) {
        if (u.anyCommon(needed)) need(u);
      }
      for (size_t i = 0; i < map.runtime().size(); ++i) {
        const auto& source = map.runtime()[i].source;
        if (!needed.test(n.Of(VarKind::kRuntime, i)) || !source || !source->map) continue;
        for (SymbolicExpr e : source->map->results()) need(VariablesOf(e, n));
      }
    }
  };
  close();
  // The remaining constraints are about removable variables only: they must hold somewhere.
  llvm::SmallVector<Constraint, 8> apart;
  llvm::BitVector involved(n.total());
  for (size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].anyCommon(needed)) continue;
    apart.push_back(map.constraints()[i]);
    involved |= uses[i];
  }
  std::optional<bool> satisfiable = Satisfiable(map, apart, involved, n);
  if (satisfiable && !*satisfiable) return IndexingMap::KnownEmpty(*map.context());
  if (!satisfiable) needed |= involved;
  // A runtime variable is an argument: constraints on it, and bounds narrower than its values,
  // decide at which arguments the map is empty, so it stays with them.
  for (size_t i = 0; i < uses.size(); ++i) {
    llvm::BitVector runtime = uses[i];
    runtime.reset(0, n.dims + n.ranges);
    if (runtime.any()) needed |= uses[i];
  }
  for (size_t i = 0; i < map.runtime().size(); ++i) {
    const Variable& v = map.runtime()[i];
    if (v.source && v.bounds.Intersect(v.source->clamp) != v.source->clamp) {
      needed.set(n.Of(VarKind::kRuntime, i));
    }
  }
  close();
  return needed.all() ? map : Keep(map, needed, n);
}

}  // namespace affirm
