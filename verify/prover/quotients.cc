// Equations between quotients by constants, and between quotients and linear forms.
#include <algorithm>

#include "verify/prover/prover.h"

namespace affirm::prover {
namespace {

BigInt Quotient(const BigInt& a, const BigInt& b) { return llvm::floorDiv(a, b); }
BigInt Residue(const BigInt& a, const BigInt& b) { return a - b * Quotient(a, b); }

}  // namespace

// If 0 <= left < right, which is no constant, the quotient is 0. The fact `sign` bounds right.
void Prover::LearnSmallQuotient(int atom, int sign) {
  int shown[2] = {0, 0};
  for (int upper : {0, 1}) {
    Polynomial goal, opposite(BigInt(-1));
    goal.Add(Polynomial::Atom(atom), BigInt(upper ? -1 : 1));
    opposite.Add(goal, BigInt(-1));
    const size_t assumed = facts_.size();
    facts_.push_back({opposite, false});
    facts_.push_back({opposite * facts_[static_cast<size_t>(sign)].form, false});
    std::string text = "p " + std::to_string(assumed) + " " + std::to_string(sign) + "\n";
    int budget = kMostBranches;
    const bool refuted = RefuteAll(text, budget);
    facts_.resize(assumed);
    if (!refuted) return;
    lines_.push_back("split " + goal.ToString());
    refutations_.push_back(std::move(text));
    shown[upper] = Append(std::move(goal), false);
  }
  Define(atom, shown[1], shown[0]);
}

// atom = left floordiv c, whose bounds are the facts `bounds` and the next.
void Prover::LearnQuotient(int atom, const Reduced& left, const BigInt& c, int bounds) {
  for (int symmetric = 0; symmetric < 2; ++symmetric) {
    Polynomial rest;
    for (const auto& [m, k] : left.form.terms()) {
      BigInt r = Residue(k, c);
      if (symmetric && !m.empty() && r + r > c) r -= c;
      rest.Add(m, r);
    }
    if (WithinOneBlock(atom, left, rest, c, bounds)) return;
  }
  Polynomial rest;
  for (const auto& [m, k] : left.form.terms()) rest.Add(m, Residue(k, c));
  if (auto low = Lower(left.form)) {
    Sum sum = {{BigInt(1), bounds + 1}};
    for (const auto& [k, i] : left.less) sum.push_back({k, i});
    sum.insert(sum.end(), low->by.begin(), low->by.end());
    Combine(sum, c);
  }
  if (auto high = Upper(left.form)) {
    Sum sum = {{BigInt(1), bounds}};
    for (const auto& [k, i] : left.less) sum.push_back({-k, i});
    sum.insert(sum.end(), high->by.begin(), high->by.end());
    Combine(sum, c);
  }
  if (DropRemainder(atom, left, rest, c, bounds)) return;
  if (Flatten(atom, left, c, bounds)) return;
  auto [same, added] = by_rest_.try_emplace({c, rest.ToString()}, atom);
  if (added) return;
  // Two quotients of left sides that differ by a multiple of c.
  const int other = same->second, theirs = quotient_bounds_[other];
  const Reduced left2 = Reduce(table_.Find(other)->left);
  Sum sum = {{BigInt(1), bounds}, {BigInt(1), theirs + 1}};
  for (const auto& [k, i] : left.less) sum.push_back({-k, i});
  for (const auto& [k, i] : left2.less) sum.push_back({k, i});
  const int at_most = Combine(sum, c);
  sum = {{BigInt(1), bounds + 1}, {BigInt(1), theirs}};
  for (const auto& [k, i] : left.less) sum.push_back({k, i});
  for (const auto& [k, i] : left2.less) sum.push_back({-k, i});
  Define(atom, at_most, Combine(sum, c));
}

// value - atom >= 0 and atom - value >= 0 give atom = value.
void Prover::Define(int atom, int at_most, int at_least) {
  Polynomial sum = facts_[static_cast<size_t>(at_most)].form;
  sum.Add(facts_[static_cast<size_t>(at_least)].form, BigInt(1));
  if (!sum.terms().empty()) return;
  lines_.push_back("= " + std::to_string(at_most) + " " + std::to_string(at_least));
  const int equation = Append(facts_[static_cast<size_t>(at_most)].form, true);
  equal_[atom] = {equation, {}};
}

// Both inequalities of the equation that defines the atom: sums of facts, with what was taken away
// from the dividend and the ends of what is left of it, over c.
void Prover::DefineBetween(int atom, const Reduced& left, Sum most, Sum least, const Bounded& low,
                           const Bounded& high, const BigInt& c) {
  for (const auto& [k, i] : left.less) {
    most.push_back({-k, i});
    least.push_back({k, i});
  }
  most.insert(most.end(), high.by.begin(), high.by.end());
  least.insert(least.end(), low.by.begin(), low.by.end());
  const int at_most = Combine(most, c);
  Define(atom, at_most, Combine(least, c));
}

// `rest` is left less a multiple of c. Where rest floordiv c has one value, atom is linear.
bool Prover::WithinOneBlock(int atom, const Reduced& left, const Polynomial& rest, const BigInt& c,
                            int bounds) {
  auto low = Lower(rest), high = Upper(rest);
  if (!low || !high || Quotient(low->end, c) != Quotient(high->end, c)) return false;
  DefineBetween(atom, left, {{BigInt(1), bounds}}, {{BigInt(1), bounds + 1}}, *low, *high, c);
  return true;
}

// rest = g * x + r with r in [0, g - 1], where g divides c: rest floordiv c = x floordiv (c / g).
bool Prover::DropRemainder(int atom, const Reduced& left, const Polynomial& rest, const BigInt& c,
                           int bounds) {
  std::vector<BigInt> factors;
  for (const auto& [m, k] : rest.terms()) {
    if (!m.empty()) factors.push_back(llvm::gcd(llvm::abs(k), c));
  }
  std::sort(factors.begin(), factors.end());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  std::reverse(factors.begin(), factors.end());
  for (const BigInt& g : factors) {
    if (g == 1 || g == c) continue;
    Polynomial x, r;
    for (const auto& [m, k] : left.form.terms()) {
      const BigInt small = Residue(k, g);
      r.Add(m, small);
      x.Add(m, Quotient(k, g));
    }
    auto low = Lower(r), high = Upper(r);
    if (!low || !high || low->end < 0 || high->end >= g || x.AsConstant()) continue;
    const int next = table_.Intern({TableEntry::Op::kQuotient, x, Polynomial(c / g)});
    if (next == atom) continue;
    if (!quotient_bounds_.contains(next)) Learn(next);
    const int theirs = quotient_bounds_[next];
    DefineBetween(atom, left, {{BigInt(1), bounds}, {g, theirs + 1}},
                  {{BigInt(1), bounds + 1}, {g, theirs}}, *low, *high, c);
    return true;
  }
  return false;
}

// left = q + x, where q = y floordiv a: left floordiv c = (y + a * x) floordiv (a * c).
bool Prover::Flatten(int atom, const Reduced& left, const BigInt& c, int bounds) {
  for (const auto& [m, k] : left.form.terms()) {
    if (m.size() != 1 || k != 1) continue;
    const TableEntry* inner = table_.Find(m[0]);
    if (!inner || inner->op != TableEntry::Op::kQuotient || !quotient_bounds_.contains(m[0]))
      continue;
    auto a = inner->right.AsConstant();
    if (!a || *a <= 0) continue;
    const Reduced y = Reduce(inner->left);
    Polynomial x = left.form;
    x.Add(m, BigInt(-1));
    Polynomial together = y.form;
    together.Add(x, *a);
    const int within = quotient_bounds_[m[0]];
    const int next = table_.Intern({TableEntry::Op::kQuotient, together, Polynomial(*a * c)});
    if (!quotient_bounds_.contains(next)) Learn(next);
    const int theirs = quotient_bounds_[next];
    Sum most = {{*a, bounds}, {BigInt(1), within}, {BigInt(1), theirs + 1}};
    Sum least = {{*a, bounds + 1}, {BigInt(1), within + 1}, {BigInt(1), theirs}};
    for (const auto& [f, i] : left.less) {
      most.push_back({-f * *a, i});
      least.push_back({f * *a, i});
    }
    for (const auto& [f, i] : y.less) {
      most.push_back({-f, i});
      least.push_back({f, i});
    }
    const int at_most = Combine(most, *a * c);
    Define(atom, at_most, Combine(least, *a * c));
    return true;
  }
  return false;
}

}  // namespace affirm::prover
