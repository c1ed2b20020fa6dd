// Arithmetic on polynomials with coefficients of any size.
#include "verify/rules/polynomial.h"

#include <algorithm>
#include <set>

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::rules {

BigInt ToInt(int128 v) {
  if (auto narrow = Narrow(v)) return BigInt(*narrow);
  const uint64_t words[] = {static_cast<uint64_t>(v), static_cast<uint64_t>(v >> 64)};
  return BigInt(llvm::APInt(128, llvm::ArrayRef<uint64_t>(words)));
}

std::string ToDecimal(const BigInt& v) {
  std::string text;
  llvm::raw_string_ostream(text) << v;
  return text;
}

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

Poly Poly::Of(const Monomial& m, const BigInt& coefficient) {
  Poly p;
  p.Add(m, coefficient);
  return p;
}

std::optional<BigInt> Poly::AsConstant() const {
  if (terms_.empty()) return BigInt(0);
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return std::nullopt;
}

BigInt Poly::constant() const {
  auto it = terms_.find({});
  return it == terms_.end() ? BigInt(0) : it->second;
}

const std::pair<const Monomial, BigInt>* Poly::SingleTerm() const {
  return terms_.size() == 1 ? &*terms_.begin() : nullptr;
}

size_t Poly::degree() const {
  size_t d = 0;
  for (const auto& [m, c] : terms_) d = std::max(d, m.size());
  return d;
}

bool Poly::IsLarge() const {
  static const BigInt kMost = [] {
    BigInt power(1);
    for (int i = 0; i < kMaxBits; ++i) power = power * 2;
    return power;
  }();
  return terms_.size() > kMaxTerms || degree() > kMaxDegree ||
         std::any_of(terms_.begin(), terms_.end(),
                     [](const auto& t) { return t.second > kMost || t.second < -kMost; });
}

bool Poly::Uses(int v) const {
  return std::any_of(terms_.begin(), terms_.end(), [v](const auto& t) {
    return std::binary_search(t.first.begin(), t.first.end(), v);
  });
}

BigInt Poly::LinearCoefficient(int v) const {
  BigInt found(0);
  for (const auto& [m, c] : terms_) {
    if (!std::binary_search(m.begin(), m.end(), v)) continue;
    if (m.size() != 1) return BigInt(0);
    found = c;
  }
  return found;
}

void Poly::Add(const Monomial& m, const BigInt& coefficient) {
  if (coefficient == 0) return;
  auto [it, inserted] = terms_.try_emplace(m, coefficient);
  if (!inserted) it->second += coefficient;
  if (it->second == 0) terms_.erase(it);
}

Poly Poly::operator+(const Poly& o) const {
  Poly r = *this;
  for (const auto& [m, c] : o.terms_) r.Add(m, c);
  return r;
}

Poly Poly::operator-(const Poly& o) const {
  Poly r = *this;
  for (const auto& [m, c] : o.terms_) r.Add(m, -c);
  return r;
}

Poly Poly::operator*(const Poly& o) const {
  Poly r;
  for (const auto& [m, c] : terms_)
    for (const auto& [n, d] : o.terms_) r.Add(Product(m, n), c * d);
  return r;
}

std::optional<Poly> Poly::SmallProduct(const Poly& o) const {
  if (terms_.size() * o.terms_.size() > 8 * kMaxTerms) return std::nullopt;
  Poly r = *this * o;
  return r.IsLarge() ? std::nullopt : std::optional(std::move(r));
}

Poly Poly::Substitute(int v, const Poly& by) const {
  if (!Uses(v)) return *this;
  Poly r;
  for (const auto& [m, c] : terms_) {
    Poly term(c);
    for (int factor : m) term = term * (factor == v ? by : Variable(factor));
    r = r + term;
  }
  return r;
}

std::optional<Poly> Poly::SmallSubstitute(int v, const Poly& by) const {
  if (!Uses(v)) return *this;
  Poly r;
  for (const auto& [m, c] : terms_) {
    std::optional<Poly> term = Poly(c);
    for (int factor : m) {
      term = term->SmallProduct(factor == v ? by : Variable(factor));
      if (!term) return std::nullopt;
    }
    r = r + *term;
  }
  return r.IsLarge() ? std::nullopt : std::optional(std::move(r));
}

Poly Poly::QuotientBy(const Monomial& m) const {
  Poly r;
  for (const auto& [n, c] : terms_)
    if (auto q = Quotient(n, m)) r.Add(*q, c);
  return r;
}

bool Poly::Tighten(bool equality) {
  BigInt g(0);
  for (const auto& [m, c] : terms_)
    if (!m.empty()) g = gcd(g, abs(c));
  if (g <= 1) return true;
  if (equality && constant() % g != 0) return false;
  Poly r;
  for (const auto& [m, c] : terms_) r.Add(m, floorDiv(c, g));
  *this = r;
  return true;
}

}  // namespace affirm::rules
