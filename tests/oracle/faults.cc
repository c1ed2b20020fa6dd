// The faults: each is a mistake that one makes when writing a simplifier.
#include "tests/oracle/faults.h"

#include <algorithm>
#include <numeric>

#include "core/indexing/range.h"
#include "core/symbolic/checked.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::testing {
namespace {

using Rewrite = llvm::function_ref<SymbolicExpr(SymbolicExpr)>;

// Rewrites every node of a term, operands first; a null answer keeps it.
SymbolicExpr Rewritten(SymbolicExpr e, Context& context, Rewrite rewrite) {
  if (!e.ops().empty()) {
    std::vector<SymbolicExpr> ops;
    for (SymbolicExpr op : e.ops()) ops.push_back(Rewritten(op, context, rewrite));
    e = context.Rebuild(e, ops);
  }
  SymbolicExpr other = rewrite(e);
  return other ? other : e;
}

void RewriteTerms(WrittenMap& map, Context& context, Rewrite rewrite) {
  for (SymbolicExpr& e : map.results) e = Rewritten(e, context, rewrite);
  for (Constraint& c : map.constraints) c.expr = Rewritten(c.expr, context, rewrite);
}

bool Is(SymbolicExpr e, ExprKind kind) { return e.kind() == kind; }
// x op c with a constant c.
bool IsBy(SymbolicExpr e, ExprKind kind) { return Is(e, kind) && e.op(1).IsConstant(); }
int64_t By(SymbolicExpr e) { return e.op(1).value(); }

RangeAnalysis RangesOf(const WrittenMap& map) {
  RangeAnalysis ranges;
  ranges.Reset(map.vars[0], map.vars[1], map.vars[2], {});
  return ranges;
}

// ---- Terms.

void TruncateNegativeDivisors(WrittenMap& map, Context& context) {
  RewriteTerms(map, context, [](SymbolicExpr e) -> SymbolicExpr {
    if (!IsBy(e, ExprKind::kFloorDiv) || By(e) >= 0) return {};
    return -e.op(0).FloorDiv(-By(e));
  });
}

void DropModsByTheUpperBound(WrittenMap& map, Context& context) {
  RangeAnalysis ranges = RangesOf(map);
  RewriteTerms(map, context, [&](SymbolicExpr e) -> SymbolicExpr {
    if (!IsBy(e, ExprKind::kMod) || ranges.Of(e.op(0)).upper >= By(e)) return {};
    return e.op(0);
  });
}

void DropModsUpToTheModulus(WrittenMap& map, Context& context) {
  RangeAnalysis ranges = RangesOf(map);
  RewriteTerms(map, context, [&](SymbolicExpr e) -> SymbolicExpr {
    if (!IsBy(e, ExprKind::kMod) || !ranges.Of(e.op(0)).Within({0, By(e)})) return {};
    return e.op(0);
  });
}

void SmallNegativeQuotientsAreZero(WrittenMap& map, Context& context) {
  RangeAnalysis ranges = RangesOf(map);
  RewriteTerms(map, context, [&](SymbolicExpr e) -> SymbolicExpr {
    if (!IsBy(e, ExprKind::kFloorDiv)) return {};
    const int64_t c = By(e) < 0 ? -By(e) : By(e);
    return ranges.Of(e.op(0)).Within({-(c - 1), c - 1}) ? context.Constant(0) : SymbolicExpr();
  });
}

// (a * x + y) floordiv c with c dividing a loses y, whatever its size.
void QuotientsLoseTheRest(WrittenMap& map, Context& context) {
  RewriteTerms(map, context, [&](SymbolicExpr e) -> SymbolicExpr {
    if (!IsBy(e, ExprKind::kFloorDiv) || !Is(e.op(0), ExprKind::kAdd)) return {};
    for (SymbolicExpr term : e.op(0).ops()) {
      if (CoefficientOf(term) % By(e) == 0) {
        return context.Scale(term.SplitCoefficient().second, CoefficientOf(term) / By(e));
      }
    }
    return {};
  });
}

// Multiples of anything that has a factor in common with the modulus go.
void ModsLoseTooManyTerms(WrittenMap& map, Context& context) {
  RewriteTerms(map, context, [&](SymbolicExpr e) -> SymbolicExpr {
    if (!IsBy(e, ExprKind::kMod) || !Is(e.op(0), ExprKind::kAdd)) return {};
    std::vector<SymbolicExpr> kept;
    for (SymbolicExpr term : e.op(0).ops()) {
      if (std::gcd(CoefficientOf(term), By(e)) == 1) kept.push_back(term);
    }
    return context.Add(kept, e.op(0).value()).Mod(By(e));
  });
}

// (x floordiv a) * b + x mod b => x, though a is not b.
void DigitsOfDifferentBasesJoin(WrittenMap& map, Context& context) {
  RewriteTerms(map, context, [&](SymbolicExpr e) -> SymbolicExpr {
    if (!Is(e, ExprKind::kAdd) || e.ops().size() != 2 || e.value() != 0) return {};
    for (int i : {0, 1}) {
      auto [factor, quotient] = e.op(i).SplitCoefficient();
      SymbolicExpr residue = e.op(1 - i);
      if (!IsBy(residue, ExprKind::kMod) || !IsBy(quotient, ExprKind::kFloorDiv)) continue;
      if (quotient.op(0) == residue.op(0) && factor == By(residue)) return residue.op(0);
    }
    return {};
  });
}

// (x floordiv a) mod b => x mod (a * b) floordiv a, with the product taken for the sum.
void ModsOfQuotientsAddUp(WrittenMap& map, Context& context) {
  RewriteTerms(map, context, [&](SymbolicExpr e) -> SymbolicExpr {
    if (!IsBy(e, ExprKind::kMod) || !IsBy(e.op(0), ExprKind::kFloorDiv)) return {};
    const int64_t a = By(e.op(0)), b = By(e);
    if (a <= 1 || b <= 1) return {};
    return e.op(0).op(0).Mod(CheckedAdd(a, b).value_or(a)).FloorDiv(a);
  });
}

// Factors are kept in 32 bits.
void FactorsWrapTo32Bits(WrittenMap& map, Context& context) {
  RewriteTerms(map, context, [&](SymbolicExpr e) -> SymbolicExpr {
    if (!Is(e, ExprKind::kMul)) return {};
    return context.Scale(context.Mul(e.ops()), static_cast<int32_t>(e.value()));
  });
}

// ---- Bounds and constraints.

void BoundsSaturateAt32Bits(WrittenMap& map, Context&) {
  for (auto& list : map.vars) {
    for (Variable& v : list) {
      v.bounds.upper = std::min<int64_t>(v.bounds.upper, INT32_MAX);
    }
  }
}

void EmptyBoundsAreSwapped(WrittenMap& map, Context&) {
  for (auto& list : map.vars) {
    for (Variable& v : list) {
      if (v.bounds.IsEmpty()) std::swap(v.bounds.lower, v.bounds.upper);
    }
  }
}

void RuntimeConstraintsVanish(WrittenMap& map, Context&) {
  llvm::erase_if(map.constraints,
                 [](const Constraint& c) { return c.expr.HasVariables(VarKind::kRuntime); });
}

void RuntimeVariablesAreTheirLowerBound(WrittenMap& map, Context& context) {
  RewriteTerms(map, context, [&](SymbolicExpr e) -> SymbolicExpr {
    if (!e.IsVariable() || e.var_kind() != VarKind::kRuntime) return {};
    return context.Constant(map.of(VarKind::kRuntime)[e.value()].bounds.lower);
  });
}

void ConstraintsAcrossVariablesVanish(WrittenMap& map, Context&) {
  llvm::erase_if(map.constraints, [](const Constraint& c) {
    int variables = 0;
    c.expr.Walk([&](SymbolicExpr e) { variables += e.IsVariable(); });
    return variables > 1;
  });
}

// A range variable that no result uses goes, and so does what ties it to the dims.
void UnusedRangesTakeConstraintsAlong(WrittenMap& map, Context&) {
  for (int64_t s = 0; s < std::ssize(map.of(VarKind::kRange)); ++s) {
    auto uses = [&](SymbolicExpr e) { return e.Uses(VarKind::kRange, s); };
    if (llvm::any_of(map.results, uses)) continue;
    llvm::erase_if(map.constraints, [&](const Constraint& c) { return uses(c.expr); });
  }
}

// Residues are brought into [0, m - 1] end by end: [3, 9] mod 8 becomes [1, 3].
void ResidueBoundsAreReduced(WrittenMap& map, Context&) {
  for (Constraint& c : map.constraints) {
    if (!IsBy(c.expr, ExprKind::kMod)) continue;
    const int64_t m = By(c.expr);
    auto reduced = [&](int64_t v) { return ((v % m) + m) % m; };
    const int64_t a = reduced(c.bounds.lower), b = reduced(c.bounds.upper);
    c.bounds = {std::min(a, b), std::max(a, b)};
  }
}

// x mod m in [0, 0] and x mod n in [0, 0] => x mod (m * n) in [0, 0], with a product that wraps.
void ModuliMultiply(WrittenMap& map, bool least_common_multiple) {
  auto& list = map.constraints;
  for (size_t i = 0; i < list.size(); ++i) {
    for (size_t j = i + 1; j < list.size(); ++j) {
      SymbolicExpr a = list[i].expr, b = list[j].expr;
      if (!IsBy(a, ExprKind::kMod) || !IsBy(b, ExprKind::kMod) || a.op(0) != b.op(0)) continue;
      if (list[i].bounds != Interval::Point(0) || list[j].bounds != Interval::Point(0)) continue;
      const uint64_t m = static_cast<uint64_t>(By(a)), n = static_cast<uint64_t>(By(b));
      const uint64_t divisor = least_common_multiple ? std::gcd(m, n) : 1;
      const auto product = static_cast<int64_t>((m / divisor * n) & INT64_MAX);
      list[i].expr = a.op(0).Mod(std::max<int64_t>(product, 1));
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(j--));
    }
  }
}
void ModuliMultiplyWithoutGcd(WrittenMap& map, Context&) { ModuliMultiply(map, false); }
void LcmWraps(WrittenMap& map, Context&) { ModuliMultiply(map, true); }

// Two residues that differ are taken for a contradiction, whatever their moduli.
void DifferentResiduesContradict(WrittenMap& map, Context&) {
  for (const Constraint& a : map.constraints) {
    for (const Constraint& b : map.constraints) {
      if (!IsBy(a.expr, ExprKind::kMod) || !IsBy(b.expr, ExprKind::kMod)) continue;
      if (a.expr.op(0) != b.expr.op(0) || a.bounds == b.bounds) continue;
      map = WrittenMap{
          .state = IndexingMap::State::kKnownEmpty, .vars = {}, .results = {}, .constraints = {}};
      return;
    }
  }
}

// Replaces `c * v in bounds` by what `solve` says of v.
void SolveMultiples(WrittenMap& map, llvm::function_ref<Interval(int64_t, Interval)> solve) {
  llvm::erase_if(map.constraints, [&](const Constraint& c) {
    if (!c.expr.IsMultiple() || !c.expr.op(0).IsVariable()) return false;
    SymbolicExpr v = c.expr.op(0);
    Interval& b = map.of(v.var_kind())[static_cast<size_t>(v.value())].bounds;
    b = b.Intersect(solve(c.expr.value(), c.bounds));
    return true;
  });
}

void LowerBoundsRoundDown(WrittenMap& map, Context&) {
  SolveMultiples(map, [](int64_t c, Interval b) -> Interval {
    if (c < 0) return {CeilDivUnchecked(b.upper, c), FloorDivUnchecked(b.lower, c)};
    return {FloorDivUnchecked(b.lower, c), FloorDivUnchecked(b.upper, c)};
  });
}

void NegativeFactorsKeepTheOrderOfBounds(WrittenMap& map, Context&) {
  SolveMultiples(map, [](int64_t c, Interval b) -> Interval {
    return {CeilDivUnchecked(b.lower, c), FloorDivUnchecked(b.upper, c)};
  });
}

// v floordiv c in [l, h] => v in [l * c, h * c].
void QuotientBoundsEndTooEarly(WrittenMap& map, Context&) {
  llvm::erase_if(map.constraints, [&](const Constraint& c) {
    if (!IsBy(c.expr, ExprKind::kFloorDiv) || !c.expr.op(0).IsVariable()) return false;
    auto low = CheckedMul(c.bounds.lower, By(c.expr)),
         high = CheckedMul(c.bounds.upper, By(c.expr));
    if (By(c.expr) <= 1 || !low || !high) return false;
    SymbolicExpr v = c.expr.op(0);
    Interval& b = map.of(v.var_kind())[static_cast<size_t>(v.value())].bounds;
    b = b.Intersect({*low, *high});
    return true;
  });
}

// The last of two constraints on one expression counts.
void LastConstraintWins(WrittenMap& map, Context&) {
  auto& list = map.constraints;
  for (size_t i = 0; i < list.size(); ++i) {
    for (size_t j = i + 1; j < list.size(); ++j) {
      if (list[i].expr != list[j].expr) continue;
      list[i].bounds = list[j].bounds;
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(j--));
    }
  }
}

// e + k in [l, h] => e in [l + k, h + k].
void OffsetsMoveTheWrongWay(WrittenMap& map, Context& context) {
  for (Constraint& c : map.constraints) {
    if (!Is(c.expr, ExprKind::kAdd) || c.expr.value() == 0) continue;
    const int64_t k = c.expr.value();
    auto low = CheckedAdd(c.bounds.lower, k), high = CheckedAdd(c.bounds.upper, k);
    if (!low || !high) continue;
    c.expr = context.Add(c.expr.ops(), 0);
    c.bounds = {*low, *high};
  }
}

// A range variable whose bounds are one value is left at zero.
void PointRangesAreZero(WrittenMap& map, Context& context) {
  RewriteTerms(map, context, [&](SymbolicExpr e) -> SymbolicExpr {
    if (!e.IsVariable() || e.var_kind() != VarKind::kRange) return {};
    const Interval b = map.of(VarKind::kRange)[static_cast<size_t>(e.value())].bounds;
    return b.IsPoint() ? context.Constant(0) : SymbolicExpr();
  });
}

constexpr Fault kFaults[] = {
    {"floordiv by a negative number rounds up", TruncateNegativeDivisors},
    {"x mod m => x when x < m, negative or not", DropModsByTheUpperBound},
    {"x mod m => x when x is in [0, m]", DropModsUpToTheModulus},
    {"x floordiv c => 0 when |x| < |c|", SmallNegativeQuotientsAreZero},
    {"(c * x + y) floordiv c => x", QuotientsLoseTheRest},
    {"(g * x + y) mod m => y mod m when g and m have a common factor", ModsLoseTooManyTerms},
    {"(x floordiv a) * b + x mod b => x", DigitsOfDifferentBasesJoin},
    {"(x floordiv a) mod b => (x mod (a + b)) floordiv a", ModsOfQuotientsAddUp},
    {"factors of 32 bits", FactorsWrapTo32Bits},
    {"upper bounds of 32 bits", BoundsSaturateAt32Bits},
    {"d0 in [5, 4] becomes d0 in [4, 5]", EmptyBoundsAreSwapped},
    {"constraints on runtime variables vanish", RuntimeConstraintsVanish},
    {"a runtime variable is its lower bound", RuntimeVariablesAreTheirLowerBound},
    {"constraints on several variables vanish", ConstraintsAcrossVariablesVanish},
    {"constraints on unused range variables vanish", UnusedRangesTakeConstraintsAlong},
    {"x mod 8 in [3, 9] becomes x mod 8 in [1, 3]", ResidueBoundsAreReduced},
    {"two moduli make their product", ModuliMultiplyWithoutGcd},
    {"a least common multiple wraps in int64", LcmWraps},
    {"x mod m in [r, r] and x mod n in [s, s] are never both", DifferentResiduesContradict},
    {"c * x in [l, h]: l floordiv c", LowerBoundsRoundDown},
    {"c * x in [l, h]: the bounds keep their order for negative c",
     NegativeFactorsKeepTheOrderOfBounds},
    {"x floordiv c in [l, h] => x in [l * c, h * c]", QuotientBoundsEndTooEarly},
    {"the last of two constraints on a term wins", LastConstraintWins},
    {"x + k in [l, h] => x in [l + k, h + k]", OffsetsMoveTheWrongWay},
    {"a range variable with one value is zero", PointRangesAreZero},
};

}  // namespace

llvm::ArrayRef<Fault> Faults() { return kFaults; }

}  // namespace affirm::testing
