// Polynomials with integer coefficients over numbered integer variables: the normal form in which
// the rule prover keeps its facts. For x = variable 0 and y = variable 1, 3*x*y - 7 is
// {{0, 1}: 3, {}: -7}.
#ifndef AFFIRM_VERIFY_RULES_POLYNOMIAL_H_
#define AFFIRM_VERIFY_RULES_POLYNOMIAL_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/symbolic/any_size.h"
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

BigInt ToInt(int128 v);
std::string ToDecimal(const BigInt& v);

// Every operation is exact, whatever the degree and the coefficients: a polynomial is always what
// it says. How large one may become is for its users to limit, before they multiply.
class Poly {
 public:
  Poly() = default;
  explicit Poly(int128 constant) : Poly(ToInt(constant)) {}
  explicit Poly(const BigInt& constant) { Add({}, constant); }
  static Poly Variable(int v);
  static Poly Of(const Monomial& m, const BigInt& coefficient = BigInt(1));

  const std::map<Monomial, BigInt>& terms() const { return terms_; }
  bool IsZero() const { return terms_.empty(); }
  // The value, when no variable occurs.
  std::optional<BigInt> AsConstant() const;
  BigInt constant() const;
  // The one term, when there is exactly one.
  const std::pair<const Monomial, BigInt>* SingleTerm() const;
  size_t degree() const;
  // Whether it is past the size with which the prover goes on working.
  bool IsLarge() const;
  bool Uses(int v) const;
  // The coefficient of `v` when `v` occurs as a linear term and nowhere else; else 0.
  BigInt LinearCoefficient(int v) const;

  void Add(const Monomial& m, const BigInt& coefficient);
  Poly operator+(const Poly& o) const;
  Poly operator-(const Poly& o) const;
  Poly operator-() const { return Poly() - *this; }
  Poly operator*(const Poly& o) const;
  // The product, unless it may be large.
  std::optional<Poly> SmallProduct(const Poly& o) const;
  // The polynomial with the variable replaced by `by`; and the same, unless it may be large.
  Poly Substitute(int v, const Poly& by) const;
  std::optional<Poly> SmallSubstitute(int v, const Poly& by) const;
  // The part whose monomials contain `m`, divided by it.
  Poly QuotientBy(const Monomial& m) const;
  // Divides the coefficients of the variables by their common divisor and rounds the constant up
  // (for p >= 0) or checks it (for p == 0: false when p can't be zero).
  bool Tighten(bool equality);

  friend bool operator==(const Poly&, const Poly&) = default;
  friend bool operator<(const Poly& a, const Poly& b) { return a.terms_ < b.terms_; }

 private:
  static constexpr size_t kMaxTerms = 512;
  static constexpr size_t kMaxDegree = 12;
  static constexpr int kMaxBits = 256;  // of a coefficient

  std::map<Monomial, BigInt> terms_;
};

}  // namespace affirm::rules

#endif  // AFFIRM_VERIFY_RULES_POLYNOMIAL_H_
