// Arithmetic on intervals whose ends have any size, and on linear forms.
#include "verify/decide/linear_form.h"

#include <algorithm>
#include <utility>

namespace affirm {
namespace {

using End = std::optional<BigInt>;

// The smaller (larger) end; an absent end is the result if `absent_wins`, else the other one is.
End PickEnd(const End& a, const End& b, bool smaller, bool absent_wins) {
  if (!a || !b) {
    if (absent_wins) return std::nullopt;
    return a ? a : b;
  }
  return (*a < *b) == smaller ? a : b;
}

End AddEnds(const End& a, const End& b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

}  // namespace

BigInterval BigInterval::From(Interval i) {
  BigInterval result;
  if (i.HasLower()) result.lower = BigInt(i.lower);
  if (i.HasUpper()) result.upper = BigInt(i.upper);
  return result;
}

BigInterval BigInterval::Intersect(const BigInterval& other) const {
  return {PickEnd(lower, other.lower, /*smaller=*/false, /*absent_wins=*/false),
          PickEnd(upper, other.upper, /*smaller=*/true, /*absent_wins=*/false)};
}

BigInterval operator+(const BigInterval& a, const BigInterval& b) {
  return {AddEnds(a.lower, b.lower), AddEnds(a.upper, b.upper)};
}

BigInterval operator*(const BigInterval& a, const BigInt& c) {
  if (c == 0) return BigInterval::Point(BigInt(0));
  BigInterval result;
  if (a.lower) result.lower = *a.lower * c;
  if (a.upper) result.upper = *a.upper * c;
  if (c < 0) std::swap(result.lower, result.upper);
  return result;
}

BigInterval operator*(const BigInterval& a, const BigInterval& b) {
  if (a.lower && a.upper && b.lower && b.upper) {
    BigInt ends[] = {*a.lower * *b.lower, *a.lower * *b.upper, *a.upper * *b.lower,
                     *a.upper * *b.upper};
    auto [lo, hi] = std::minmax_element(std::begin(ends), std::end(ends));
    return {*lo, *hi};
  }
  // With an infinite end only the common case of two nonnegative factors is bounded.
  if (a.lower && b.lower && *a.lower >= 0 && *b.lower >= 0) {
    return {*a.lower * *b.lower, std::nullopt};
  }
  return {};
}

BigInterval FloorDiv(const BigInterval& a, const BigInt& c) {
  BigInterval result;
  if (a.lower) result.lower = floorDiv(*a.lower, c);
  if (a.upper) result.upper = floorDiv(*a.upper, c);
  return result;
}

BigInterval Min(const BigInterval& a, const BigInterval& b) {
  return {PickEnd(a.lower, b.lower, /*smaller=*/true, /*absent_wins=*/true),
          PickEnd(a.upper, b.upper, /*smaller=*/true, /*absent_wins=*/false)};
}

BigInterval Max(const BigInterval& a, const BigInterval& b) {
  return {PickEnd(a.lower, b.lower, /*smaller=*/false, /*absent_wins=*/false),
          PickEnd(a.upper, b.upper, /*smaller=*/false, /*absent_wins=*/true)};
}

BigInt LinearForm::Coefficient(uint32_t atom) const {
  for (const Term& t : terms) {
    if (t.atom == atom) return t.coefficient;
  }
  return BigInt(0);
}

void LinearForm::Add(uint32_t atom, const BigInt& c) {
  if (c == 0) return;
  auto at = std::lower_bound(terms.begin(), terms.end(), atom,
                             [](const Term& t, uint32_t a) { return t.atom < a; });
  if (at == terms.end() || at->atom != atom) {
    terms.insert(at, {atom, c});
    return;
  }
  at->coefficient += c;
  if (at->coefficient == 0) terms.erase(at);
}

void LinearForm::Add(const LinearForm& other, const BigInt& c) {
  constant += other.constant * c;
  for (const Term& t : other.terms) Add(t.atom, t.coefficient * c);
}

void LinearForm::Scale(const BigInt& c) {
  if (c == 0) terms.clear();
  for (Term& t : terms) t.coefficient *= c;
  constant *= c;
}

LinearForm LinearForm::operator-(const LinearForm& other) const {
  LinearForm result = *this;
  result.Add(other, BigInt(-1));
  return result;
}

bool operator<(const LinearForm& a, const LinearForm& b) {
  if (a.terms.size() != b.terms.size()) return a.terms.size() < b.terms.size();
  for (size_t i = 0; i < a.terms.size(); ++i) {
    if (a.terms[i].atom != b.terms[i].atom) return a.terms[i].atom < b.terms[i].atom;
    if (a.terms[i].coefficient != b.terms[i].coefficient) {
      return a.terms[i].coefficient < b.terms[i].coefficient;
    }
  }
  return a.constant < b.constant;
}

}  // namespace affirm
