#include "verify/rules/polynomial.h"

#include <algorithm>
#include <set>

namespace affirm::rules {

Monomial Product(const Monomial& a, const Monomial& b) {
  Monomial r;
  r.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(r));
  return r;
}

std::optional<Monomial> Quotient(const Monomial& a, const Monomial& b) {
  if (!std::includes(a.begin(), a.end(), b.begin(), b.end())) return std::nullopt;
  Monomial r;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(r));
  return r;
}

bool BySize(const Monomial& a, const Monomial& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

std::vector<Monomial> Divisors(const Monomial& m) {
  std::set<Monomial> found = {{}};
  for (int v : m) {
    std::vector<Monomial> grown;
    grown.reserve(found.size());
    for (const Monomial& d : found) grown.push_back(Product(d, {v}));
    found.insert(grown.begin(), grown.end());
  }
  found.erase(Monomial{});
  std::vector<Monomial> list(found.begin(), found.end());
  std::sort(list.begin(), list.end(), BySize);
  return list;
}

Poly Poly::Variable(int v) { return Of({v}); }

Poly Poly::Of(const Monomial& m, int128 coefficient) {
  Poly p;
  p.Add(m, coefficient);
  return p;
}

std::optional<int128> Poly::AsConstant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return std::nullopt;
}

int128 Poly::constant() const {
  auto it = terms_.find({});
  return it == terms_.end() ? 0 : it->second;
}

const std::pair<const Monomial, int128>* Poly::SingleTerm() const {
  return terms_.size() == 1 ? &*terms_.begin() : nullptr;
}

size_t Poly::degree() const {
  size_t d = 0;
  for (const auto& [m, c] : terms_) d = std::max(d, m.size());
  return d;
}

bool Poly::Uses(int v) const {
  return std::any_of(terms_.begin(), terms_.end(), [v](const auto& t) {
    return std::binary_search(t.first.begin(), t.first.end(), v);
  });
}

int128 Poly::LinearCoefficient(int v) const {
  int128 found = 0;
  for (const auto& [m, c] : terms_) {
    if (!std::binary_search(m.begin(), m.end(), v)) continue;
    if (m.size() != 1) return 0;
    found = c;
  }
  return found;
}

void Poly::Add(const Monomial& m, int128 coefficient) {
  if (coefficient == 0) return;
  auto [it, inserted] = terms_.try_emplace(m, coefficient);
  if (!inserted && __builtin_add_overflow(it->second, coefficient, &it->second)) broken_ = true;
  if (it->second > kMaxCoefficient || it->second < -kMaxCoefficient) broken_ = true;
  if (it->second == 0) terms_.erase(it);
  if (terms_.size() > kMaxTerms || m.size() > kMaxDegree) broken_ = true;
}

Poly Poly::operator+(const Poly& o) const {
  Poly r = *this;
  r.broken_ |= o.broken_;
  for (const auto& [m, c] : o.terms_) r.Add(m, c);
  return r;
}

Poly Poly::operator-(const Poly& o) const { return *this + o * Poly(-1); }

Poly Poly::operator*(const Poly& o) const {
  Poly r;
  r.broken_ = broken_ || o.broken_;
  for (const auto& [m, c] : terms_) {
    for (const auto& [n, d] : o.terms_) {
      int128 product;
      if (__builtin_mul_overflow(c, d, &product)) {
        r.broken_ = true;
        continue;
      }
      r.Add(Product(m, n), product);
      if (r.broken_) return r;
    }
  }
  return r;
}

Poly Poly::Substitute(int v, const Poly& by) const {
  if (!Uses(v)) return *this;
  Poly r;
  r.broken_ = broken_;
  for (const auto& [m, c] : terms_) {
    Poly term(c);
    for (int factor : m) term = term * (factor == v ? by : Variable(factor));
    r = r + term;
    if (r.broken_) return r;
  }
  return r;
}

Poly Poly::QuotientBy(const Monomial& m) const {
  Poly r;
  r.broken_ = broken_;
  for (const auto& [n, c] : terms_)
    if (auto q = Quotient(n, m)) r.Add(*q, c);
  return r;
}

bool Poly::Tighten(bool equality) {
  int128 g = 0;
  for (const auto& [m, c] : terms_) {
    if (m.empty()) continue;
    int128 a = g, b = c < 0 ? -c : c;
    while (b != 0) std::swap(a %= b, b);
    g = a;
  }
  if (g <= 1) return true;
  int128 k = constant();
  if (equality && k % g != 0) return false;
  Poly r;
  r.broken_ = broken_;
  for (const auto& [m, c] : terms_) r.Add(m, m.empty() ? FloorDivUnchecked(c, g) : c / g);
  *this = r;
  return true;
}

}  // namespace affirm::rules
