#include "verify/maps/idle_parts.h"

#include <optional>
#include <utility>
#include <vector>

#include "core/symbolic/checked.h"
#include "core/symbolic/context.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/decide/engines.h"

namespace affirm {
namespace {

// The values of x for which x, or x floordiv c, is within the bounds, where the constraint is on
// one of these.
std::optional<Interval> BoundsOfVariable(const Constraint& c, SymbolicExpr& variable) {
  if (c.expr.IsVariable()) {
    variable = c.expr;
    return c.bounds;
  }
  if (c.expr.kind() != ExprKind::kFloorDiv || !c.expr.op(0).IsVariable() ||
      !c.expr.op(1).IsConstant() || c.expr.op(1).value() <= 0) {
    return std::nullopt;
  }
  const int64_t divisor = c.expr.op(1).value();
  Interval bounds;  // infinite where those of the constraint are
  if (c.bounds.HasLower()) {
    const std::optional<int64_t> first = CheckedMul(c.bounds.lower, divisor);
    if (!first) return std::nullopt;
    bounds.lower = *first;
  }
  if (c.bounds.HasUpper()) {
    const std::optional<int64_t> first = CheckedMul(c.bounds.upper, divisor);
    const std::optional<int64_t> last = first ? CheckedAdd(*first, divisor - 1) : std::nullopt;
    if (!last) return std::nullopt;
    bounds.upper = *last;
  }
  // An end that is a limit of int64 would be taken for infinite.
  if (bounds.HasLower() != c.bounds.HasLower() || bounds.HasUpper() != c.bounds.HasUpper())
    return std::nullopt;
  variable = c.expr.op(0);
  return bounds;
}

// Takes constraints that bound a range variable by constants for its bounds.
void TakeBounds(FlattenedMap& map) {
  llvm::erase_if(map.constraints, [&](const Constraint& c) {
    SymbolicExpr variable;
    const std::optional<Interval> bounds = BoundsOfVariable(c, variable);
    if (!bounds || !map.IsRange(variable.value())) return false;
    Interval& range = map.ranges[variable.value() - map.first_range];
    const Interval both = range.Intersect(*bounds);
    if (both.IsEmpty()) return false;
    range = both;
    return true;
  });
}

// A maximum without the operands that are never above another one, and so for a minimum.
// `is_never_above` says it of two operands.
SymbolicExpr WithoutIdleOperands(
    SymbolicExpr e, bool is_max,
    llvm::function_ref<bool(SymbolicExpr, SymbolicExpr)> is_never_above) {
  llvm::SmallVector<SymbolicExpr, 4> kept;
  for (SymbolicExpr op : e.ops()) {
    auto hides = [&](SymbolicExpr a, SymbolicExpr b) {
      return is_max ? is_never_above(b, a) : is_never_above(a, b);
    };
    if (llvm::any_of(kept, [&](SymbolicExpr other) { return hides(other, op); })) continue;
    llvm::erase_if(kept, [&](SymbolicExpr other) { return hides(op, other); });
    kept.push_back(op);
  }
  return is_max ? e.context()->Max(kept) : e.context()->Min(kept);
}

// All maxima and minima in e like that.
SymbolicExpr WithoutIdleOperands(SymbolicExpr e, SolverQuery& inside) {
  auto is_never_above = [&](SymbolicExpr a, SymbolicExpr b) {
    inside.claim = Formula::Le(a, b);
    return DecideByIntervalAnalysis(inside).verdict == Verdict::kProved;
  };
  llvm::DenseMap<SymbolicExpr, SymbolicExpr> now;
  e.Walk([&](SymbolicExpr node) {
    llvm::SmallVector<SymbolicExpr, 4> ops;
    for (SymbolicExpr op : node.ops()) ops.push_back(now.lookup(op));
    SymbolicExpr rewritten =
        node.ops() == llvm::ArrayRef(ops) ? node : inside.context->Rebuild(node, ops);
    const bool is_max = rewritten.kind() == ExprKind::kMax;
    if (is_max || rewritten.kind() == ExprKind::kMin) {
      rewritten = WithoutIdleOperands(rewritten, is_max, is_never_above);
    }
    now[node] = rewritten;
  });
  return now.lookup(e);
}

}  // namespace

bool DropIdleParts(FlattenedMap& map) {
  TakeBounds(map);
  SolverQuery inside{.context = map.context, .variables = AllBounds(map), .names = {}};
  for (SymbolicExpr& e : map.results) e = WithoutIdleOperands(e, inside);
  for (Constraint& c : map.constraints) c.expr = WithoutIdleOperands(c.expr, inside);
  llvm::erase_if(map.constraints, [&](const Constraint& c) {
    inside.claim = Formula::In(c.expr, c.bounds);
    return DecideByIntervalAnalysis(inside).verdict == Verdict::kProved;
  });
  std::vector<bool> used(map.ranges.size());
  auto mark = [&](SymbolicExpr e) {
    e.Walk([&](SymbolicExpr node) {
      if (node.IsVariable() && map.IsRange(node.value())) {
        used[node.value() - map.first_range] = true;
      }
    });
  };
  for (SymbolicExpr e : map.results) mark(e);
  for (const Constraint& c : map.constraints) mark(c.expr);
  std::vector<int64_t> now(used.size());
  std::vector<Interval> ranges;
  for (size_t k = 0; k < used.size(); ++k) {
    if (!used[k] && map.ranges[k].IsEmpty()) return false;
    if (!used[k]) continue;
    now[k] = map.first_range + std::ssize(ranges);
    ranges.push_back(map.ranges[k]);
  }
  const bool is_known = ReplaceRanges(map, [&](int64_t k) { return map.context->Dim(now[k]); });
  map.ranges = std::move(ranges);
  return is_known;
}

}  // namespace affirm
