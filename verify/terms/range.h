// Interval arithmetic in 128 bits. An end that overflows becomes infinite.
#ifndef AFFIRM_VERIFY_TERMS_RANGE_H_
#define AFFIRM_VERIFY_TERMS_RANGE_H_

#include "verify/terms/term.h"

namespace affirm::terms {

inline constexpr Int128 kMinusInfinity = -kInfinity - 1;
inline bool IsInfinite(Int128 v) { return v == kInfinity || v == kMinusInfinity; }

// floor(a / b) for b > 0.
inline Int128 FloorDiv(Int128 a, Int128 b) {
  Int128 q = a / b;
  return q * b > a ? q - 1 : q;
}

// Saturating arithmetic on ends of ranges, where infinity stays infinity.
Int128 AddEnds(Int128 a, Int128 b);
Int128 ScaleEnd(Int128 a, Int128 factor);

Range Add(Range a, Range b);
Range Scale(Range a, Int128 factor);
Range Multiply(Range a, Range b);
Range Quotient(Range a, Int128 divisor);  // divisor > 0
Range Max(Range a, Range b);
Range Union(Range a, Range b);
Range Intersect(Range a, Range b);

// The greatest common divisor, at least 0; gcd(0, 0) = 0.
Int128 Gcd(Int128 a, Int128 b);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_RANGE_H_
