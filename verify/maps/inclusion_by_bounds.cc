// The maps are brought into one form, and then results of one are held against those of the other,
// which says what the range variables of the one have to be.
#include "verify/maps/inclusion_by_bounds.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/symbolic/checked.h"
#include "core/symbolic/context.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/decide/engines.h"
#include "verify/maps/idle_parts.h"

namespace affirm {
namespace {

// Puts the values of range variables that equalities determine in their places. The bounds of such
// a variable become a constraint on its value, and the variable has no more use.
bool Eliminate(FlattenedMap& map) {
  for (size_t i = 0; i < map.constraints.size();) {
    const Constraint& c = map.constraints[i];
    // A limit of int64 is a number as an end of a variable, and none as one of a constraint.
    auto is_range = [&](const DeterminedVariable& found) {
      const int64_t k = found.variable.value();
      return map.IsRange(k) && map.ranges[k - map.first_range].IsBounded();
    };
    const auto determined =
        c.bounds.IsPoint() ? Determined(c.expr, c.bounds.lower, is_range) : std::nullopt;
    if (!determined) {
      ++i;
      continue;
    }
    const int64_t range = determined->variable.value() - map.first_range;
    map.constraints[i] = {determined->value, map.ranges[range]};
    const bool is_known = ReplaceRanges(map, [&](int64_t k) {
      return k == range ? determined->value : map.context->Dim(map.first_range + k);
    });
    if (!is_known) return false;
    i = 0;
  }
  return true;
}

// The same constraint on what is left of a sum without its constant.
Constraint WithoutConstant(const Constraint& c) {
  if (c.expr.kind() != ExprKind::kAdd || c.expr.value() == 0) return c;
  Constraint rest{c.expr - c.expr.value(), Interval::All()};
  auto shift = [&](int64_t end) { return CheckedSub(end, c.expr.value()); };
  const std::optional<int64_t> lower = shift(c.bounds.lower), upper = shift(c.bounds.upper);
  if (!rest.expr || (c.bounds.HasLower() && !lower) || (c.bounds.HasUpper() && !upper)) return c;
  if (c.bounds.HasLower()) rest.bounds.lower = *lower;
  if (c.bounds.HasUpper()) rest.bounds.upper = *upper;
  // An end that is a limit of int64 would be taken for infinite.
  const bool is_kept = rest.bounds.HasLower() == c.bounds.HasLower() &&
                       rest.bounds.HasUpper() == c.bounds.HasUpper();
  return is_kept ? rest : c;
}

// The bounds of -e, where `bounds` are those of e. All integers if an end would be a limit of
// int64.
Interval Negated(const Interval& bounds) {
  auto is_negatable = [](int64_t end) { return end > -kInt64Max && end < kInt64Max; };
  if ((bounds.HasUpper() && !is_negatable(bounds.upper)) ||
      (bounds.HasLower() && !is_negatable(bounds.lower))) {
    return Interval::All();
  }
  return {bounds.HasUpper() ? -bounds.upper : kInt64Min,
          bounds.HasLower() ? -bounds.lower : kInt64Max};
}

// One constraint for each expression, of which none is another one plus a constant, or negated.
void Merge(std::vector<Constraint>& constraints) {
  std::vector<Constraint> merged;
  for (const Constraint& constraint : constraints) {
    Constraint c = WithoutConstant(constraint);
    const SymbolicExpr negated = -c.expr;
    const bool is_negatable = Negated(Negated(c.bounds)) == c.bounds;
    auto same = llvm::find_if(merged, [&](const Constraint& m) {
      return m.expr == c.expr || (m.expr == negated && is_negatable);
    });
    if (same == merged.end()) {
      merged.push_back(c);
      continue;
    }
    same->bounds = same->bounds.Intersect(same->expr == c.expr ? c.bounds : Negated(c.bounds));
  }
  constraints = std::move(merged);
}

// The bounds of all variables, where constraints on sums and differences of variables leave less of
// them. An interval that is empty: there is no point.
std::vector<Interval> NarrowedBounds(const FlattenedMap& map) {
  constexpr int kRounds = 2;
  std::vector<Interval> bounds = AllBounds(map);
  struct Term {
    int64_t factor, variable;
  };
  auto narrow = [&](const Constraint& c) {
    llvm::SmallVector<Term, 4> terms;
    const bool is_sum = c.expr.kind() == ExprKind::kAdd;
    for (SymbolicExpr e : is_sum ? c.expr.ops() : llvm::ArrayRef(c.expr)) {
      const auto [factor, x] = e.SplitCoefficient();
      const bool is_variable = (factor == 1 || factor == -1) && x.IsVariable();
      if (!is_variable || !bounds[x.value()].IsBounded()) return;
      terms.push_back({factor, x.value()});
    }
    const int128 constant = is_sum ? c.expr.value() : 0;
    for (const Term& term : terms) {
      // The least and the largest sum of the other terms.
      int128 least = constant, most = constant;
      for (const Term& other : terms) {
        if (&other == &term) continue;
        const Interval& of = bounds[other.variable];
        least += other.factor == 1 ? int128{of.lower} : -int128{of.upper};
        most += other.factor == 1 ? int128{of.upper} : -int128{of.lower};
      }
      Interval& of = bounds[term.variable];
      int128 lower = of.lower, upper = of.upper;
      if (c.bounds.HasLower()) {
        const int128 end = int128{c.bounds.lower} - most;
        (term.factor == 1 ? lower : upper) =
            term.factor == 1 ? std::max(lower, end) : std::min(upper, -end);
      }
      if (c.bounds.HasUpper()) {
        const int128 end = int128{c.bounds.upper} - least;
        (term.factor == 1 ? upper : lower) =
            term.factor == 1 ? std::min(upper, end) : std::max(lower, -end);
      }
      if (lower > upper) {
        of = Interval::Empty();
        return;
      }
      of = {static_cast<int64_t>(lower), static_cast<int64_t>(upper)};
    }
  };
  for (int round = 0; round < kRounds; ++round) {
    for (const Constraint& c : map.constraints) {
      narrow(c);
      if (llvm::any_of(bounds, [](const Interval& b) { return b.IsEmpty(); })) return bounds;
    }
  }
  return bounds;
}

// The bounds that one of the merged constraints gives the expression.
std::optional<Interval> BoundsOf(llvm::ArrayRef<Constraint> constraints, SymbolicExpr e) {
  const SymbolicExpr negated = -e;
  for (const Constraint& known : constraints) {
    if (known.expr == e) return known.bounds;
    if (known.expr == negated) return Negated(known.bounds);
  }
  return std::nullopt;
}

void AddOperands(SymbolicExpr e, ExprKind kind, llvm::SmallVectorImpl<SymbolicExpr>& operands) {
  if (e.kind() != kind) return operands.push_back(e);
  for (SymbolicExpr op : e.ops()) AddOperands(op, kind, operands);
}

// Drops operands of a maximum that are always below its lower bound, and operands of a minimum that
// are always above its upper bound. Makes the interval empty if all operands are dropped.
void DropUnreached(FlattenedMap& map) {
  SolverQuery inside{.context = map.context, .variables = NarrowedBounds(map), .names = {}};
  for (Constraint& c : map.constraints) {
    const bool is_max = c.expr.kind() == ExprKind::kMax && c.bounds.HasLower();
    if (!is_max && !(c.expr.kind() == ExprKind::kMin && c.bounds.HasUpper())) continue;
    const Interval beyond =
        is_max ? Interval{kInt64Min, c.bounds.lower - 1} : Interval{c.bounds.upper + 1, kInt64Max};
    auto is_beyond = [&](SymbolicExpr operand) {
      const Constraint claim = WithoutConstant({operand, beyond});
      const auto known = BoundsOf(map.constraints, claim.expr);
      inside.claim = Formula::In(claim.expr, claim.bounds);
      return (known && known->Within(claim.bounds)) ||
             DecideByIntervalAnalysis(inside).verdict == Verdict::kProved;
    };
    llvm::SmallVector<SymbolicExpr, 8> operands;
    AddOperands(c.expr, c.expr.kind(), operands);
    llvm::erase_if(operands, is_beyond);
    if (operands.empty()) {
      c.bounds = Interval::Empty();
      return;
    }
    c.expr = is_max ? map.context->Max(operands) : map.context->Min(operands);
  }
}

// Whether it has a value wherever its variables have one.
bool HasValue(SymbolicExpr e) {
  bool has_value = true;
  e.Walk([&](SymbolicExpr node) {
    const bool divides = node.kind() == ExprKind::kFloorDiv || node.kind() == ExprKind::kCeilDiv ||
                         node.kind() == ExprKind::kMod;
    has_value &= !divides || node.op(1).IsConstant();
  });
  return has_value;
}

// A map as it is compared.
struct NormalForm {
  FlattenedMap map;
  std::vector<Interval> bounds;  // NarrowedBounds
  bool is_empty = false;
};

std::optional<NormalForm> NormalFormOf(FlattenedMap map, bool eliminates) {
  if (map.empty) return NormalForm{std::move(map), {}, true};
  if (eliminates && !Eliminate(map)) return std::nullopt;
  Merge(map.constraints);
  if (!DropIdleParts(map)) return std::nullopt;
  constexpr int kRounds = 2;  // what the one leaves another one may go by
  for (int round = 0; round < kRounds; ++round) {
    Merge(map.constraints);
    DropUnreached(map);
  }
  Merge(map.constraints);
  std::vector<Interval> bounds = NarrowedBounds(map);
  const bool is_empty =
      llvm::any_of(map.constraints, [](const Constraint& c) { return c.bounds.IsEmpty(); }) ||
      llvm::any_of(bounds, [](const Interval& of_one) { return of_one.IsEmpty(); });
  return NormalForm{std::move(map), std::move(bounds), is_empty};
}

// The range variables of a, in terms of the variables of b, that make their results the same.
class Matching {
 public:
  Matching(const FlattenedMap& a, const NormalForm& b)
      : a_(a), b_(b.map), inside_{.context = b.map.context, .variables = b.bounds, .names = {}} {}

  // Whether there is a point of a for each point of b at which these constraints hold, over the
  // variables of b; nothing where none is seen. More than `most` of them are no answer.
  std::optional<std::vector<Constraint>> Where(size_t most) {
    values_.assign(a_.ranges.size(), SymbolicExpr());
    for (auto [x, y] : llvm::zip_equal(a_.results, b_.results)) {
      const std::vector<SymbolicExpr> before = values_;
      if (!Unify(x, y)) values_ = before;
    }
    // The remaining values of one numbering are taken for the same.
    for (size_t k = 0; k < values_.size(); ++k) {
      if (values_[k]) continue;
      if (k >= b_.ranges.size()) return std::nullopt;
      values_[k] = b_.context->Dim(b_.first_range + static_cast<int64_t>(k));
    }
    FlattenedMap at = a_;
    if (!ReplaceRanges(at, [&](int64_t k) { return values_[k]; })) return std::nullopt;
    for (auto [x, y] : llvm::zip_equal(at.results, b_.results)) {
      if (x == y || Holds(Formula::Eq(x, y))) continue;
      const SymbolicExpr difference = x - y;
      if (!difference || difference.IsConstant()) return std::nullopt;
      at.constraints.push_back({difference, Interval::Point(0)});
    }
    for (size_t k = 0; k < values_.size(); ++k) {
      if (!a_.ranges[k].IsBounded() && !values_[k].IsVariable()) return std::nullopt;
      at.constraints.push_back({values_[k], a_.ranges[k]});
    }
    for (int64_t k = 0; k < a_.num_outer(); ++k) {
      at.constraints.push_back({b_.context->Dim(k), a_.outer[k]});
    }
    std::vector<Constraint> open;
    for (const Constraint& constraint : at.constraints) {
      const Constraint c = WithoutConstant(constraint);
      if (IsKnown(c)) continue;
      open.push_back(c);
      Merge(open);
      if (open.size() > most) return std::nullopt;
    }
    return open;
  }

 private:
  bool Holds(Formula claim) {
    inside_.claim = std::move(claim);
    return DecideByIntervalAnalysis(inside_).verdict == Verdict::kProved;
  }

  // Each end may be known for a reason of its own.
  bool IsKnown(const Constraint& c) {
    if (!c.bounds.HasLower() || !c.bounds.HasUpper()) return IsKnownAtOnce(c);
    return IsKnownAtOnce(c) || (IsKnownAtOnce({c.expr, {c.bounds.lower, kInt64Max}}) &&
                                IsKnownAtOnce({c.expr, {kInt64Min, c.bounds.upper}}));
  }

  bool IsKnownAtOnce(const Constraint& c) {
    // One operand of a maximum is enough for what it is at least.
    const bool of_one = (c.expr.kind() == ExprKind::kMax && !c.bounds.HasUpper()) ||
                        (c.expr.kind() == ExprKind::kMin && !c.bounds.HasLower());
    if (of_one && HasValue(c.expr) && llvm::any_of(c.expr.ops(), [&](SymbolicExpr op) {
          return IsKnown(WithoutConstant({op, c.bounds}));
        })) {
      return true;
    }
    if (const auto bounds = BoundsOf(c.expr); bounds && bounds->Within(c.bounds)) return true;
    if (Holds(Formula::In(c.expr, c.bounds))) return true;
    // A sum of two that have bounds: x - z is (x - y) + (y - z).
    return llvm::any_of(b_.constraints, [&](const Constraint& known) {
      for (const Constraint& part : {known, Constraint{-known.expr, Negated(known.bounds)}}) {
        const SymbolicExpr rest = c.expr - part.expr;
        const auto bounds = rest ? BoundsOf(rest) : std::nullopt;
        if (bounds && AddWide(*bounds, part.bounds).Within(c.bounds)) return true;
      }
      return false;
    });
  }

  std::optional<Interval> BoundsOf(SymbolicExpr e) const {
    return affirm::BoundsOf(b_.constraints, e);
  }

  bool Assign(SymbolicExpr variable, SymbolicExpr value) {
    SymbolicExpr& known = values_[variable.value() - a_.first_range];
    if (!known) known = value;
    return known == value;
  }

  // Finds values for which x, of a, is y, of b. What it finds is looked at again.
  bool Unify(SymbolicExpr x, SymbolicExpr y) {
    if (!y) return false;
    if (x.IsVariable() && a_.IsRange(x.value())) return Assign(x, y);
    if (!a_.UsesRange(x)) return x == y;
    if (x.kind() == ExprKind::kAdd && x.ops().size() == 1) return Unify(x.op(0), y - x.value());
    if (x.SplitCoefficient().first == -1) return Unify(-x, -y);
    if (x.kind() != y.kind() || x.ops().size() != y.ops().size()) return false;
    return llvm::all_of(llvm::zip_equal(x.ops(), y.ops()), [&](const auto& pair) {
      return Unify(std::get<0>(pair), std::get<1>(pair));
    });
  }

  const FlattenedMap &a_, &b_;
  SolverQuery inside_;
  std::vector<SymbolicExpr> values_;
};

// Whether every set of a map is inside the union of those of others.
class UnionByBounds {
 public:
  explicit UnionByBounds(llvm::ArrayRef<FlattenedMap> maps) {
    for (bool eliminates : {false, true}) {
      for (const FlattenedMap& map : maps) {
        auto form = NormalFormOf(map, eliminates);
        if (form && !form->is_empty) forms_[eliminates].push_back(std::move(form->map));
      }
    }
  }

  bool Covers(const FlattenedMap& b) {
    left_ = kMostMatchings;
    return Covers(b, 0);
  }

 private:
  static constexpr int kMostMatchings = 2000, kDeepest = 4;
  static constexpr size_t kMostOpen = 2;

  bool Covers(const FlattenedMap& b, int depth) {
    for (bool eliminates : {false, true}) {
      const std::optional<NormalForm> form = NormalFormOf(b, eliminates);
      if (!form) continue;
      if (form->is_empty) return true;
      // The maps that have a part of b, if none has all of it.
      std::vector<std::vector<Constraint>> some;
      const bool has_others = forms_[eliminates].size() > 1 && depth < kDeepest;
      for (const FlattenedMap& a : forms_[eliminates]) {
        if (a.num_outer() != b.num_outer() || a.results.size() != b.results.size()) continue;
        if (--left_ < 0) return false;
        auto open = Matching(a, *form).Where(has_others ? kMostOpen : 0);
        if (open && open->empty()) return true;
        if (open) some.push_back(std::move(*open));
      }
      for (const std::vector<Constraint>& open : some) {
        if (CoversParts(form->map, open, depth)) return true;
      }
    }
    return false;
  }

  // Splits b into the part that meets the first constraint, the part below and the part above.
  // Requires a map that covers the part that meets all constraints.
  bool CoversParts(const FlattenedMap& b, llvm::ArrayRef<Constraint> open, int depth) {
    const auto& [expr, bounds] = open.front();
    if (!HasValue(expr) || !MayMeet(b, open.front())) return false;
    std::vector<Interval> parts;
    if (bounds.HasLower()) parts.push_back({kInt64Min, bounds.lower - 1});
    if (bounds.HasUpper()) parts.push_back({bounds.upper + 1, kInt64Max});
    if (open.size() > 1) parts.push_back(bounds);
    return llvm::all_of(parts, [&, expr = expr](const Interval& part) {
      FlattenedMap of_part = b;
      of_part.constraints.push_back({expr, part});
      return Covers(of_part, depth + 1);
    });
  }

  // Whether some of b may meet it, so that what does not is less than b.
  static bool MayMeet(const FlattenedMap& b, const Constraint& constraint) {
    FlattenedMap met = b;
    met.constraints.push_back(constraint);
    const std::optional<NormalForm> form = NormalFormOf(std::move(met), false);
    if (!form || form->is_empty) return false;
    SolverQuery never{.context = b.context,
                      .variables = AllBounds(b),
                      .names = {},
                      .claim = Formula::Not(Formula::In(constraint.expr, constraint.bounds))};
    return DecideByIntervalAnalysis(never).verdict != Verdict::kProved;
  }

  std::vector<FlattenedMap> forms_[2];
  int left_ = 0;
};

}  // namespace

bool IncludesByBounds(const FlattenedMap& a, const FlattenedMap& b) {
  if (a.empty || b.empty) return false;
  return UnionByBounds(a).Covers(b);
}

bool UnionIncludesByBounds(llvm::ArrayRef<FlattenedMap> a, llvm::ArrayRef<FlattenedMap> b) {
  UnionByBounds all(a);
  return llvm::all_of(b, [&](const FlattenedMap& inner) { return all.Covers(inner); });
}

}  // namespace affirm
