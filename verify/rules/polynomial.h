// Polynomials with integer coefficients over numbered integer variables: the normal form in which
// the rule prover keeps its facts.
#ifndef AFFIRM_VERIFY_RULES_POLYNOMIAL_H_
#define AFFIRM_VERIFY_RULES_POLYNOMIAL_H_

#include <map>
#include <optional>
#include <vector>

#include "core/symbolic/checked.h"

namespace affirm::rules {

// A product of variables, ascending, with repetition. Empty: 1.
using Monomial = std::vector<int>;

Monomial Product(const Monomial& a, const Monomial& b);
// a / b, when b divides a.
std::optional<Monomial> Quotient(const Monomial& a, const Monomial& b);
// Fewer variables first, then in order.
bool BySize(const Monomial& a, const Monomial& b);
// Every monomial other than 1 that divides `m`, `m` included, by size and then in order.
std::vector<Monomial> Divisors(const Monomial& m);

// An arithmetic overflow, or a polynomial that grows past the limits, makes the polynomial
// `Broken`; that spreads through every operation, and the prover then answers "unknown".
class Poly {
 public:
  static constexpr size_t kMaxTerms = 512;
  static constexpr size_t kMaxDegree = 12;
  static constexpr int128 kMaxCoefficient = int128{1} << 120;

  Poly() = default;
  explicit Poly(int128 constant) { Add({}, constant); }
  static Poly Variable(int v);
  static Poly Of(const Monomial& m, int128 coefficient = 1);

  bool broken() const { return broken_; }
  void Break() { broken_ = true; }
  const std::map<Monomial, int128>& terms() const { return terms_; }
  bool IsZero() const { return terms_.empty(); }
  // The value, when no variable occurs.
  std::optional<int128> AsConstant() const;
  int128 constant() const;
  // The one term, when there is exactly one.
  const std::pair<const Monomial, int128>* SingleTerm() const;
  size_t degree() const;
  bool Uses(int v) const;
  // The coefficient of `v` when `v` occurs as a linear term and nowhere else; else 0.
  int128 LinearCoefficient(int v) const;

  void Add(const Monomial& m, int128 coefficient);
  Poly operator+(const Poly& o) const;
  Poly operator-(const Poly& o) const;
  Poly operator-() const { return Poly() - *this; }
  Poly operator*(const Poly& o) const;
  Poly Substitute(int v, const Poly& by) const;
  // The part whose monomials contain `m`, divided by it.
  Poly QuotientBy(const Monomial& m) const;
  // Divides the coefficients of the variables by their common divisor and rounds the constant up
  // (for p >= 0) or checks it (for p == 0: false when p can't be zero).
  bool Tighten(bool equality);

  friend bool operator==(const Poly&, const Poly&) = default;
  friend bool operator<(const Poly& a, const Poly& b) { return a.terms_ < b.terms_; }

 private:
  std::map<Monomial, int128> terms_;
  bool broken_ = false;
};

}  // namespace affirm::rules

#endif  // AFFIRM_VERIFY_RULES_POLYNOMIAL_H_
