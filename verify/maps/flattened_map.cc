// Puts the dims, runtime variables and range variables of a map into one numbering.
#include "verify/maps/flattened_map.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm {

SymbolicExpr Rename(SymbolicExpr e, Context& context,
                    llvm::function_ref<SymbolicExpr(VarKind, int64_t)> fn) {
  llvm::DenseMap<SymbolicExpr, SymbolicExpr> renamed;
  e.Walk([&](SymbolicExpr node) {
    SymbolicExpr result;
    if (node.IsVariable()) {
      result = fn(node.var_kind(), node.value());
    } else if (node.IsConstant()) {
      result = context.Constant(node.value());
    } else {
      llvm::SmallVector<SymbolicExpr> ops;
      for (SymbolicExpr op : node.ops()) ops.push_back(renamed.find(op)->second);
      result = context.Rebuild(node, ops);
    }
    renamed[node] = result;
  });
  return renamed.find(e)->second;
}

std::vector<Interval> AllBounds(const FlattenedMap& map) {
  std::vector<Interval> bounds = map.outer;
  bounds.insert(bounds.end(), map.ranges.begin(), map.ranges.end());
  return bounds;
}

bool ReplaceRanges(FlattenedMap& map, llvm::function_ref<SymbolicExpr(int64_t)> fn) {
  bool is_known = true;
  auto replace = [&](SymbolicExpr& e) {
    e = Rename(e, *map.context, [&](VarKind, int64_t k) {
      return map.IsRange(k) ? fn(k - map.first_range) : map.context->Dim(k);
    });
    is_known &= static_cast<bool>(e);
  };
  for (SymbolicExpr& e : map.results) replace(e);
  for (Constraint& c : map.constraints) replace(c.expr);
  return is_known;
}

bool FlattenedMap::UsesRange(SymbolicExpr e) const {
  bool uses = false;
  e.Walk([&](SymbolicExpr node) { uses |= node.IsVariable() && IsRange(node.value()); });
  return uses;
}

Formula FlattenedMap::Domain(bool bounds) const {
  if (empty) return Formula::False();
  std::vector<Formula> parts;
  for (int64_t k = 0; bounds && k < num_outer(); ++k) {
    parts.push_back(Formula::In(context->Dim(k), outer[k]));
  }
  for (const Constraint& c : constraints) parts.push_back(Formula::In(c.expr, c.bounds));
  return Formula::And(std::move(parts));
}

FlattenedMap Flatten(const IndexingMap& map, int64_t first_range, Context& context,
                     bool keep_unused) {
  FlattenedMap flat{.context = &context,
                    .num_dims = static_cast<int64_t>(map.dims().size()),
                    .first_range = first_range,
                    .outer = {},
                    .ranges = {},
                    .results = {},
                    .constraints = {}};
  flat.empty = map.IsKnownEmpty();
  for (VarKind kind : {VarKind::kDim, VarKind::kRuntime}) {
    for (const Variable& v : map.vars(kind)) {
      flat.outer.push_back(v.bounds);
      flat.empty |= v.bounds.IsEmpty();
    }
  }
  std::vector<bool> used(map.ranges().size());
  auto mark = [&](SymbolicExpr e) {
    if (!e || !e.HasVariables(VarKind::kRange)) return;
    e.Walk([&](SymbolicExpr node) {
      if (node.IsVariable() && node.var_kind() == VarKind::kRange) used[node.value()] = true;
    });
  };
  for (SymbolicExpr e : map.results()) mark(e);
  for (const Constraint& c : map.constraints()) mark(c.expr);

  std::vector<SymbolicExpr> range_terms(map.ranges().size());
  for (size_t k = 0; k < used.size(); ++k) {
    Interval bounds = map.ranges()[k].bounds;
    flat.empty |= bounds.IsEmpty();
    if (bounds.IsPoint()) {
      range_terms[k] = context.Constant(bounds.lower);
    } else if (used[k] || keep_unused) {
      range_terms[k] = context.Dim(first_range + flat.num_ranges());
      flat.ranges.push_back(bounds);
    }
  }
  auto rename = [&](SymbolicExpr e) {
    return Rename(e, context, [&](VarKind kind, int64_t k) {
      if (kind == VarKind::kRange) return range_terms[k];
      return context.Dim(kind == VarKind::kDim ? k : flat.num_dims + k);
    });
  };
  for (SymbolicExpr e : map.results()) flat.results.push_back(rename(e));
  for (const Constraint& c : map.constraints()) {
    flat.constraints.push_back({rename(c.expr), c.bounds});
  }
  return flat;
}

FlattenedMap MoveRanges(const FlattenedMap& map, int64_t first_range) {
  FlattenedMap moved = map;
  moved.first_range = first_range;
  auto rename = [&](SymbolicExpr e) {
    return Rename(e, *map.context, [&](VarKind, int64_t k) {
      return map.context->Dim(map.IsRange(k) ? first_range + k - map.first_range : k);
    });
  };
  for (SymbolicExpr& e : moved.results) e = rename(e);
  for (Constraint& c : moved.constraints) c.expr = rename(c.expr);
  return moved;
}

std::optional<DeterminedVariable> Determined(
    SymbolicExpr e, int64_t c, llvm::function_ref<bool(const DeterminedVariable&)> accepts) {
  const bool is_sum = e.kind() == ExprKind::kAdd;
  for (SymbolicExpr term : is_sum ? e.ops() : llvm::ArrayRef(e)) {
    const auto [factor, x] = term.SplitCoefficient();
    if (!x.IsVariable() || (factor != 1 && factor != -1)) continue;
    const SymbolicExpr rest = e - term;
    const DeterminedVariable found{x, factor == 1 ? -rest + c : rest - c};
    const bool is_value = found.value && !found.value.Uses(x.var_kind(), x.value());
    if (is_value && accepts(found)) return found;
  }
  return std::nullopt;
}

std::vector<Interval> OuterHull(const FlattenedMap& a, const FlattenedMap& b) {
  std::vector<Interval> hull = a.outer;
  for (size_t k = 0; k < hull.size(); ++k) hull[k] = hull[k].Hull(b.outer[k]);
  return hull;
}

}  // namespace affirm
