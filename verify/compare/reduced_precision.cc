#include "verify/compare/reduced_precision.h"

#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::compare {

using terms::Int128;
using terms::Term;

Term ReducedByBits(terms::Scope& scope, Term value, int64_t exponent_bits, int64_t mantissa_bits) {
  terms::Pool& pool = scope.pool();
  const int64_t width = hlo::BitWidth(value->type);
  const int64_t mantissa = width == 32 ? 23 : 52, exponent = width - 1 - mantissa;
  const hlo::PrimitiveType integer = terms::IntegerType(width);
  auto power = [](int64_t k) { return Int128{1} << k; };
  auto number = [&](Int128 n) { return pool.Number(n); };
  auto mask = [&](Term a, Int128 bits) { return terms::And(scope, a, number(bits), width); };
  auto value_of = [&](Term bits) {
    return terms::WithBits(pool, pool.OfInteger(bits, integer), value->type);
  };
  const Int128 infinity = (power(exponent) - 1) * power(mantissa);

  Term original = pool.IntegerOf(terms::WithBits(pool, value, integer)), bits = original;
  auto with_sign = [&](Term of) { return mask(of, power(width - 1)); };
  if (const int64_t drop = mantissa - mantissa_bits; drop > 0) {
    Term last = mask(terms::ShiftRightLogical(scope, bits, number(drop), width), 1);
    Term half = pool.Add(last, number(power(drop - 1) - 1));
    Term rounded = terms::Congruent(pool, pool.Add(bits, half), width);
    bits = mask(rounded, power(width) - power(drop));
  }
  if (exponent_bits < exponent) {
    const Int128 bias = power(exponent - 1) - 1, narrow = power(exponent_bits - 1) - 1;
    Term of_exponent = mask(bits, infinity), sign = with_sign(bits);
    Term above =
        terms::UnsignedLess(scope, number((bias + narrow) * power(mantissa)), of_exponent, width);
    Term beyond =
        terms::UnsignedLess(scope, number((bias - narrow) * power(mantissa)), of_exponent, width);
    Term end = terms::Or(scope, sign, number(infinity), width);
    bits = scope.Pick(pool.Not(beyond), sign, scope.Pick(above, end, bits));
  }
  Term nan = pool.Not(pool.Holds(terms::CompareFloats(pool, "EQ", false, value, value)));
  Term of_nan = value;
  if (mantissa_bits == 0)
    of_nan = value_of(terms::Or(scope, with_sign(original), number(infinity), width));
  return scope.Select(nan, of_nan, value_of(bits));
}

}  // namespace affirm::compare
