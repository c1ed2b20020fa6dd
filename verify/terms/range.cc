#include "verify/terms/range.h"

#include <algorithm>

namespace affirm::terms {

Int128 AddEnds(Int128 a, Int128 b) {
  if (IsInfinite(a)) return a;
  if (IsInfinite(b)) return b;
  Int128 sum;
  if (__builtin_add_overflow(a, b, &sum)) return a > 0 ? kInfinity : kMinusInfinity;
  return sum;
}

Int128 ScaleEnd(Int128 a, Int128 factor) {
  if (a == 0 || factor == 0) return 0;
  bool positive = (a > 0) == (factor > 0);
  Int128 product;
  if (IsInfinite(a) || IsInfinite(factor) || __builtin_mul_overflow(a, factor, &product)) {
    return positive ? kInfinity : kMinusInfinity;
  }
  return product;
}

// A lower end that overflowed upwards, or an upper end that overflowed downwards, is no bound.
static Range Checked(Int128 lo, Int128 hi) {
  return {lo == kInfinity ? kMinusInfinity : lo, hi == kMinusInfinity ? kInfinity : hi};
}

Range Add(Range a, Range b) { return Checked(AddEnds(a.lo, b.lo), AddEnds(a.hi, b.hi)); }

Range Scale(Range a, Int128 factor) {
  Int128 x = ScaleEnd(a.lo, factor), y = ScaleEnd(a.hi, factor);
  return factor >= 0 ? Checked(x, y) : Checked(y, x);
}

Range Multiply(Range a, Range b) {
  Int128 ends[] = {ScaleEnd(a.lo, b.lo), ScaleEnd(a.lo, b.hi), ScaleEnd(a.hi, b.lo),
                   ScaleEnd(a.hi, b.hi)};
  return Checked(*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4));
}

Range Quotient(Range a, Int128 divisor) {
  return {IsInfinite(a.lo) ? a.lo : FloorDiv(a.lo, divisor),
          IsInfinite(a.hi) ? a.hi : FloorDiv(a.hi, divisor)};
}

Range Max(Range a, Range b) { return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)}; }
Range Union(Range a, Range b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }
Range Intersect(Range a, Range b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }

Int128 Gcd(Int128 a, Int128 b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    Int128 r = a % b;
    a = b;
    b = r;
  }
  return a;
}

}  // namespace affirm::terms
