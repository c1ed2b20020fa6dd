// Closed intervals of integers with infinite ends.
//
// An end equal to the int64 limit stands for infinity: a bound that is computed beyond int64, or
// given as the limit itself, is treated as "nothing known on that side". That is sound wherever an
// interval is an over-approximation of the values a term takes.
#ifndef AFFIRM_CORE_SYMBOLIC_INTERVAL_H_
#define AFFIRM_CORE_SYMBOLIC_INTERVAL_H_

#include <cstdint>
#include <optional>
#include <string>

#include "core/symbolic/checked.h"

namespace affirm {

struct Interval {
  int64_t lower = kInt64Min;
  int64_t upper = kInt64Max;

  static constexpr Interval All() { return {kInt64Min, kInt64Max}; }
  static constexpr Interval Empty() { return {0, -1}; }
  static constexpr Interval Point(int64_t v) { return {v, v}; }

  bool HasLower() const { return lower != kInt64Min; }
  bool HasUpper() const { return upper != kInt64Max; }
  bool IsBounded() const { return HasLower() && HasUpper(); }
  bool IsEmpty() const { return lower > upper; }
  // True when the interval is one known value (never for an infinite end).
  bool IsPoint() const { return lower == upper && IsBounded(); }
  bool IsPointOrEmpty() const { return lower >= upper && IsBounded(); }
  bool Contains(int64_t v) const { return lower <= v && v <= upper; }
  // For a value of any size: an infinite end admits everything on its side.
  bool ContainsWide(int128 v) const {
    return (!HasLower() || v >= lower) && (!HasUpper() || v <= upper);
  }
  // True when every value of this interval is proved to lie in [lo, hi]. An infinite end of this
  // interval is in no finite bound; an infinite end of `other` admits everything on that side.
  bool Within(Interval other) const;
  // The number of values, or nullopt when infinite or beyond int64. 0 when empty.
  std::optional<int64_t> Count() const;

  Interval Intersect(Interval other) const;
  // The smallest interval that contains both.
  Interval Hull(Interval other) const;

  friend bool operator==(const Interval&, const Interval&) = default;
  // "[0, 9]"; infinite ends print as the int64 limits, which read back.
  std::string ToString() const;
};

// Whether no end is within 2^62 of a limit of int64, so that none is infinite and sums are exact.
inline bool AreSmall(Interval a, Interval b) {
  constexpr uint64_t kShift = uint64_t{1} << 62;
  auto shifted = [](int64_t v) { return static_cast<uint64_t>(v) + kShift; };
  return ((shifted(a.lower) | shifted(a.upper) | shifted(b.lower) | shifted(b.upper)) >> 63) == 0;
}

// Ranges of the operators over operands that lie in `a` and `b`. Each result contains every value
// that the operator takes; empty operands give an empty result. Ends beyond int64 become infinite.
Interval AddWide(Interval a, Interval b);  // the sum of any two, out of line
inline Interval operator+(Interval a, Interval b) {
  if (!AreSmall(a, b) || a.IsEmpty() || b.IsEmpty()) return AddWide(a, b);
  return {a.lower + b.lower, a.upper + b.upper};
}
Interval operator-(Interval a);
Interval operator-(Interval a, Interval b);
Interval operator*(Interval a, Interval b);
// The divisor's range must exclude zero; otherwise the result is All().
Interval FloorDivWide(Interval a, Interval b);  // the quotient of any two, out of line
inline Interval FloorDiv(Interval a, Interval b) {
  // The usual case: a bounded numerator over a positive constant.
  bool usual = b.lower == b.upper && b.lower > 0 && a.IsBounded() && !a.IsEmpty();
  if (!usual) return FloorDivWide(a, b);
  return {FloorDivUnchecked(a.lower, b.lower), FloorDivUnchecked(a.upper, b.lower)};
}
Interval CeilDiv(Interval a, Interval b);
// `m` must be positive throughout; otherwise the result is All().
Interval Mod(Interval a, Interval m);
Interval Min(Interval a, Interval b);
Interval Max(Interval a, Interval b);

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_INTERVAL_H_
