// BoundsPropagation propagation: each fact bounds each of its variables by the bounds of the
// others.
#include "verify/rules/bounds_propagation.h"

namespace affirm::rules {
namespace {

constexpr int kRounds = 6;
// Ends beyond 2^128 are forgotten, or products of ends would grow from round to round.
std::optional<BigInt> Keep(std::optional<BigInt> v) {
  static const BigInt kLimit = ToInt(int128{1} << 120) * 256;
  return v && *v < kLimit && *v > -kLimit ? v : std::nullopt;
}

std::optional<BigInt> Times(const std::optional<BigInt>& a, const std::optional<BigInt>& b) {
  return a && b ? Keep(*a * *b) : std::nullopt;
}

}  // namespace

BoundsPropagation::BoundsPropagation(const System& system) : ranges_(system.roles.size()) {
  bool changed = true;
  for (int round = 0; changed && consistent_ && round < kRounds; ++round) {
    changed = false;
    for (const PolyFact& f : system.facts) {
      changed |= Learn(f.p);
      if (f.equality) changed |= Learn(-f.p);
      if (!consistent_) return;
    }
  }
}

Range BoundsPropagation::OfTerm(const Monomial& m, const BigInt& coefficient) const {
  Range r;
  if (m.size() == 1) {
    r = ranges_[m[0]];
  } else {
    // Products: only of variables that are not negative, or squares.
    r = {BigInt(1), BigInt(1)};
    for (int v : m) {
      const Range& f = ranges_[v];
      if (!f.lower || *f.lower < 0) {
        r = {};
        break;
      }
      r = {Times(r.lower, f.lower), Times(r.upper, f.upper)};
      if (!r.lower) r.lower = BigInt(0);
    }
  }
  if (coefficient < 0) std::swap(r.lower, r.upper);
  return {Times(r.lower, coefficient), Times(r.upper, coefficient)};
}

Range BoundsPropagation::Of(const Poly& p) const {
  Range sum = {BigInt(0), BigInt(0)};
  for (const auto& [m, c] : p.terms()) {
    Range t = m.empty() ? Range{Keep(c), Keep(c)} : OfTerm(m, c);
    sum.lower = sum.lower && t.lower ? Keep(*sum.lower + *t.lower) : std::nullopt;
    sum.upper = sum.upper && t.upper ? Keep(*sum.upper + *t.upper) : std::nullopt;
  }
  return sum;
}

bool BoundsPropagation::Implied(const PolyFact& f) const {
  Range r = Of(f.p);
  if (f.equality) return r.lower && r.upper && *r.lower == 0 && *r.upper == 0;
  return r.lower && *r.lower >= 0;
}

bool BoundsPropagation::Excluded(const PolyFact& f) const {
  Range r = Of(f.p);
  return (r.upper && *r.upper < 0) || (f.equality && r.lower && *r.lower > 0);
}

bool BoundsPropagation::Raise(int v, const BigInt& lower) {
  Range& r = ranges_[v];
  if (r.lower && *r.lower >= lower) return false;
  r.lower = lower;
  consistent_ &= !r.upper || *r.upper >= lower;
  return true;
}

bool BoundsPropagation::Lower(int v, const BigInt& upper) {
  Range& r = ranges_[v];
  if (r.upper && *r.upper <= upper) return false;
  r.upper = upper;
  consistent_ &= !r.lower || *r.lower <= upper;
  return true;
}

// From p >= 0: what each term must at least be, given the most that the others can be.
bool BoundsPropagation::Learn(const Poly& p) {
  bool changed = false;
  std::optional<BigInt> whole = Of(p).upper;
  if (whole && *whole < 0) consistent_ = false;
  if (!consistent_) return false;
  for (const auto& [m, c] : p.terms()) {
    if (m.empty()) continue;
    std::optional<BigInt> rest = Of(p - Poly::Of(m, c)).upper;
    if (!rest) continue;
    // c * m >= -rest
    if (m.size() == 1) {
      changed |= c > 0 ? Raise(m[0], ceilDiv(-*rest, c)) : Lower(m[0], floorDiv(-*rest, c));
      if (!consistent_) return true;
      continue;
    }
    if (*rest >= 0) continue;
    // c * m is positive: with one factor of unknown sign, that sign follows.
    int unknown = -1, sign = c > 0 ? 1 : -1;
    bool single = true;
    for (int v : m) {
      if (ranges_[v].Negative())
        sign = -sign;
      else if (!ranges_[v].Positive())
        single = unknown < 0, unknown = v;
      if (!single) break;
    }
    if (single && unknown >= 0)
      changed |= sign > 0 ? Raise(unknown, BigInt(1)) : Lower(unknown, BigInt(-1));
    if (!consistent_) return true;
  }
  return changed;
}

}  // namespace affirm::rules
