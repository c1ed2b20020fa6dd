// Polynomials with integer coefficients in numbered atoms (docs/certificates.md, "File format").
#ifndef AFFIRM_TESTS_CERTIFICATE_TWIN_POLYNOMIAL_H_
#define AFFIRM_TESTS_CERTIFICATE_TWIN_POLYNOMIAL_H_

#include <gmpxx.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace twin {

using Integer = mpz_class;
using Atom = uint32_t;
// A product of atoms, in ascending order; the empty one is 1.
using Monomial = std::vector<Atom>;

class Polynomial {
 public:
  Polynomial() = default;
  explicit Polynomial(const Integer& constant) { Add({}, constant); }
  static Polynomial OfAtom(Atom atom);

  // Adds a multiple of a product of atoms, in any order.
  void Add(Monomial atoms, const Integer& coefficient);
  void AddMultiple(const Polynomial& other, const Integer& factor);
  Polynomial operator+(const Polynomial& other) const;
  Polynomial operator-(const Polynomial& other) const;
  Polynomial operator-() const;
  Polynomial operator+(int constant) const;

  bool operator==(const Polynomial& other) const { return terms_ == other.terms_; }
  bool operator<(const Polynomial& other) const { return terms_ < other.terms_; }
  bool IsZero() const { return terms_.empty(); }
  // The value of a polynomial without atoms.
  std::optional<Integer> AsConstant() const;
  // The greatest atom; 0 without any.
  Atom LastAtom() const;

  // Refuses a polynomial that is longer than the steps of a proof may have.
  void ExpectSmall() const;
  // Refuses factors and products that are too long.
  Polynomial Times(const Polynomial& other) const;
  // A quotient by a positive number that divides every coefficient except the constant, which is
  // rounded down.
  Polynomial DividedBy(const Integer& divisor) const;

 private:
  std::map<Monomial, Integer> terms_;  // no coefficient is 0
};

}  // namespace twin

#endif  // AFFIRM_TESTS_CERTIFICATE_TWIN_POLYNOMIAL_H_
