#include "tests/certificate/twin/polynomial.h"

#include <algorithm>
#include <utility>

#include "tests/certificate/twin/rejection.h"

namespace twin {
namespace {

constexpr size_t kMostSummands = 2000;
constexpr size_t kMostFactors = 12;
constexpr size_t kMostBits = 601;

}  // namespace

Polynomial Polynomial::OfAtom(Atom atom) {
  Polynomial p;
  p.Add({atom}, 1);
  return p;
}

void Polynomial::Add(Monomial atoms, const Integer& coefficient) {
  if (coefficient == 0) return;
  std::sort(atoms.begin(), atoms.end());
  auto [at, is_new] = terms_.try_emplace(std::move(atoms), coefficient);
  if (is_new) return;
  at->second += coefficient;
  if (at->second == 0) terms_.erase(at);
}

void Polynomial::AddMultiple(const Polynomial& other, const Integer& factor) {
  for (const auto& [atoms, coefficient] : other.terms_) Add(atoms, factor * coefficient);
}

Polynomial Polynomial::operator+(const Polynomial& other) const {
  Polynomial sum = *this;
  sum.AddMultiple(other, 1);
  return sum;
}

Polynomial Polynomial::operator-(const Polynomial& other) const {
  Polynomial difference = *this;
  difference.AddMultiple(other, -1);
  return difference;
}

Polynomial Polynomial::operator-() const { return Polynomial() - *this; }

Polynomial Polynomial::operator+(int constant) const { return *this + Polynomial(constant); }

std::optional<Integer> Polynomial::AsConstant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() > 1 || !terms_.begin()->first.empty()) return std::nullopt;
  return terms_.begin()->second;
}

Atom Polynomial::LastAtom() const {
  Atom last = 0;
  for (const auto& [atoms, coefficient] : terms_)
    if (!atoms.empty()) last = std::max(last, atoms.back());
  return last;
}

void Polynomial::ExpectSmall() const {
  Expect(terms_.size() <= kMostSummands, "a form has too many summands");
  for (const auto& [atoms, coefficient] : terms_) {
    Expect(atoms.size() <= kMostFactors, "a product has too many factors");
    Expect(mpz_sizeinbase(coefficient.get_mpz_t(), 2) <= kMostBits, "a coefficient is too large");
  }
}

Polynomial Polynomial::Times(const Polynomial& other) const {
  Expect(terms_.size() * other.terms_.size() <= kMostSummands, "a product has too many summands");
  ExpectSmall();
  other.ExpectSmall();
  Polynomial product;
  for (const auto& [left, c] : terms_) {
    for (const auto& [right, d] : other.terms_) {
      Monomial both = left;
      both.insert(both.end(), right.begin(), right.end());
      product.Add(std::move(both), c * d);
    }
  }
  product.ExpectSmall();
  return product;
}

Polynomial Polynomial::DividedBy(const Integer& divisor) const {
  Polynomial quotient;
  for (const auto& [atoms, coefficient] : terms_) {
    Integer rounded, rest;
    mpz_fdiv_qr(rounded.get_mpz_t(), rest.get_mpz_t(), coefficient.get_mpz_t(),
                divisor.get_mpz_t());
    Expect(rest == 0 || atoms.empty(), "a coefficient is no multiple of the divisor");
    quotient.Add(atoms, rounded);
  }
  return quotient;
}

}  // namespace twin
