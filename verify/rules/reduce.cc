// Simplification of systems of facts: substitution of equals, Euclid's lemma, cancellation.
#include "verify/rules/reduce.h"

#include <algorithm>

namespace affirm::rules {
namespace {

// Replaces one variable by an equal polynomial. A variable of a divisor is only replaced by a
// single term, so that divisors stay products.
bool SubstituteOne(System& s, size_t index) {
  const Poly p = s.facts[index].p;
  int best = -1, best_rank = 0;
  for (const auto& [m, c] : p.terms()) {
    if (m.size() != 1 || (c != 1 && c != -1) || p.LinearCoefficient(m[0]) == 0) continue;
    int v = m[0];
    bool divides = std::any_of(s.quotients.begin(), s.quotients.end(),
                               [v](const QuotientDef& q) { return q.divisor.Uses(v); });
    if (divides && p.terms().size() > 2) continue;
    int rank = divides ? 1 : s.roles[v] == VarRole::kQuotient ? 2 : 3;
    if (rank > best_rank) best = v, best_rank = rank;
  }
  if (best < 0) return false;
  BigInt c = p.LinearCoefficient(best);
  Poly rest = p - Poly::Of({best}, c);
  Poly by = c > 0 ? -rest : rest;
  s.facts.erase(s.facts.begin() + static_cast<int64_t>(index));
  s.UseEquality(best, by);
  return true;
}

// Whether 0 <= numerator <= divisor - 1 stands among the facts.
bool BelowDivisor(const System& s, const QuotientDef& q) {
  auto known = [&](const PolyFact& f) {
    return std::find(s.facts.begin(), s.facts.end(), f) != s.facts.end();
  };
  return known(AtLeast(q.numerator, Poly(0))) && known(AtLeast(q.divisor - Poly(1), q.numerator));
}

// Takes the multiples of the divisor out of the numerator: (d * p + r) div d = p + r div d. A
// quotient of zero is zero, and two quotients of the same are equal.
bool SettleQuotients(System& s) {
  for (size_t i = 0; i < s.quotients.size(); ++i) {
    QuotientDef& q = s.quotients[i];
    if (const auto* divisor = q.divisor.SingleTerm()) {
      Poly multiple, rest;
      for (const auto& [m, c] : q.numerator.terms()) {
        auto cofactor = Quotient(m, divisor->first);
        if (cofactor && c % divisor->second == 0)
          multiple.Add(*cofactor, c / divisor->second);
        else
          rest.Add(m, c);
      }
      q.value = q.value - multiple;
      q.numerator = rest;
    }
    std::optional<Poly> equal;
    if (q.numerator.IsZero() || (!q.ceil && BelowDivisor(s, q))) equal = Poly(0);
    for (size_t j = 0; j < i && !equal; ++j) {
      const QuotientDef& o = s.quotients[j];
      if (o.numerator == q.numerator && o.divisor == q.divisor && o.ceil == q.ceil) equal = o.value;
    }
    if (!equal) continue;
    s.facts.push_back(Equal(q.value, *equal));
    s.quotients.erase(s.quotients.begin() + static_cast<int64_t>(i));
    return true;
  }
  return false;
}

// A monomial order: by weight, where cofactors weigh less, then by the power of the last variable
// in which the two differ.
bool Heavier(const System& s, const Monomial& a, const Monomial& b) {
  auto weight = [&](const Monomial& m) {
    int w = 0;
    for (int v : m) w += s.roles[v] == VarRole::kCofactor ? 1 : 2;
    return w;
  };
  if (int wa = weight(a), wb = weight(b); wa != wb) return wa > wb;
  return std::lexicographical_compare(b.rbegin(), b.rend(), a.rbegin(), a.rend());
}

Poly Rewrite(const Poly& p, const Monomial& from, const Monomial& to, const BigInt& factor) {
  Poly r;
  bool changed = false;
  for (const auto& [m, c] : p.terms()) {
    auto rest = Quotient(m, from);
    changed |= rest.has_value();
    r = r + (rest ? Poly::Of(Product(*rest, to), c) * Poly(factor) : Poly::Of(m, c));
  }
  return changed ? r : p;
}

// Replaces a product that equals another product, as k * a = m * c' does, wherever it occurs.
bool RewriteProducts(System& s) {
  bool changed = false;
  for (size_t i = 0; i < s.facts.size(); ++i) {
    const PolyFact f = s.facts[i];
    if (!f.equality || f.p.terms().size() != 2) continue;
    std::pair<Monomial, BigInt> a = *f.p.terms().begin(), b = *f.p.terms().rbegin();
    if (Heavier(s, b.first, a.first)) std::swap(a, b);
    if (a.first.size() < 2 || b.first.empty() || (a.second != 1 && a.second != -1)) continue;
    BigInt factor = -b.second * a.second;
    auto apply = [&](Poly& p) {
      Poly r = Rewrite(p, a.first, b.first, factor);
      if (r == p || r.IsLarge()) return;
      p = r;
      changed = true;
    };
    for (size_t j = 0; j < s.facts.size(); ++j)
      if (j != i) apply(s.facts[j].p);
    for (QuotientDef& q : s.quotients) {
      apply(q.value);
      apply(q.numerator);
    }
    for (Alternatives& split : s.splits)
      for (auto& alternative : split)
        for (PolyFact& g : alternative) apply(g.p);
  }
  return changed;
}

}  // namespace

bool Normalize(System& s) {
  bool again = true;
  while (again) {
    again = false;
    std::vector<PolyFact> facts;
    for (PolyFact& f : s.facts) {
      if (!f.p.Tighten(f.equality)) return false;
      if (auto c = f.p.AsConstant()) {
        if (f.equality ? *c != 0 : *c < 0) return false;
        continue;
      }
      if (std::find(facts.begin(), facts.end(), f) == facts.end()) facts.push_back(std::move(f));
    }
    s.facts = std::move(facts);
    again = SettleQuotients(s) || RewriteProducts(s);
    for (size_t i = 0; i < s.facts.size() && !again; ++i) {
      if (s.facts[i].equality) {
        again = SubstituteOne(s, i);
        continue;
      }
      for (size_t j = 0; j < i && !again; ++j) {
        if (s.facts[j].equality) continue;
        auto sum = (s.facts[i].p + s.facts[j].p).AsConstant();
        if (!sum) continue;
        if (*sum < 0) return false;
        if (*sum == 0) s.facts[i].equality = again = true;
      }
    }
  }
  return true;
}

namespace {

// The variables that occur in every term of `p` but the constant and satisfy `usable`.
template <typename Fn>
Monomial CommonFactor(const Poly& p, Fn usable) {
  std::optional<Monomial> common;
  for (const auto& [m, c] : p.terms()) {
    if (m.empty()) continue;
    Monomial both;
    if (common)
      std::set_intersection(common->begin(), common->end(), m.begin(), m.end(),
                            std::back_inserter(both));
    common = common ? both : m;
  }
  if (!common) return {};
  std::erase_if(*common, [&](int v) { return !usable(v); });
  return *common;
}

// For positive w: w * e = 0 says e = 0; w * e >= 0 says e >= 0; and w * e >= 1 says e >= 1.
bool DivideByCommon(PolyFact& f, const BoundsPropagation& bounds) {
  BigInt constant = f.p.constant();
  if (constant != 0 && (f.equality || constant != -1)) return false;
  Monomial common = CommonFactor(f.p, [&](int v) {
    return bounds.of(v).Positive() || (f.equality && bounds.of(v).Negative());
  });
  if (common.empty()) return false;
  Poly rest = f.p.QuotientBy(common);
  if (rest.AsConstant()) return false;  // w itself
  f.p = rest + Poly(constant);
  return true;
}

// Euclid's lemma. Let a and b have no common divisor, u * a + v * b = 1, and a * s = b * t. Then
// with k = u * t + v * s: s = b * k and t = a * k.
bool Euclid(System& s, size_t index, const GcdDef& gcd) {
  const auto* a = gcd.a_cofactor.SingleTerm();
  const auto* b = gcd.b_cofactor.SingleTerm();
  if (!a || !b || a->first.empty() || b->first.empty()) return false;
  Poly left, right;
  for (const auto& [m, c] : s.facts[index].p.terms()) {
    if (auto q = Quotient(m, a->first); q && c % a->second == 0)
      left.Add(*q, c / a->second);
    else if (auto r = Quotient(m, b->first); r && c % b->second == 0)
      right.Add(*r, -c / b->second);
    else
      return false;
  }
  if (left.IsZero() || right.IsZero()) return false;
  Poly k = Poly::Variable(s.NewVariable(VarRole::kCofactor, "k"));
  s.facts[index] = Equal(left, gcd.b_cofactor * k);
  s.facts.push_back(Equal(right, gcd.a_cofactor * k));
  return true;
}

}  // namespace

bool CancelFactors(System& s, const BoundsPropagation& bounds) {
  for (size_t i = 0; i < s.facts.size(); ++i) {
    if (DivideByCommon(s.facts[i], bounds)) return true;
    if (!s.facts[i].equality) continue;
    for (const GcdDef& gcd : std::vector<GcdDef>(s.gcds)) {
      auto g = bounds.Of(gcd.g);
      if (g.Positive() && Euclid(s, i, gcd)) return true;
    }
  }
  return false;
}

}  // namespace affirm::rules
