// Solves constraints for range variables, one at a time, until each range variable runs on its own.
// Each round makes one change: a congruence renumbers a variable, a bound narrows it, a sum of
// several variables becomes one, a variable that several results need is split into digits.
#include "core/analysis/uses/decouple_ranges.h"

#include <numeric>
#include <optional>

#include "core/analysis/ops/op_helpers.h"
#include "core/simplify/simplify.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {
namespace {

// Each round solves something or ends the search.
constexpr int kMaxRounds = 64;

// sum of coefficient * range variable, plus a part without range variables.
struct Linear {
  std::vector<std::pair<int64_t, int64_t>> terms;  // coefficient, variable
  SymbolicExpr fixed;
};

std::optional<Linear> LinearInRanges(SymbolicExpr e) {
  Linear out;
  SymbolicExpr one[] = {e};
  bool is_sum = e.kind() == ExprKind::kAdd;
  out.fixed = e.context()->Constant(is_sum ? e.value() : 0);
  for (SymbolicExpr term : is_sum ? e.ops() : llvm::ArrayRef<SymbolicExpr>(one)) {
    if (IsFixed(term)) {
      out.fixed = out.fixed + term;
      continue;
    }
    auto [coefficient, variable] = term.SplitCoefficient();
    if (!variable.IsVariable() || coefficient == kInt64Min) return std::nullopt;
    out.terms.push_back({coefficient, variable.value()});
  }
  return out;
}

class RangeDecoupler {
 public:
  explicit RangeDecoupler(const IndexingMap& map) : map_(map) { Clean(); }

  DecoupledMap Solve() {
    for (int round = 0; round < kMaxRounds && IsNormal(); ++round) {
      if (!Step()) break;
      Clean();
    }
    DropUnsolved();
    return {map_, affine_bounds_, over_approximation_reason_};
  }

 private:
  bool IsNormal() const { return map_.state() == IndexingMap::State::kNormal; }
  Context& context() const { return *map_.context(); }

  // One change, the simplest that there is; false when nothing is left to do.
  bool Step() {
    for (const Constraint& c : map_.constraints()) {
      if (!IsFixed(c.expr) && TakeCongruence(c)) return true;
    }
    for (const Constraint& c : map_.constraints()) {
      if (!IsFixed(c.expr) && TakeBounds(c)) return true;
    }
    for (SymbolicExpr sum : Combinations()) {
      if (Merge(sum)) return true;
    }
    for (size_t v = 0; v < map_.ranges().size(); ++v) {
      if (Occurrences(static_cast<int64_t>(v)) > 1 && Split(static_cast<int64_t>(v))) return true;
    }
    return false;
  }

  // Simplifies, with variables of one value replaced.
  void Clean() {
    if (!IsNormal()) return;
    map_ = Simplify(map_);
    affine_bounds_.resize(IsNormal() ? map_.ranges().size() : 0);
    bool any = false;
    std::vector<Constraint> conditions;
    for (size_t i = 0; i < affine_bounds_.size(); ++i) {
      Interval b = map_.ranges()[i].bounds;
      if (!b.IsPoint()) continue;
      any |= Occurrences(static_cast<int64_t>(i)) > 0 || IsConstrained(static_cast<int64_t>(i));
      SymbolicExpr value = context().Constant(b.lower);
      if (affine_bounds_[i].lower)
        conditions.push_back({affine_bounds_[i].lower - value, {kInt64Min, 0}});
      if (affine_bounds_[i].upper)
        conditions.push_back({affine_bounds_[i].upper - value, {0, kInt64Max}});
      affine_bounds_[i] = {};
    }
    if (!any && conditions.empty()) return;
    Substitute(
        [&](VarKind kind, int64_t i) -> SymbolicExpr {
          if (kind != VarKind::kRange || !map_.ranges()[i].bounds.IsPoint()) return {};
          return context().Constant(map_.ranges()[i].bounds.lower);
        },
        conditions);
    map_ = Simplify(map_);
  }

  // Replaces variables in results and constraints; the constraints join those in `more`.
  void Substitute(SymbolicExpr::Substitution fn, std::vector<Constraint> more = {}) {
    std::vector<SymbolicExpr> results;
    for (SymbolicExpr e : map_.results()) results.push_back(e.Substitute(fn));
    for (const Constraint& c : map_.constraints()) {
      more.push_back({c.expr.Substitute(fn), c.bounds});
    }
    map_.SetResults(results);
    map_.SetConstraints(more);
  }

  // Replaces range variable v, whose number then stands for a new variable with these bounds.
  void Renew(int64_t v, Interval bounds, SymbolicExpr by) {
    affine_bounds_[v] = {};
    map_.SetBounds(VarKind::kRange, v, bounds);
    Substitute([&](VarKind kind, int64_t i) {
      return kind == VarKind::kRange && i == v ? by : SymbolicExpr();
    });
  }

  void Erase(const Constraint& solved) {
    std::vector<Constraint> rest = map_.constraints();
    llvm::erase(rest, solved);
    map_.SetConstraints(rest);
  }

  // A bound that is a number goes to the variable's interval.
  void TightenLower(int64_t v, SymbolicExpr bound) {
    bound = Progressions(map_, affine_bounds_).Simplified(bound);
    if (bound.IsConstant()) return Narrow(v, {bound.value(), kInt64Max});
    affine_bounds_[v].lower = affine_bounds_[v].lower ? affine_bounds_[v].lower.Max(bound) : bound;
  }
  void TightenUpper(int64_t v, SymbolicExpr bound) {
    bound = Progressions(map_, affine_bounds_).Simplified(bound);
    if (bound.IsConstant()) return Narrow(v, {kInt64Min, bound.value()});
    affine_bounds_[v].upper = affine_bounds_[v].upper ? affine_bounds_[v].upper.Min(bound) : bound;
  }
  void Narrow(int64_t v, Interval bounds) {
    map_.SetBounds(VarKind::kRange, v, map_.ranges()[v].bounds.Intersect(bounds));
  }

  // coefficient * v + fixed in [lower, upper].
  bool TakeBounds(Constraint c) {
    std::optional<Linear> linear = LinearInRanges(c.expr);
    if (!linear || linear->terms.size() != 1) return false;
    auto [coefficient, v] = linear->terms[0];
    SymbolicExpr low, high;
    Erase(c);
    if (!IsNormal()) return true;
    // A side that holds anyway cuts nothing.
    Interval range = map_.RangeOf(c.expr);
    if (!range.Within({c.bounds.lower, kInt64Max})) {
      low = context().Constant(c.bounds.lower) - linear->fixed;
    }
    if (!range.Within({kInt64Min, c.bounds.upper})) {
      high = context().Constant(c.bounds.upper) - linear->fixed;
    }
    if (coefficient < 0) {
      std::swap(low, high);
      if (low) low = -low;
      if (high) high = -high;
      coefficient = -coefficient;
    }
    if (low) TightenLower(v, low.CeilDiv(coefficient));
    if (high && IsNormal()) TightenUpper(v, high.FloorDiv(coefficient));
    return true;
  }

  // (coefficient * v + fixed) mod m in [r, r]: v steps by m / gcd(coefficient, m), from the first
  // solution on.
  bool TakeCongruence(Constraint c) {
    if (c.expr.kind() != ExprKind::kMod || !c.bounds.IsPoint()) return false;
    if (!c.expr.op(1).IsConstant()) return false;
    std::optional<Linear> linear = LinearInRanges(c.expr.op(0));
    if (!linear || linear->terms.size() != 1) return false;
    auto [coefficient, v] = linear->terms[0];
    int64_t m = c.expr.op(1).value(), g = std::gcd(coefficient, m), step = m / g;
    Progressions progressions(map_, affine_bounds_);
    auto values = progressions.Of(context().Range(v));
    if (!values || values->stride != 1) return false;
    SymbolicExpr last = progressions.Greatest(*values);
    if (!last) return false;
    progressions.RequireSome(*values);
    Erase(c);
    for (const Constraint& some : progressions.conditions()) Require(some);
    SymbolicExpr rest = context().Constant(c.bounds.lower) - linear->fixed;
    if (g > 1) Require({rest.Mod(g), Interval::Point(0)});
    if (step == 1) return true;
    auto inverse = static_cast<int64_t>(InverseModulo(coefficient / g, step));
    SymbolicExpr root = (rest.FloorDiv(g) * inverse).Mod(step);
    SymbolicExpr start = values->first + (root - values->first).Mod(step);
    Renew(v, {0, (values->size - 1) / step}, start + context().Range(v) * step);
    if (IsNormal()) TightenUpper(v, (last - start).FloorDiv(step));
    return true;
  }

  void Require(const Constraint& c) {
    if (IsNormal()) map_.AddConstraint(c.expr, c.bounds);
  }

  // Sums of several range variables that could be one variable: in constraints, and as numerators.
  std::vector<SymbolicExpr> Combinations() const {
    std::vector<SymbolicExpr> out;
    auto add = [&](SymbolicExpr e) {
      std::optional<Linear> linear = LinearInRanges(e);
      if (!linear || linear->terms.size() < 2) return;
      if (!llvm::is_contained(out, e)) out.push_back(e);
    };
    auto numerators = [&](SymbolicExpr e) {
      bool divides = e.kind() == ExprKind::kFloorDiv || e.kind() == ExprKind::kMod;
      if (divides && !IsFixed(e)) add(e.op(0));
    };
    for (const Constraint& c : map_.constraints()) {
      add(c.expr);
      c.expr.Walk(numerators);
    }
    for (SymbolicExpr e : map_.results()) e.Walk(numerators);
    return out;
  }

  // Makes the range variables of `sum` one, when they occur in no other way and their sum takes
  // every value between its least and its greatest.
  bool Merge(SymbolicExpr sum) {
    Linear linear = *LinearInRanges(sum);
    int64_t g = 0, kept = -1;
    for (auto [coefficient, v] : linear.terms) g = std::gcd(g, coefficient);
    SymbolicExpr form = context().Constant(0), rest = form;
    int64_t sign = 1;
    for (auto [coefficient, v] : linear.terms) {
      SymbolicExpr term = context().Range(v) * (coefficient / g);
      form = form + term;
      if (kept < 0 && (coefficient == g || coefficient == -g)) {
        kept = v;
        sign = coefficient / g;
      } else {
        rest = rest + term;
      }
    }
    if (kept < 0) return false;
    Progressions progressions(map_, affine_bounds_);
    auto values = progressions.Of(form);
    if (!values || values->stride != 1 || !values->over_approximation_reason.empty()) return false;
    SymbolicExpr last = progressions.Greatest(*values);
    Interval bounds = map_.RangeOf(form);
    if (!last || !bounds.IsBounded()) return false;

    IndexingMap before = map_;
    std::vector<AffineBounds> affine_bounds_before = affine_bounds_;
    Renew(kept, bounds, (context().Range(kept) - rest) * sign);
    for (auto [coefficient, v] : linear.terms) {
      if (v != kept && IsNormal() && (Occurrences(v) > 0 || IsConstrained(v))) {
        map_ = before;
        affine_bounds_ = affine_bounds_before;
        return false;
      }
      affine_bounds_[v] = {};
    }
    for (const Constraint& some : progressions.conditions()) Require(some);
    if (IsNormal()) TightenLower(kept, values->first);
    if (IsNormal()) TightenUpper(kept, last);
    return true;
  }

  bool IsConstrained(int64_t v) const {
    return llvm::any_of(map_.constraints(),
                        [&](const Constraint& c) { return c.expr.Uses(VarKind::kRange, v); });
  }

  // How often v stands in the results, as trees.
  int64_t Occurrences(int64_t v) const {
    int64_t n = 0;
    for (SymbolicExpr e : map_.results()) n += OccurrencesIn(e, v);
    return n;
  }
  static int64_t OccurrencesIn(SymbolicExpr e, int64_t v) {
    if (!e.Uses(VarKind::kRange, v)) return 0;
    if (e.IsVariable()) return 1;
    int64_t n = 0;
    for (SymbolicExpr op : e.ops()) n += OccurrencesIn(op, v);
    return n;
  }

  // Into v = c * q + r, where c is the smallest divisor with which v is divided somewhere. A
  // partial range keeps its bound as a constraint, which is solved when it ends between two r.
  bool Split(int64_t v) {
    Interval bounds = map_.ranges()[v].bounds;
    auto size = bounds.Count();
    if (!size || affine_bounds_[v].lower) return false;
    int64_t c = SmallestDigit(v, *size);
    if (c == 0) return false;
    SymbolicExpr q = context().Range(v);
    SymbolicExpr r = context().Range(static_cast<int64_t>(map_.ranges().size()));
    SymbolicExpr whole = q * c + r + bounds.lower;
    std::vector<Variable> ranges = map_.ranges();
    ranges.push_back({{0, c - 1}, "", std::nullopt});
    map_ = IndexingMap(context(), map_.results(), map_.dims(), std::move(ranges), map_.runtime(),
                       map_.constraints());
    affine_bounds_.push_back({});
    SymbolicExpr upper = affine_bounds_[v].upper;
    Renew(v, {0, *size / c - 1}, whole);
    // The lower end says nothing new; with it, the rules see whole steps of c.
    if (upper && IsNormal()) Require({whole - upper, {map_.RangeOf(whole - upper).lower, 0}});
    return true;
  }

  // The least c > 1 that divides `size` and is smaller, with v in a quotient by c or a residue
  // modulo c; 0 when there is none.
  int64_t SmallestDigit(int64_t v, int64_t size) const {
    int64_t least = 0;
    auto visit = [&](SymbolicExpr e) {
      if (e.kind() != ExprKind::kFloorDiv && e.kind() != ExprKind::kMod) return;
      if (!e.op(1).IsConstant()) return;
      std::optional<Linear> linear = LinearInRanges(e.op(0));
      if (!linear) return;
      for (auto [coefficient, variable] : linear->terms) {
        int64_t c = e.op(1).value() / std::gcd(e.op(1).value(), coefficient);
        if (variable != v || c < 2 || c >= size || size % c != 0) continue;
        if (least == 0 || c < least) least = c;
      }
    };
    for (SymbolicExpr e : map_.results()) e.Walk(visit);
    return least;
  }

  // Drops the constraints that were not solved, and makes variables independent that still depend
  // on each other: a superset.
  void DropUnsolved() {
    if (!IsNormal()) return;
    std::vector<Constraint> kept;
    for (const Constraint& c : map_.constraints()) {
      if (IsFixed(c.expr)) {
        kept.push_back(c);
      } else {
        Widen("a condition ties indices of the tile together");
      }
    }
    Progressions progressions(map_, affine_bounds_);
    for (size_t i = 0; i < map_.ranges().size(); ++i) {
      int64_t v = static_cast<int64_t>(i), n = Occurrences(v);
      if (n > 1) Widen("one index of the tile moves several coordinates");
      if (n == 1) continue;
      if (auto values = progressions.Of(context().Range(v))) progressions.RequireSome(*values);
    }
    llvm::append_range(kept, progressions.conditions());
    map_.SetConstraints(kept);
  }

  void Widen(const char* why) {
    if (over_approximation_reason_.empty()) over_approximation_reason_ = why;
  }

  IndexingMap map_;
  std::vector<AffineBounds> affine_bounds_;
  std::string over_approximation_reason_;
};

}  // namespace

DecoupledMap DecoupleRangeVariables(const IndexingMap& map) {
  if (map.state() != IndexingMap::State::kNormal) return {map, {}, ""};
  return RangeDecoupler(map).Solve();
}

}  // namespace affirm::analysis
