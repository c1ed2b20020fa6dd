// Interval arithmetic over expressions, and interval propagation through constraints on sums.
#include "core/indexing/range.h"

#include "core/symbolic/context.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Compiler.h"

namespace affirm {
namespace {

// The interval of v when k * v lies in `product`.
Interval MultiplesWithin(int64_t k, Interval product) {
  if (k < 0) {
    if (k == kInt64Min) return Interval::All();
    return MultiplesWithin(-k, -product);
  }
  return {product.HasLower() ? CeilDivUnchecked(product.lower, k) : kInt64Min,
          product.HasUpper() ? FloorDivUnchecked(product.upper, k) : kInt64Max};
}

}  // namespace

RangeAnalysis::RangeAnalysis(const IndexingMap& map) { Reset(map); }

void RangeAnalysis::Reset(llvm::ArrayRef<Variable> dims, llvm::ArrayRef<Variable> ranges,
                          llvm::ArrayRef<Variable> runtime, llvm::ArrayRef<Constraint> constraints,
                          llvm::ArrayRef<size_t> left_out) {
  const llvm::ArrayRef<Variable> lists[] = {dims, ranges, runtime};
  for (size_t kind = 0; kind < 3; ++kind) {
    vars_[kind].resize_for_overwrite(lists[kind].size());
    for (size_t i = 0; i < lists[kind].size(); ++i) vars_[kind][i] = lists[kind][i].bounds;
  }
  facts_.Clear();
  left_out_.clear();
  fact_variables_ = 0;
  closed_facts_ = false;
  memo_.Clear();
  if (constraints.size() == left_out.size()) return;
  auto is_left_out = [&](size_t i) {
    for (size_t position : left_out) {
      if (position == i) return true;
    }
    return false;
  };
  auto for_each = [&](auto fn) {
    for (size_t i = 0; i < constraints.size(); ++i) {
      if (!is_left_out(i)) fn(constraints[i]);
    }
  };
  for_each([&](const Constraint& c) {
    Know(c.expr, c.bounds);
    fact_variables_ |= c.expr.VariableBits();
    closed_facts_ |= !c.expr.HasVariables();
  });
  llvm::SmallVector<SymbolicExpr, 8> learned;
  for_each([&](const Constraint& c) {
    if (c.expr.kind() == ExprKind::kAdd) LearnFrom(c, learned);
  });
  for (SymbolicExpr v : learned) {
    auto& vars = vars_[static_cast<int>(v.var_kind())];
    Interval fact = *facts_.Find(v);
    if (static_cast<uint64_t>(v.value()) >= vars.size()) continue;
    vars[v.value()] = vars[v.value()].Intersect(fact.IsEmpty() ? Interval::Empty() : fact);
  }
  if (!learned.empty()) memo_.Clear();
}

void RangeAnalysis::LeaveOut(const IndexingMap& map, llvm::ArrayRef<size_t> left_out) {
  left_out_.clear();
  for (size_t position : left_out) left_out_.push_back(map.constraints()[position].expr);
  memo_.Clear();
}

void RangeAnalysis::Know(SymbolicExpr e, Interval bounds) {
  const Interval* known = facts_.Find(e);
  facts_.Set(e, known ? known->Intersect(bounds) : bounds);
}

// Interval propagation: what a variable of the sum can be, given the most and the least that the
// other terms can be.
void RangeAnalysis::LearnFrom(const Constraint& sum, llvm::SmallVectorImpl<SymbolicExpr>& learned) {
  // Sums of the ends in 128 bits, and how many ends are infinite.
  int128 lower = sum.expr.value(), upper = lower;
  size_t no_lower = 0, no_upper = 0;
  llvm::SmallVector<Interval, 8> ranges;
  for (SymbolicExpr t : sum.expr.ops()) {
    Interval r = Of(t);
    if (r.IsEmpty()) return;
    ranges.push_back(r);
    r.HasLower() ? void(lower += r.lower) : void(++no_lower);
    r.HasUpper() ? void(upper += r.upper) : void(++no_upper);
  }
  for (size_t i = 0; i < ranges.size(); ++i) {
    auto [k, v] = sum.expr.ops()[i].SplitCoefficient();
    if (!v.IsVariable() || k == 0) continue;
    // k * v lies in [sum.lower - others' upper, sum.upper - others' lower].
    const Interval& r = ranges[i];
    Interval term = Interval::All();
    bool others_have_lower = no_lower == (r.HasLower() ? 0 : 1);
    bool others_have_upper = no_upper == (r.HasUpper() ? 0 : 1);
    if (sum.bounds.HasUpper() && others_have_lower) {
      term.upper =
          Narrow(sum.bounds.upper - lower + (r.HasLower() ? r.lower : 0)).value_or(kInt64Max);
    }
    if (sum.bounds.HasLower() && others_have_upper) {
      term.lower =
          Narrow(sum.bounds.lower - upper + (r.HasUpper() ? r.upper : 0)).value_or(kInt64Min);
    }
    Know(v, MultiplesWithin(k, term));
    learned.push_back(v);
  }
}

Interval RangeAnalysis::FromConstraints(SymbolicExpr e) const {
  Interval r = Interval::All();
  auto look = [&](SymbolicExpr key, bool negated, int64_t shift) {
    const Interval* found = facts_.Find(key);
    if (!found || llvm::is_contained(left_out_, key)) return;
    Interval fact = negated ? -*found : *found;
    r = r.Intersect(fact + Interval::Point(shift));
  };
  // A constraint on x also bounds x + c, and one on -x also bounds x. What is known of variables
  // has reached the range of e by way of its parts.
  if (e.VariableBits() & ~fact_variables_) return r;
  look(e, false, 0);
  SymbolicExpr base = e;
  int64_t shift = 0;
  if (e.kind() == ExprKind::kAdd && e.value() != 0 && e.value() != kInt64Min) {
    base = e - e.value();
    shift = e.value();
    look(base, false, shift);
  }
  look(-base, true, shift);
  return r;
}

bool RangeAnalysis::IsPoint(SymbolicExpr e) {
  // Where no facts interfere, a sum takes at least as many values as its first term.
  SymbolicExpr first = e;
  if (!IsTouched(e)) {
    while (first.kind() == ExprKind::kAdd || first.IsMultiple()) first = first.op(0);
  }
  return Of(first).IsPointOrEmpty() && (first == e || Of(e).IsPointOrEmpty());
}

LLVM_ATTRIBUTE_ALWAYS_INLINE Interval RangeAnalysis::FromParts(SymbolicExpr e) {
  switch (e.kind()) {
    case ExprKind::kConstant:
      return Interval::Point(e.value());
    case ExprKind::kVariable:
      return OfVariable(e);
    case ExprKind::kAdd: {
      Interval r = Interval::Point(e.value());
      for (SymbolicExpr op : e.ops()) r = r + Of(op);
      return r;
    }
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

Interval RangeAnalysis::OfParts(SymbolicExpr e) {
  if (const Interval* known = memo_.Find(e)) return *known;
  return Compute(e);
}

LLVM_ATTRIBUTE_NOINLINE Interval RangeAnalysis::Compute(SymbolicExpr e) {
  const bool touched = IsTouched(e);
  Interval r = FromParts(e);
  if (touched) r = r.Intersect(FromConstraints(e));
  if (touched || !e.IsMultiple()) memo_.Set(e, r);  // other multiples are as quick to compute
  return r;
}

std::string DivisorProblem(SymbolicExpr divisor, bool is_modulus, RangeAnalysis& ranges) {
  const Interval d = ranges.Of(divisor);
  if (d.IsEmpty() || d.lower > 0 || (!is_modulus && d.upper < 0)) return "";
  return (is_modulus ? "the modulus '" : "the divisor '") + divisor.ToString() +
         (is_modulus ? "' may be zero or negative" : "' may be zero") +
         " in the domain: it lies in " + d.ToString();
}

std::string DivisorProblem(SymbolicExpr root, RangeAnalysis& ranges) {
  std::string problem;
  root.Walk([&](SymbolicExpr e) {
    const bool is_modulus = e.kind() == ExprKind::kMod;
    if (!is_modulus && e.kind() != ExprKind::kFloorDiv && e.kind() != ExprKind::kCeilDiv) return;
    if (problem.empty()) problem = DivisorProblem(e.op(1), is_modulus, ranges);
  });
  return problem;
}

}  // namespace affirm
