#include "core/indexing/range.h"

#include "core/symbolic/context.h"

namespace affirm {
namespace {

std::vector<Interval> BoundsOf(const std::vector<Variable>& vars) {
  std::vector<Interval> out;
  for (const Variable& v : vars) out.push_back(v.bounds);
  return out;
}

}  // namespace

RangeAnalysis::RangeAnalysis(const IndexingMap& map) {
  Reset(BoundsOf(map.dims()), BoundsOf(map.ranges()), BoundsOf(map.runtime()), map.constraints());
}

void RangeAnalysis::Reset(llvm::ArrayRef<Interval> dims, llvm::ArrayRef<Interval> ranges,
                          llvm::ArrayRef<Interval> runtime,
                          llvm::ArrayRef<Constraint> constraints) {
  bounds_[0].assign(dims.begin(), dims.end());
  bounds_[1].assign(ranges.begin(), ranges.end());
  bounds_[2].assign(runtime.begin(), runtime.end());
  facts_.clear();
  memo_.clear();
  for (const Constraint& c : constraints) {
    auto [it, fresh] = facts_.try_emplace(c.expr, c.bounds);
    if (!fresh) it->second = it->second.Intersect(c.bounds);
  }
}

void RangeAnalysis::SetBounds(VarKind kind, int64_t index, Interval bounds) {
  bounds_[static_cast<int>(kind)][index] = bounds;
  memo_.clear();
}

Interval RangeAnalysis::FromConstraints(SymbolicExpr e) const {
  if (facts_.empty()) return Interval::All();
  Interval r = Interval::All();
  auto look = [&](SymbolicExpr key, bool negated, int64_t shift) {
    auto it = facts_.find(key);
    if (it == facts_.end()) return;
    Interval fact = negated ? -it->second : it->second;
    r = r.Intersect(fact + Interval::Point(shift));
  };
  look(e, false, 0);
  // A constraint on x also speaks of x + c, and one on -x of x.
  SymbolicExpr base = e;
  int64_t shift = 0;
  if (e.kind() == ExprKind::kAdd && e.value() != 0 && e.value() != kInt64Min) {
    base = e - e.value();
    shift = e.value();
    look(base, false, shift);
  }
  if (!e.IsVariable()) look(-base, true, shift);
  return r;
}

Interval RangeAnalysis::Of(SymbolicExpr e) {
  if (e.IsConstant()) return Interval::Point(e.value());
  if (e.IsVariable() && facts_.empty()) return Compute(e);
  auto it = memo_.find(e);
  if (it != memo_.end()) return it->second;
  Interval r = Compute(e).Intersect(FromConstraints(e));
  memo_[e] = r;
  return r;
}

Interval RangeAnalysis::WithoutOwnConstraint(SymbolicExpr e) { return Compute(e); }

Interval RangeAnalysis::Compute(SymbolicExpr e) {
  switch (e.kind()) {
    case ExprKind::kConstant:
      return Interval::Point(e.value());
    case ExprKind::kVariable: {
      const std::vector<Interval>& bounds = bounds_[static_cast<int>(e.var_kind())];
      bool known = e.value() >= 0 && e.value() < static_cast<int64_t>(bounds.size());
      return known ? bounds[e.value()] : Interval::All();
    }
    case ExprKind::kAdd:
      return OfSum(e);
    case ExprKind::kMul: {
      Interval r = Interval::Point(e.value());
      for (SymbolicExpr op : e.ops()) r = r * Of(op);
      return r;
    }
    case ExprKind::kFloorDiv:
      return FloorDiv(Of(e.op(0)), Of(e.op(1)));
    case ExprKind::kCeilDiv:
      return CeilDiv(Of(e.op(0)), Of(e.op(1)));
    case ExprKind::kMod:
      return Mod(Of(e.op(0)), Of(e.op(1)));
    case ExprKind::kMin:
    case ExprKind::kMax: {
      Interval r = Of(e.op(0));
      for (SymbolicExpr op : e.ops().drop_front()) {
        r = e.kind() == ExprKind::kMin ? Min(r, Of(op)) : Max(r, Of(op));
      }
      return r;
    }
  }
  return Interval::All();
}

Interval RangeAnalysis::OfSum(SymbolicExpr e) {
  Interval r = Interval::Point(e.value());
  for (SymbolicExpr op : e.ops()) r = r + Of(op);
  return r;
}

}  // namespace affirm
