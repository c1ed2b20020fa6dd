// All values that XLA may compute for one element of an array.
#ifndef AFFIRM_VERIFY_ENCLOSURE_ENCLOSURE_H_
#define AFFIRM_VERIFY_ENCLOSURE_ENCLOSURE_H_

#include <cstdint>
#include <string>

#include "core/hlo/shape.h"
#include "verify/enclosure/interval.h"
#include "verify/scalar/scalar.h"

namespace affirm::enclosure {

// Which fields count depends on the type of the element: the real part of floats, both parts of
// complex numbers, the bounds of integers and predicates, as their type orders them.
struct Enclosure {
  Interval real = {}, imaginary = {};
  int64_t lo = 0, hi = 0;

  static Enclosure Of(hlo::PrimitiveType type, const hlo::Scalar& value);
  static Enclosure Whole(hlo::PrimitiveType type);
  static Enclosure Real(const Interval& real) { return {.real = real}; }
  static Enclosure Integers(int64_t lo, int64_t hi) { return {.lo = lo, .hi = hi}; }
};

bool IsPoint(hlo::PrimitiveType type, const Enclosure& a);
// Requires a point.
hlo::Scalar ValueOf(hlo::PrimitiveType type, const Enclosure& a);
inline bool MayBeNaN(const Enclosure& a) { return a.real.nan || a.imaginary.nan; }
bool Contains(hlo::PrimitiveType type, const Enclosure& a, const hlo::Scalar& value);
Enclosure Hull(hlo::PrimitiveType type, const Enclosure& a, const Enclosure& b);
// Whether one value may be in both.
bool Meet(hlo::PrimitiveType type, const Enclosure& a, const Enclosure& b);
// The width of its numbers relative to the largest magnitude of them (of complex numbers, of both
// parts): 0 of a point, 2 where zero lies in the middle; infinity where it is unbounded, or NaN may
// be beside numbers. Of integers that are not a point it is infinity.
double RelativeWidth(hlo::PrimitiveType type, const Enclosure& a);
// "[0.99, 1.01]", "[1, 2] or nan"
std::string ToString(hlo::PrimitiveType type, const Enclosure& a);

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_ENCLOSURE_H_
