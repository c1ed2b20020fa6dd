// Do linear inequalities contradict each other over the rationals, and by which multiples?
#ifndef AFFIRM_VERIFY_PROVER_SIMPLEX_H_
#define AFFIRM_VERIFY_PROVER_SIMPLEX_H_

#include <optional>
#include <utility>
#include <vector>

#include "core/symbolic/any_size.h"

namespace affirm::prover {

// A fraction in lowest terms with a positive denominator. Integers, which are most, take a short
// way.
struct Rational {
  BigInt num = BigInt(0), den = BigInt(1);
  Rational() = default;
  Rational(const BigInt& n) : num(n) {}
  Rational(const BigInt& n, const BigInt& d);
  bool IsInteger() const { return den == 1; }
  Rational operator+(const Rational& o) const {
    if (IsInteger() && o.IsInteger()) return {num + o.num};
    return {num * o.den + o.num * den, den * o.den};
  }
  Rational operator-(const Rational& o) const {
    if (IsInteger() && o.IsInteger()) return {num - o.num};
    return {num * o.den - o.num * den, den * o.den};
  }
  Rational operator*(const Rational& o) const {
    if (IsInteger() && o.IsInteger()) return {num * o.num};
    return {num * o.num, den * o.den};
  }
  Rational operator/(const Rational& o) const {
    if (o.num == 1 && o.IsInteger()) return *this;
    return {num * o.den, den * o.num};
  }
  Rational operator-() const {
    Rational opposite = *this;
    opposite.num = -opposite.num;
    return opposite;
  }
  bool operator<(const Rational& o) const {
    if (den == o.den) return num < o.num;
    return num * o.den < o.num * den;
  }
  bool IsZero() const { return num == 0; }
  int Sign() const { return num == 0 ? 0 : num < 0 ? -1 : 1; }
};

// sum(coefficient * x) + constant >= 0, or = 0.
struct LinearFact {
  std::vector<std::pair<int, BigInt>> terms;
  BigInt constant = BigInt(0);
  bool is_equation = false;
};

struct SimplexAnswer {
  bool gave_up = false;
  // Integer multiples of the facts, not negative where a fact is no equation, whose sum is a
  // negative constant (or, of equations alone, one that is not 0). Empty: there is a solution.
  std::vector<std::pair<size_t, BigInt>> contradiction = {};
  std::vector<Rational> solution = {};  // a value for each x
};
// Decides by the simplex method in at most `pivots` steps; x is numbered 0..columns-1.
SimplexAnswer Solve(const std::vector<LinearFact>& facts, int columns, int pivots);

}  // namespace affirm::prover

#endif  // AFFIRM_VERIFY_PROVER_SIMPLEX_H_
