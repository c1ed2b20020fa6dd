#include "core/analysis/uses/symbolic_case.h"

#include <numeric>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

namespace affirm::analysis {
namespace {

// first, first + stride, ..: `size` values.
struct SymbolicSteps {
  SymbolicExpr first, size, stride;
  int64_t factor = 1;         // a divisor of the stride
  bool may_be_empty = false;  // then of size 0

  bool IsPoint() const { return size.IsConstant() && size.value() == 1; }
};

// Makes the tile in one case of each division. Each constraint of the map cuts an index, or is a
// condition for all of the tile.
class CaseMaker {
 public:
  explicit CaseMaker(const CaseOfMap& of)
      : of_(of), cut_(of.cut), map_(of.cut.map), context_(*map_.context()) {}

  std::optional<SymbolicTileCase> Make() {
    SymbolicTileCase out;
    for (const Constraint& c : cut_.fixed) Require(c.expr, c.bounds);
    if (!HoldsEverywhere() || !UnusedIndicesHaveValues()) return std::nullopt;
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
  void RequireValues(SymbolicSteps& p) {
    if (p.may_be_empty) Require(p.size, {1, kInt64Max});
    p.may_be_empty = false;
  }

  bool HoldsEverywhere() {
    for (const Constraint& c : of_.everywhere) {
      std::optional<SymbolicSteps> p = Of(c.expr);
      if (!p) return false;
      if (p->IsPoint()) {
        Require(p->first, c.bounds);
      } else {
        if (c.bounds.HasLower()) Require(p->first, {c.bounds.lower, kInt64Max});
        if (c.bounds.HasUpper()) Require(Last(*p), {kInt64Min, c.bounds.upper});
      }
    }
    return true;
  }

  // An index that no coordinate uses must have a value; any value will do.
  bool UnusedIndicesHaveValues() {
    for (int64_t k = cut_.first; k < std::ssize(map_.ranges()); ++k) {
      const bool used =
          llvm::any_of(map_.results(), [&](SymbolicExpr e) { return e.Uses(VarKind::kRange, k); });
      if (used) continue;
      std::optional<SymbolicSteps> p = OfVariable(context_.Range(k));
      if (!p) return false;
      RequireValues(*p);
    }
    return true;
  }

  std::optional<SymbolicSteps> OfVariable(SymbolicExpr e) {
    if (e.var_kind() == VarKind::kRange && e.value() >= cut_.first)
      return OfCutIndex(cut_.indices[e.value() - cut_.first]);
    const int64_t i = e.value(), rank = std::ssize(map_.dims());
    if (e.var_kind() == VarKind::kDim) {
      return SymbolicSteps{context_.Dim(i), context_.Dim(rank + i), context_.Dim(2 * rank + i)};
    }
    const Interval bounds = map_.ranges()[i].bounds;
    return SymbolicSteps{context_.Constant(bounds.lower), context_.Constant(*bounds.Count()),
                         One()};
  }

  // The values that the cuts leave from consecutive ones.
  std::optional<SymbolicSteps> OfCutIndex(const CutIndex& cut) {
    std::optional<SymbolicSteps> p = Of(cut.index);
    if (!p) return std::nullopt;
    Require(p->stride, Interval::Point(1));
    SymbolicExpr first = p->first, last = p->first + p->size - 1;
    std::optional<int64_t> modulus;
    for (const IndexCut& c : cut.cuts) {
      if (c.modulus && modulus) return Fail("an index with two residues");
      modulus = c.modulus;
      if (!c.modulus && c.lower) first = first.Max(c.lower);
      if (!c.modulus && c.upper) last = last.Min(c.upper);
    }
    if (!modulus) return SymbolicSteps{first, (last - first + 1).Max(0), One(), 1, true};
    // The values are residue + modulus * k for k between these two.
    SymbolicExpr residue = cut.cuts.back().lower;
    first = (first - residue).CeilDiv(*modulus);
    last = (last - residue).FloorDiv(*modulus);
    return SymbolicSteps{residue + first * *modulus, (last - first + 1).Max(0),
                         context_.Constant(*modulus), *modulus, true};
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
    return {first, p.size, p.stride * by, p.factor * by, p.may_be_empty};
  }
  std::optional<SymbolicSteps> Scaled(const SymbolicSteps& p, int64_t factor) {
    if (factor == kInt64Min || factor == 0) return Fail("a factor at the limit of 64 bits");
    if (factor > 0) return ScaledUp(p, p.first * factor, factor);
    return ScaledUp(p, Last(p) * factor, -factor);
  }

  // Parts with equal strides overlap, as a sliding window; else each fills the gaps of the next.
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
    if (parts.size() > 1) llvm::for_each(parts, [&](SymbolicSteps& p) { RequireValues(p); });
    llvm::stable_sort(
        parts, [](const SymbolicSteps& a, const SymbolicSteps& b) { return a.factor < b.factor; });
    SymbolicSteps sum = parts[0];
    sum.first = sum.first + fixed;
    for (const SymbolicSteps& p : llvm::drop_begin(parts)) {
      sum.first = sum.first + p.first;
      // A dilated window leaves no gaps if enough windows lie beside each other.
      if (p.factor > sum.factor && p.stride.IsConstant()) {
        RequireEqual(sum.stride, context_.Constant(sum.factor));
        sum.stride = context_.Constant(sum.factor);
      }
      if (p.factor == sum.factor) {
        RequireEqual(p.stride, sum.stride);
        sum.size = sum.size + p.size - 1;
      } else if (sum.stride.IsConstant(sum.factor) && p.factor % sum.factor == 0) {
        // Steps of p that are at most as wide as `sum` leave no gaps, and may overlap.
        const int64_t least_step = p.factor / sum.factor;
        if (sum.size.IsConstant() && sum.size.value() < least_step) {
          Require(p.size, Interval::Point(1));
          continue;
        }
        SymbolicExpr step = p.stride.FloorDiv(sum.factor);
        Require(step - sum.size, {kInt64Min, 0});
        sum.size = sum.size + (p.size - 1) * step;
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
      return Multiples(*p, is_quotient, c);
    }
    RequireValues(*p);
    switch (of_.cases[llvm::find(of_.divisions, *division) - of_.divisions.begin()]) {
      case DivisionCase::kWithin:
        Require(p->first.Mod(c) + (p->size - 1) * p->stride, {0, c - 1});
        if (is_quotient) return PointAt(p->first.FloorDiv(c));
        return SymbolicSteps{p->first.Mod(c), p->size, p->stride, p->factor};
      case DivisionCase::kMultiples:
        Require(p->stride.Mod(c), Interval::Point(0));
        return Multiples(*p, is_quotient, c);
      case DivisionCase::kWhole:
        Require(p->stride, Interval::Point(1));
        Require(p->first.Mod(c), Interval::Point(0));
        Require(p->size.Mod(c), Interval::Point(0));
        if (!is_quotient) return SymbolicSteps{context_.Constant(0), context_.Constant(c), One()};
        return SymbolicSteps{p->first.FloorDiv(c), p->size.FloorDiv(c), One()};
    }
    llvm_unreachable("a case of a division");
  }

  // The case that the stride is a multiple of the divisor.
  SymbolicSteps Multiples(SymbolicSteps p, bool is_quotient, int64_t c) {
    if (is_quotient) {
      return {p.first.FloorDiv(c), p.size, p.stride.FloorDiv(c), p.factor / std::gcd(p.factor, c),
              p.may_be_empty};
    }
    RequireValues(p);
    return PointAt(p.first.Mod(c));
  }

  const CaseOfMap& of_;
  const CutMap& cut_;
  const IndexingMap& map_;
  Context& context_;
  std::vector<Constraint> conditions_;
  std::string reason_;
};

}  // namespace

std::optional<Division> DivisionOf(SymbolicExpr e) {
  const bool divides = e.kind() == ExprKind::kFloorDiv || e.kind() == ExprKind::kMod;
  if (!divides || !e.op(1).IsConstant() || e.op(1).value() < 1) return std::nullopt;
  return Division{e.op(0), e.op(1).value()};
}

std::optional<SymbolicTileCase> MakeCase(const CaseOfMap& of, std::string& reason) {
  CaseMaker maker(of);
  std::optional<SymbolicTileCase> one = maker.Make();
  if (!one) reason = maker.reason();
  return one;
}

}  // namespace affirm::analysis
