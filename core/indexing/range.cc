#include "core/indexing/range.h"

#include "core/symbolic/context.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {

RangeAnalysis::RangeAnalysis(const IndexingMap& map) { Reset(map); }

void RangeAnalysis::Reset(llvm::ArrayRef<Variable> dims, llvm::ArrayRef<Variable> ranges,
                          llvm::ArrayRef<Variable> runtime, llvm::ArrayRef<Constraint> constraints,
                          llvm::ArrayRef<size_t> left_out) {
  vars_[0] = dims;
  vars_[1] = ranges;
  vars_[2] = runtime;
  facts_.Clear();
  memo_.Clear();
  for (size_t i = 0; i < constraints.size(); ++i) {
    if (llvm::is_contained(left_out, i)) continue;
    const Constraint& c = constraints[i];
    const Interval* known = facts_.Find(c.expr);
    facts_.Set(c.expr, known ? known->Intersect(c.bounds) : c.bounds);
  }
}

Interval RangeAnalysis::FromConstraints(SymbolicExpr e) const {
  Interval r = Interval::All();
  auto look = [&](SymbolicExpr key, bool negated, int64_t shift) {
    const Interval* found = facts_.Find(key);
    if (!found) return;
    Interval fact = negated ? -*found : *found;
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
  if (const Interval* known = memo_.Find(e)) return *known;
  Interval r = Compute(e);
  if (!facts_.empty()) r = r.Intersect(FromConstraints(e));
  memo_.Set(e, r);
  return r;
}

Interval RangeAnalysis::Compute(SymbolicExpr e) {
  switch (e.kind()) {
    case ExprKind::kConstant:
      return Interval::Point(e.value());
    case ExprKind::kVariable: {
      llvm::ArrayRef<Variable> vars = vars_[static_cast<int>(e.var_kind())];
      bool known = e.value() >= 0 && e.value() < static_cast<int64_t>(vars.size());
      return known ? vars[e.value()].bounds : Interval::All();
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
