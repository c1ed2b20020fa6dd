// Linear forms with integer coefficients of any size over numbered atoms, and intervals with ends
// of any size: 3 * a0 - a2 + 7 has the terms {{0, 3}, {2, -1}} and the constant 7.
#ifndef AFFIRM_VERIFY_DECIDE_LINEAR_FORM_H_
#define AFFIRM_VERIFY_DECIDE_LINEAR_FORM_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/symbolic/any_size.h"
#include "core/symbolic/interval.h"

namespace affirm {

// An interval of integers of any size; an absent end is infinite.
struct BigInterval {
  std::optional<BigInt> lower, upper;

  static BigInterval Point(const BigInt& v) { return {v, v}; }
  // An end of an Interval that is at the limit of int64 is infinite.
  static BigInterval From(Interval i);

  bool IsEmpty() const { return lower && upper && *lower > *upper; }
  bool Excludes(const BigInt& v) const { return (lower && *lower > v) || (upper && *upper < v); }
  BigInterval Intersect(const BigInterval& other) const;
};
BigInterval operator+(const BigInterval& a, const BigInterval& b);
BigInterval operator*(const BigInterval& a, const BigInterval& b);
BigInterval operator*(const BigInterval& a, const BigInt& c);
// floor(a / c) for c > 0.
BigInterval FloorDiv(const BigInterval& a, const BigInt& c);
// The interval that contains min (max) of a value of a and one of b.
BigInterval Min(const BigInterval& a, const BigInterval& b);
BigInterval Max(const BigInterval& a, const BigInterval& b);

// constant + sum of coefficient * atom; terms in increasing order of atoms, no coefficient 0.
struct LinearForm {
  struct Term {
    uint32_t atom;
    BigInt coefficient;
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::vector<Term> terms;
  BigInt constant;

  static LinearForm Constant(const BigInt& c) { return {{}, c}; }
  static LinearForm Atom(uint32_t atom) { return {{{atom, BigInt(1)}}, BigInt(0)}; }

  bool IsConstant() const { return terms.empty(); }
  // The coefficient of an atom; 0 when absent.
  BigInt Coefficient(uint32_t atom) const;
  // this += c * other
  void Add(const LinearForm& other, const BigInt& c);
  // this += c * atom
  void Add(uint32_t atom, const BigInt& c);
  void Scale(const BigInt& c);
  LinearForm operator-(const LinearForm& other) const;

  friend bool operator==(const LinearForm&, const LinearForm&) = default;
};

// A total order, for keys of ordered tables.
bool operator<(const LinearForm& a, const LinearForm& b);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_DECIDE_LINEAR_FORM_H_
