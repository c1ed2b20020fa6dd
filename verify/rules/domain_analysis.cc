// Interval arithmetic over polynomials in the atoms of normal forms, and questions to the deciders.
#include "verify/rules/domain_analysis.h"

#include <algorithm>

namespace affirm::rules {
namespace {

constexpr int kMaxDepth = 200;
using End = std::optional<BigInt>;

Range FromInterval(const Interval& i) {
  return {i.HasLower() ? End(BigInt(i.lower)) : End(), i.HasUpper() ? End(BigInt(i.upper)) : End()};
}

Range Intersect(Range a, const Range& b) {
  if (b.lower && (!a.lower || *a.lower < *b.lower)) a.lower = b.lower;
  if (b.upper && (!a.upper || *a.upper > *b.upper)) a.upper = b.upper;
  return a;
}

// An end, or an infinite one when it is past 2^120: intermediate ends must not grow without limit.
End Keep(const BigInt& v) {
  static const BigInt kLimit = ToInt(int128{1} << 120);
  return v < kLimit && v > -kLimit ? End(v) : End();
}

Range Plus(const Range& a, const Range& b) {
  auto add = [](const End& x, const End& y) { return x && y ? Keep(*x + *y) : End(); };
  return {add(a.lower, b.lower), add(a.upper, b.upper)};
}

Range Times(const Range& a, const Range& b) {
  auto point = [](const Range& r) { return r.lower && r.upper && *r.lower == *r.upper; };
  if (point(a) && *a.lower == 0) return a;
  if (point(b) && *b.lower == 0) return b;
  if (point(b) && !point(a)) return Times(b, a);
  auto product = [](const End& x, const End& y) { return x && y ? Keep(*x * *y) : End(); };
  if (point(a)) {
    Range r{product(a.lower, b.lower), product(a.lower, b.upper)};
    if (*a.lower < 0) std::swap(r.lower, r.upper);
    return r;
  }
  bool positive = a.lower && b.lower && *a.lower >= 0 && *b.lower >= 0;
  if (positive) return {product(a.lower, b.lower), product(a.upper, b.upper)};
  Range r;
  End corners[] = {product(a.lower, b.lower), product(a.lower, b.upper), product(a.upper, b.lower),
                   product(a.upper, b.upper)};
  for (const End& c : corners) {
    if (!c) return {};
    if (!r.lower || *c < *r.lower) r.lower = c;
    if (!r.upper || *c > *r.upper) r.upper = c;
  }
  return r;
}

// The range of a quotient by the positive number d.
Range QuotientRange(const Range& a, const BigInt& d, bool ceil) {
  auto divide = [&](const End& x) -> End {
    if (!x) return x;
    return ceil ? ceilDiv(*x, d) : floorDiv(*x, d);
  };
  return {divide(a.lower), divide(a.upper)};
}

}  // namespace

DomainAnalysis::DomainAnalysis(const IndexingMap& map, llvm::ArrayRef<Constraint> left_out,
                               PolynomialNormalForms& forms, const Budget& budget)
    : map_(map), forms_(forms), budget_(budget) {
  for (const Constraint& c : map.constraints()) {
    if (std::find(left_out.begin(), left_out.end(), c) != left_out.end()) continue;
    facts_.push_back(c);
    if (auto form = forms.Of(c.expr)) known_forms_.push_back({*form, FromInterval(c.bounds)});
  }
}

Range DomainAnalysis::RangeOfAtom(int index, int depth) {
  auto known = atom_ranges_.find(index);
  if (known != atom_ranges_.end()) return known->second;
  Range r = ComputeRangeOfAtom(index, depth);
  atom_ranges_[index] = r;
  return r;
}

Range DomainAnalysis::ComputeRangeOfAtom(int index, int depth) {
  const PolynomialNormalForms::Atom atom = forms_.atom(index);
  if (atom.kind == ExprKind::kVariable) {
    const auto& variables = map_.vars(atom.var_kind);
    if (static_cast<size_t>(atom.index) >= variables.size()) return {};
    return FromInterval(variables[atom.index].bounds);
  }
  std::vector<Range> ops;
  ops.reserve(atom.operands.size());
  for (const Poly& p : atom.operands) ops.push_back(RangeOf(p, depth + 1));
  if (atom.kind == ExprKind::kMin || atom.kind == ExprKind::kMax) {
    bool least = atom.kind == ExprKind::kMin;
    Range r = ops[0];
    for (const Range& o : ops) {
      // One end must hold for every operand, the other is given by any.
      auto all = [&](const End& x, const End& y) {
        return x && y ? End(least ? std::min(*x, *y) : std::max(*x, *y)) : End();
      };
      auto any = [&](const End& x, const End& y) { return !x ? y : !y ? x : all(x, y); };
      r = least ? Range{all(r.lower, o.lower), any(r.upper, o.upper)}
                : Range{any(r.lower, o.lower), all(r.upper, o.upper)};
    }
    return r;
  }
  if (atom.kind == ExprKind::kAdd || atom.kind == ExprKind::kMul) return {};
  const Range& a = ops[0];
  const Range& d = ops[1];
  if (!d.lower || *d.lower < 1) return {};
  if (atom.kind == ExprKind::kMod) {
    Range r{BigInt(0), d.upper ? End(*d.upper - 1) : End()};
    bool whole = a.lower && a.upper && *a.lower >= 0 && *a.upper < *d.lower;
    return whole ? a : r;
  }
  if (!d.upper || *d.lower != *d.upper) return {};
  return QuotientRange(a, *d.lower, atom.kind == ExprKind::kCeilDiv);
}

Range DomainAnalysis::RangeOf(const Poly& p, int depth) {
  if (depth > kMaxDepth) return {};
  Range sum{BigInt(0), BigInt(0)};
  for (const auto& [m, c] : p.terms()) {
    Range term{Keep(c), Keep(c)};
    for (int atom : m) term = Times(term, RangeOfAtom(atom, depth));
    sum = Plus(sum, term);
  }
  // A constraint on the same terms, whatever the constant.
  for (const auto& [form, range] : known_forms_) {
    if (auto offset = (p - form).AsConstant()) {
      sum = Intersect(sum, Plus(range, {offset, offset}));
    }
  }
  return sum;
}

bool DomainAnalysis::Within(SymbolicExpr e, std::optional<BigInt> lower,
                            std::optional<BigInt> upper) {
  std::optional<Poly> form = forms_.Of(e);
  if (!form) return false;
  Range r = RangeOf(*form, 0);
  if (r.lower && r.upper && *r.lower > *r.upper) return true;
  bool above = !lower || (r.lower && *r.lower >= *lower);
  bool below = !upper || (r.upper && *r.upper <= *upper);
  if (above && below) return true;
  // The deciders take bounds in int64 and treat the limits as infinite.
  auto narrow = [](const std::optional<BigInt>& v, int64_t infinite) -> std::optional<int64_t> {
    if (!v) return infinite;
    if (*v <= kInt64Min || *v >= kInt64Max) return std::nullopt;
    return static_cast<int64_t>(*v);
  };
  auto lo = narrow(lower, kInt64Min), hi = narrow(upper, kInt64Max);
  if (!lo || !hi) return false;
  return Decided(Formula::In(AsDims(e), {*lo, *hi}));
}

bool DomainAnalysis::Same(SymbolicExpr a, SymbolicExpr b) {
  std::optional<Poly> form_a = forms_.Of(a), form_b = forms_.Of(b);
  if (form_a && form_b && *form_a == *form_b) return true;
  return Decided(Formula::Eq(AsDims(a), AsDims(b)));
}

SymbolicExpr DomainAnalysis::AsDims(SymbolicExpr e) const {
  auto num_dims = static_cast<int64_t>(map_.dims().size());
  auto num_ranges = static_cast<int64_t>(map_.ranges().size());
  return e.Substitute([&](VarKind kind, int64_t i) {
    int64_t base = kind == VarKind::kDim     ? 0
                   : kind == VarKind::kRange ? num_dims
                                             : num_dims + num_ranges;
    return map_.context()->Dim(base + i);
  });
}

bool DomainAnalysis::Decided(const Formula& claim) {
  SolverQuery query;
  query.context = map_.context();
  for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime})
    for (const Variable& v : map_.vars(kind)) query.variables.push_back(v.bounds);
  std::vector<Formula> known;
  known.reserve(facts_.size());
  for (const Constraint& c : facts_) known.push_back(Formula::In(AsDims(c.expr), c.bounds));
  query.claim = Formula::Implies(Formula::And(std::move(known)), claim);
  DecideOptions options;
  options.budget = budget_;
  return Decide(query, options).verdict == Verdict::kProved;
}

}  // namespace affirm::rules
