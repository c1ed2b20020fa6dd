// Symbolic tiles: arithmetic on progressions whose ends are expressions of the tile's parameters.
#include "core/analysis/uses/symbolic_tile.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/simplify/simplify.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

// first, first + stride, ..: `size` values.
struct SymbolicSteps {
  SymbolicExpr first, size, stride;
  int64_t factor = 1;  // a divisor of the stride

  bool IsPoint() const { return size.IsConstant() && size.value() == 1; }
};

// An index that is divided, and by what.
struct Division {
  SymbolicExpr index;
  int64_t by = 1;
  friend bool operator==(const Division&, const Division&) = default;
};
// What moves in a coordinate, by itself or as a term of a sum.
struct Atom {
  SymbolicExpr index;  // a variable, or a quotient or residue
  std::optional<Division> division;
  friend bool operator==(const Atom&, const Atom&) = default;
};

std::optional<Division> DivisionOf(SymbolicExpr e) {
  const bool divides = e.kind() == ExprKind::kFloorDiv || e.kind() == ExprKind::kMod;
  if (!divides || !e.op(1).IsConstant() || e.op(1).value() < 1) return std::nullopt;
  return Division{e.op(0), e.op(1).value()};
}

bool Moves(SymbolicExpr e) {
  return e.HasVariables(VarKind::kDim) || e.HasVariables(VarKind::kRange);
}

// Makes the tile in one case: of each division, whether the tile covers whole periods.
class CaseMaker {
 public:
  CaseMaker(const IndexingMap& map, const std::vector<Division>& divisions, uint64_t whole)
      : map_(map), context_(*map.context()), divisions_(divisions), whole_(whole) {}

  std::optional<SymbolicTileCase> Make() {
    SymbolicTileCase out;
    for (SymbolicExpr e : map_.results()) {
      std::optional<SymbolicSteps> steps = Of(e);
      if (!steps) return std::nullopt;
      out.offsets.push_back(steps->first);
      out.sizes.push_back(steps->size);
      out.strides.push_back(steps->IsPoint() ? context_.Constant(1) : steps->stride);
    }
    out.conditions = conditions_;
    return out;
  }

  const std::string& reason() const { return reason_; }

 private:
  SymbolicExpr One() const { return context_.Constant(1); }
  SymbolicSteps PointAt(SymbolicExpr e) const { return {e, One(), One()}; }
  std::nullopt_t Fail(std::string reason) {
    if (reason_.empty()) reason_ = std::move(reason);
    return std::nullopt;
  }
  void RequireEqual(SymbolicExpr a, SymbolicExpr b) {
    if (a.IsConstant()) std::swap(a, b);
    if (b.IsConstant()) return Require(a, Interval::Point(b.value()));
    Require(a - b, Interval::Point(0));
  }
  void Require(SymbolicExpr e, Interval bounds) {
    if (e.IsConstant() && bounds.Contains(e.value())) return;
    Constraint c{e, bounds};
    if (!llvm::is_contained(conditions_, c)) conditions_.push_back(c);
  }
  SymbolicExpr Last(const SymbolicSteps& p) const { return p.first + (p.size - 1) * p.stride; }

  SymbolicSteps OfVariable(SymbolicExpr e) const {
    const int64_t i = e.value(), rank = std::ssize(map_.dims());
    if (e.var_kind() == VarKind::kDim) {
      return {context_.Dim(i), context_.Dim(rank + i), context_.Dim(2 * rank + i)};
    }
    const Interval bounds = map_.ranges()[i].bounds;
    return {context_.Constant(bounds.lower), context_.Constant(*bounds.Count()), One()};
  }

  std::optional<SymbolicSteps> Of(SymbolicExpr e) {
    if (!Moves(e)) return PointAt(e);
    switch (e.kind()) {
      case ExprKind::kVariable:
        return OfVariable(e);
      case ExprKind::kAdd:
        return OfSum(e);
      case ExprKind::kMul: {
        if (e.ops().size() != 1) return Fail("a product of two indices");
        std::optional<SymbolicSteps> p = Of(e.op(0));
        return p ? Scaled(*p, e.value()) : p;
      }
      case ExprKind::kFloorDiv:
      case ExprKind::kMod:
        return OfDivision(e);
      default:
        return Fail("an index that is no sum, quotient or residue");
    }
  }

  static SymbolicSteps ScaledUp(const SymbolicSteps& p, SymbolicExpr first, int64_t by) {
    return {first, p.size, p.stride * by, p.factor * by};
  }
  std::optional<SymbolicSteps> Scaled(const SymbolicSteps& p, int64_t factor) {
    if (factor == kInt64Min || factor == 0) return Fail("a factor at the limit of 64 bits");
    if (factor > 0) return ScaledUp(p, p.first * factor, factor);
    return ScaledUp(p, Last(p) * factor, -factor);
  }

  // Parts of one stride slide over each other, as a window; else each fills the gaps of the next.
  std::optional<SymbolicSteps> OfSum(SymbolicExpr e) {
    SymbolicExpr fixed = context_.Constant(e.value());
    std::vector<SymbolicSteps> parts;
    for (SymbolicExpr term : e.ops()) {
      std::optional<SymbolicSteps> p = Of(term);
      if (!p) return std::nullopt;
      if (p->IsPoint()) {
        fixed = fixed + p->first;
      } else {
        parts.push_back(*p);
      }
    }
    if (parts.empty()) return PointAt(fixed);
    llvm::stable_sort(
        parts, [](const SymbolicSteps& a, const SymbolicSteps& b) { return a.factor < b.factor; });
    SymbolicSteps sum = parts[0];
    sum.first = sum.first + fixed;
    for (const SymbolicSteps& p : llvm::drop_begin(parts)) {
      sum.first = sum.first + p.first;
      if (p.factor == sum.factor) {
        RequireEqual(p.stride, sum.stride);
        sum.size = sum.size + p.size - 1;
      } else {
        RequireEqual(p.stride, sum.stride * sum.size);
        sum.size = sum.size * p.size;
      }
    }
    return sum;
  }

  std::optional<SymbolicSteps> OfDivision(SymbolicExpr e) {
    std::optional<Division> division = DivisionOf(e);
    if (!division) return Fail("a division by an index");
    std::optional<SymbolicSteps> p = Of(division->index);
    if (!p) return std::nullopt;
    const bool is_quotient = e.kind() == ExprKind::kFloorDiv;
    const int64_t c = division->by;
    if (p->factor % c == 0) {
      if (!is_quotient) return PointAt(p->first.Mod(c));
      return SymbolicSteps{p->first.FloorDiv(c), p->size, p->stride.FloorDiv(c), p->factor / c};
    }
    auto number = llvm::find(divisions_, *division) - divisions_.begin();
    if (whole_ >> number & 1) {
      Require(p->stride, Interval::Point(1));
      Require(p->first.Mod(c), Interval::Point(0));
      Require(p->size.Mod(c), Interval::Point(0));
      if (!is_quotient) return SymbolicSteps{context_.Constant(0), context_.Constant(c), One()};
      return SymbolicSteps{p->first.FloorDiv(c), p->size.FloorDiv(c), One()};
    }
    Require(p->first.Mod(c) + (p->size - 1) * p->stride, {0, c - 1});
    if (is_quotient) return PointAt(p->first.FloorDiv(c));
    return SymbolicSteps{p->first.Mod(c), p->size, p->stride, p->factor};
  }

  const IndexingMap& map_;
  Context& context_;
  const std::vector<Division>& divisions_;
  uint64_t whole_;
  std::vector<Constraint> conditions_;
  std::string reason_;
};

// What a coordinate is made of, and the divisions in it.
void CollectAtoms(SymbolicExpr e, std::vector<Atom>& atoms, std::vector<Division>& divisions) {
  if (!Moves(e)) return;
  if (std::optional<Division> division = DivisionOf(e)) {
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
  if (!map.constraints().empty()) return "the map has constraints";
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

}  // namespace

SymbolicTile SymbolicTileOf(const LabeledMap& labeled) {
  SymbolicTile tile;
  const IndexingMap map = RemoveUnusedVariables(Simplify(labeled.map));
  tile.reason = Obstacle(map);
  if (!tile.reason.empty()) return tile;
  std::vector<Atom> atoms;
  std::vector<Division> divisions;
  for (SymbolicExpr e : map.results()) CollectAtoms(e, atoms, divisions);
  if (!IsProduct(atoms, map)) tile.reason = "two coordinates move together";
  if (divisions.size() > 4) tile.reason = "more than four divisions";
  if (!tile.reason.empty()) return tile;
  tile.parameters = ParametersOf(map);
  for (uint64_t whole = 0; whole < uint64_t{1} << divisions.size(); ++whole) {
    CaseMaker maker(map, divisions, whole);
    std::optional<SymbolicTileCase> one = maker.Make();
    if (!one) tile.reason = maker.reason();
    // A division of an index that moves in multiples has one case only.
    const bool is_new = one && llvm::none_of(tile.cases, [&](const SymbolicTileCase& other) {
                          return other.offsets == one->offsets && other.sizes == one->sizes &&
                                 other.conditions == one->conditions;
                        });
    if (is_new) tile.cases.push_back(*std::move(one));
  }
  if (!tile.cases.empty()) {
    tile.reason.clear();
    tile.exactness = labeled.exactness;
  }
  return tile;
}

}  // namespace affirm
