// Interval arithmetic in 128 bits, with infinite ends.
#include "core/symbolic/interval.h"

#include <algorithm>

namespace affirm {
namespace {

// An end of an interval in a domain where infinities have room: |finite| <= 2^63 < kInf.
constexpr int128 kInf = int128{1} << 100;

int128 WideLower(Interval a) { return a.HasLower() ? int128{a.lower} : -kInf; }
int128 WideUpper(Interval a) { return a.HasUpper() ? int128{a.upper} : kInf; }

// Back to int64: what leaves it becomes infinite on that side. A lower end above int64 (or an upper
// end below) still bounds the value; the int64 limit is the tightest that can be stated.
Interval Clamp(int128 lower, int128 upper) {
  Interval r;
  r.lower =
      lower < kInt64Min ? kInt64Min : static_cast<int64_t>(std::min<int128>(lower, kInt64Max - 1));
  r.upper =
      upper > kInt64Max ? kInt64Max : static_cast<int64_t>(std::max<int128>(upper, kInt64Min + 1));
  return r;
}

int128 MulEnds(int128 a, int128 b) {
  if (a == 0 || b == 0) return 0;
  bool inf = a == kInf || a == -kInf || b == kInf || b == -kInf;
  if (inf) return (a < 0) == (b < 0) ? kInf : -kInf;
  return a * b;
}

// a / b rounded down (or up), for b != 0; infinite operands give their limits.
int128 DivEnds(int128 a, int128 b, bool ceil) {
  bool inf_a = a == kInf || a == -kInf;
  bool inf_b = b == kInf || b == -kInf;
  if (inf_a) return (a < 0) == (b < 0) ? kInf : -kInf;
  if (inf_b) {
    // A value of any size over an unbounded divisor: next to zero, on the side of the signs.
    bool negative = a != 0 && (a < 0) != (b < 0);
    bool positive = a != 0 && !negative;
    if (ceil) return positive ? 1 : 0;
    return negative ? -1 : 0;
  }
  return ceil ? CeilDivUnchecked<int128>(a, b) : FloorDivUnchecked<int128>(a, b);
}

Interval Divide(Interval a, Interval b, bool ceil) {
  if (a.IsEmpty() || b.IsEmpty()) return Interval::Empty();
  // The usual case: a bounded numerator over a positive constant.
  if (b.lower == b.upper && b.lower > 0 && a.IsBounded()) {
    if (ceil) return {CeilDivUnchecked(a.lower, b.lower), CeilDivUnchecked(a.upper, b.lower)};
    return {FloorDivUnchecked(a.lower, b.lower), FloorDivUnchecked(a.upper, b.lower)};
  }
  if (b.lower <= 0 && b.upper >= 0) return Interval::All();
  // Monotone in each argument while the divisor keeps its sign, so the corners bound it.
  int128 lo = kInf, hi = -kInf;
  for (int128 x : {WideLower(a), WideUpper(a)}) {
    for (int128 y : {WideLower(b), WideUpper(b)}) {
      int128 q = DivEnds(x, y, ceil);
      lo = std::min(lo, q);
      hi = std::max(hi, q);
    }
  }
  return Clamp(lo, hi);
}

}  // namespace

bool Interval::Within(Interval o) const {
  if (IsEmpty()) return true;
  bool low = !o.HasLower() || (HasLower() && lower >= o.lower);
  bool high = !o.HasUpper() || (HasUpper() && upper <= o.upper);
  return low && high;
}

std::optional<int64_t> Interval::Count() const {
  if (IsEmpty()) return 0;
  if (!IsBounded()) return std::nullopt;
  return Narrow(int128{upper} - lower + 1);
}

Interval Interval::Intersect(Interval o) const {
  return {std::max(lower, o.lower), std::min(upper, o.upper)};
}

Interval Interval::Hull(Interval o) const {
  if (IsEmpty()) return o;
  if (o.IsEmpty()) return *this;
  return {std::min(lower, o.lower), std::max(upper, o.upper)};
}

std::string Interval::ToString() const {
  return "[" + std::to_string(lower) + ", " + std::to_string(upper) + "]";
}

Interval AddWide(Interval a, Interval b) {
  if (a.IsEmpty() || b.IsEmpty()) return Interval::Empty();
  return Clamp(a.HasLower() && b.HasLower() ? int128{a.lower} + b.lower : -kInf,
               a.HasUpper() && b.HasUpper() ? int128{a.upper} + b.upper : kInf);
}

Interval operator-(Interval a) {
  if (a.IsEmpty()) return Interval::Empty();
  return Clamp(-WideUpper(a), -WideLower(a));
}

Interval operator-(Interval a, Interval b) { return a + -b; }

Interval operator*(Interval a, Interval b) {
  if (a.IsEmpty() || b.IsEmpty()) return Interval::Empty();
  // The usual case: a constant times a bounded interval.
  if (a.lower == a.upper && AreSmall(a, b)) {
    int64_t x, y;
    if (!__builtin_mul_overflow(a.lower, b.lower, &x) &&
        !__builtin_mul_overflow(a.lower, b.upper, &y)) {
      const Interval r{std::min(x, y), std::max(x, y)};
      if (r.IsBounded()) return r;
    }
  }
  int128 lo = kInf, hi = -kInf;
  for (int128 x : {WideLower(a), WideUpper(a)}) {
    for (int128 y : {WideLower(b), WideUpper(b)}) {
      int128 p = MulEnds(x, y);
      lo = std::min(lo, p);
      hi = std::max(hi, p);
    }
  }
  return Clamp(lo, hi);
}

Interval FloorDivWide(Interval a, Interval b) { return Divide(a, b, /*ceil=*/false); }
Interval CeilDiv(Interval a, Interval b) { return Divide(a, b, /*ceil=*/true); }

Interval Mod(Interval a, Interval m) {
  if (a.IsEmpty() || m.IsEmpty()) return Interval::Empty();
  if (!m.HasLower() || m.lower <= 0) return Interval::All();
  if (m.IsPoint() && a.IsBounded()) {
    if (a.lower >= 0 && a.upper < m.lower) return a;
    // Within one period the residue moves with the value.
    int64_t period = FloorDivUnchecked(a.lower, m.lower);
    if (period == FloorDivUnchecked(a.upper, m.lower)) {
      return {ModUnchecked(a.lower, m.lower), ModUnchecked(a.upper, m.lower)};
    }
  }
  Interval r{0, m.HasUpper() ? m.upper - 1 : kInt64Max};
  // A nonnegative value is never smaller than its residue.
  if (a.HasLower() && a.lower >= 0) r.upper = std::min(r.upper, a.upper);
  return r;
}

Interval Min(Interval a, Interval b) {
  if (a.IsEmpty() || b.IsEmpty()) return Interval::Empty();
  return {std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
}

Interval Max(Interval a, Interval b) {
  if (a.IsEmpty() || b.IsEmpty()) return Interval::Empty();
  return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
}

}  // namespace affirm
