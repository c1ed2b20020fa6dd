// Symbolic tiles: which cases there are, and what is known of their parameters.
#include "core/analysis/uses/symbolic_tile.h"

#include <array>
#include <optional>
#include <utility>

#include "core/analysis/uses/symbolic_case.h"
#include "core/simplify/simplify.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

using analysis::CutIndex;
using analysis::CutMap;
using analysis::Division;
using analysis::DivisionCase;
using analysis::Moves;

constexpr size_t kMostDivisions = 4;

// A moving part of a coordinate: all of it, or a term of its sum.
struct Atom {
  SymbolicExpr index;  // a variable, or a quotient or residue
  std::optional<Division> division;
  friend bool operator==(const Atom&, const Atom&) = default;
};

// The moving parts of a coordinate, and the divisions in it.
void CollectAtoms(SymbolicExpr e, std::vector<Atom>& atoms, std::vector<Division>& divisions) {
  if (!Moves(e)) return;
  if (std::optional<Division> division = analysis::DivisionOf(e)) {
    if (!llvm::is_contained(divisions, *division)) divisions.push_back(*division);
    atoms.push_back({e, division});
    std::vector<Atom> inside;
    CollectAtoms(division->index, inside, divisions);
    return;
  }
  if (e.kind() == ExprKind::kVariable) {
    atoms.push_back({e, std::nullopt});
    return;
  }
  for (SymbolicExpr op : e.ops()) CollectAtoms(op, atoms, divisions);
}

bool Shares(SymbolicExpr a, SymbolicExpr b, const IndexingMap& map) {
  for (VarKind kind : {VarKind::kDim, VarKind::kRange}) {
    for (size_t i = 0; i < map.vars(kind).size(); ++i) {
      const auto number = static_cast<int64_t>(i);
      if (a.Uses(kind, number) && b.Uses(kind, number)) return true;
    }
  }
  return false;
}

// Whether the coordinates, and the terms of each, move independently: they share no variable,
// unless two of them are the quotient and the residue of one division.
bool IsProduct(const std::vector<Atom>& atoms, const IndexingMap& map) {
  for (size_t a = 0; a < atoms.size(); ++a) {
    for (size_t b = a + 1; b < atoms.size(); ++b) {
      if (!Shares(atoms[a].index, atoms[b].index, map)) continue;
      const bool are_digits = atoms[a].division && atoms[a].division == atoms[b].division &&
                              atoms[a].index.kind() != atoms[b].index.kind();
      if (!are_digits) return false;
    }
  }
  return true;
}

// Why there is no symbolic tile for such a map; empty when there may be one.
std::string Obstacle(const IndexingMap& map) {
  if (map.IsUndefined()) return "the map is not known";
  if (map.IsKnownEmpty()) return "nothing is read";
  for (const Variable& v : map.ranges()) {
    if (!v.bounds.IsBounded() || !v.bounds.Count()) return "a range variable has no bounds";
  }
  for (const Variable& v : map.runtime()) {
    if (!v.source || !v.source->map || v.source->map->IsUndefined()) continue;
    if (llvm::any_of(v.source->map->results(), Moves)) {
      return "a runtime variable depends on the position in the tile";
    }
  }
  return "";
}

// o_k >= lower, o_k + t_k * (n_k - 1) <= upper, n_k >= 1, t_k >= 1, for each dim.
IndexingMap ParametersOf(const IndexingMap& map) {
  Context& context = *map.context();
  const int64_t rank = std::ssize(map.dims());
  std::vector<Variable> dims(3 * rank), runtime = map.runtime();
  std::vector<Constraint> inside;
  for (int64_t k = 0; k < rank; ++k) {
    const Interval bounds = map.dims()[k].bounds;
    const int64_t count = bounds.Count().value_or(kInt64Max);
    const std::string number = std::to_string(k);
    dims[k] = {bounds, "o" + number, std::nullopt};
    dims[rank + k] = {{1, count}, "n" + number, std::nullopt};
    dims[2 * rank + k] = {{1, count}, "t" + number, std::nullopt};
    SymbolicExpr steps = context.Dim(rank + k) - 1;
    inside.push_back({context.Dim(k) + context.Dim(2 * rank + k) * steps, bounds});
  }
  for (Variable& v : runtime) v.source = std::nullopt;
  return IndexingMap(context, llvm::ArrayRef<SymbolicExpr>(), std::move(dims), {},
                     std::move(runtime), inside);
}

// A condition on one parameter as an interval of that.
Constraint SolvedFor(const Constraint& c, const IndexingMap& parameters) {
  const IndexingMap alone =
      Simplify(IndexingMap(*parameters.context(), llvm::ArrayRef<SymbolicExpr>(), parameters.dims(),
                           {}, parameters.runtime(), c));
  if (alone.state() != IndexingMap::State::kNormal || !alone.constraints().empty()) return c;
  for (int64_t k = 0; k < std::ssize(alone.dims()); ++k) {
    const Interval bounds = alone.dims()[k].bounds;
    if (bounds != parameters.dims()[k].bounds) return {parameters.context()->Dim(k), bounds};
  }
  return c;
}

// The case with what the domain of the parameters says of its expressions; nullopt where it says
// that a condition never holds.
std::optional<SymbolicTileCase> Settled(const IndexingMap& parameters,
                                        const SymbolicTileCase& one) {
  auto simple = [&](SymbolicExpr e) {
    const IndexingMap map = Simplify(parameters.WithResults(e));
    return map.state() == IndexingMap::State::kNormal ? map.results().front() : e;
  };
  SymbolicTileCase out;
  llvm::transform(one.offsets, std::back_inserter(out.offsets), simple);
  llvm::transform(one.sizes, std::back_inserter(out.sizes), simple);
  llvm::transform(one.strides, std::back_inserter(out.strides), simple);
  for (const Constraint& c : one.conditions) {
    Constraint settled{simple(c.expr), c.bounds};
    const Interval range = parameters.RangeOf(settled.expr);
    if (range.Within(settled.bounds)) continue;
    settled.bounds = settled.bounds.Intersect(range);
    if (!settled.bounds.IsEmpty()) settled = SolvedFor(settled, parameters);
    auto known =
        llvm::find_if(out.conditions, [&](const Constraint& k) { return k.expr == settled.expr; });
    if (known == out.conditions.end()) {
      out.conditions.push_back(settled);
    } else {
      settled.bounds = known->bounds = known->bounds.Intersect(settled.bounds);
    }
    if (settled.bounds.IsEmpty()) return std::nullopt;
  }
  return out;
}

// The cases of a map whose constraints are cuts, or else hold everywhere in the tile.
void AddCases(const CutMap& cut, llvm::ArrayRef<Constraint> everywhere, SymbolicTile& tile) {
  std::vector<Atom> atoms, conditions;
  std::vector<Division> divisions;
  for (SymbolicExpr e : cut.map.results()) CollectAtoms(e, atoms, divisions);
  for (const CutIndex& c : cut.indices) CollectAtoms(c.index, conditions, divisions);
  for (const Constraint& c : everywhere) CollectAtoms(c.expr, conditions, divisions);
  auto fail = [&](std::string reason) { tile.reason = std::move(reason); };
  if (!IsProduct(atoms, cut.map)) return fail("two coordinates move together");
  if (divisions.size() > kMostDivisions) return fail("more than four divisions");
  uint64_t choices = 1;
  for (size_t k = 0; k < divisions.size(); ++k) choices *= analysis::kDivisionCases;
  for (uint64_t choice = 0; choice < choices; ++choice) {
    std::array<DivisionCase, kMostDivisions> cases;
    for (uint64_t k = 0, rest = choice; k < divisions.size(); ++k, rest /= analysis::kDivisionCases)
      cases[k] = static_cast<DivisionCase>(rest % analysis::kDivisionCases);
    auto one = analysis::MakeCase(
        {cut, everywhere, divisions, llvm::ArrayRef(cases).take_front(divisions.size())},
        tile.reason);
    if (one) {
      one = Settled(tile.parameters, *one);
      if (!one) fail("the conditions of a case contradict each other");
    }
    // A division of an index that moves in multiples has one case only.
    const bool is_new = one && llvm::none_of(tile.cases, [&](const SymbolicTileCase& other) {
                          return other.offsets == one->offsets && other.sizes == one->sizes &&
                                 other.strides == one->strides &&
                                 other.conditions == one->conditions;
                        });
    if (is_new) tile.cases.push_back(*std::move(one));
  }
}

}  // namespace

SymbolicTile SymbolicTileOf(const LabeledMap& labeled) {
  SymbolicTile tile;
  const IndexingMap map = RemoveUnusedVariables(Simplify(labeled.map));
  tile.reason = Obstacle(map);
  if (!tile.reason.empty()) return tile;
  tile.parameters = ParametersOf(map);
  if (!map.constraints().empty()) {
    if (auto cut = analysis::CutByConstraints(map)) AddCases(*cut, {}, tile);
  }
  CutMap whole;
  whole.map = map;
  whole.first = std::ssize(map.ranges());
  AddCases(whole, map.constraints(), tile);
  if (!tile.cases.empty()) {
    tile.reason.clear();
    tile.exactness = labeled.exactness;
  }
  return tile;
}

}  // namespace affirm
