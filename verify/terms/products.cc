// Products and powers of machine integers.
#include <algorithm>

#include "verify/terms/machine.h"

namespace affirm::terms {

namespace {

// Larger products become operations on values.
constexpr size_t kMostSummands = 64, kFactorsForSummand = 16;

// The number of factors of the longest product in a sum.
size_t FactorsIn(Term t) {
  size_t most = std::max<size_t>(t->args.size(), 1);
  for (const Monomial& m : t->sum) most = std::max(most, m.atom->args.size());
  return most;
}

size_t SummandsIn(Term t) {
  return std::max<size_t>(t->sum.size() + (t->sum.empty() || t->number == 0 ? 0 : 1), 1);
}

}  // namespace

Term Product(Scope& scope, Term a, Term b, int64_t width) {
  Pool& pool = scope.pool();
  // Repeated squares and products of sums grow exponentially; other products grow linearly.
  const size_t summands = SummandsIn(a) * SummandsIn(b);
  const bool single = a != b && summands == 1;
  const size_t size = single ? (FactorsIn(a) + FactorsIn(b)) / kFactorsForSummand
                             : FactorsIn(a) * FactorsIn(b) * summands;
  const hlo::PrimitiveType type = IntegerType(width);
  const bool large = !a->IsNumber() && !b->IsNumber() && size > kMostSummands;
  if (!large || type == hlo::PrimitiveType::kInvalid)
    return Congruent(pool, pool.Multiply(a, b), width);
  Term product =
      pool.Apply(Op::kMultiply, type, {pool.OfInteger(a, type), pool.OfInteger(b, type)});
  return pool.IntegerOf(product);
}

Term Power(Scope& scope, Term a, Term b, int64_t width, bool is_signed) {
  Pool& pool = scope.pool();
  Term one = pool.Number(1), minus_one = pool.Number(-1), zero = pool.Number(0);
  auto is_odd = [&](Term bits) {
    return pool.Not(MachineEqual(scope, And(scope, bits, one, width), zero, width));
  };
  Term power = one, square = a, rest = b;
  for (int64_t bit = 0; bit < width; ++bit) {
    power = scope.Pick(is_odd(rest), Product(scope, power, square, width), power);
    square = Product(scope, square, square, width);
    rest = ShiftRightLogical(scope, rest, one, width);
  }
  if (!is_signed) return power;
  Term of_minus_one = scope.Pick(is_odd(b), minus_one, one);
  Term inverse = scope.Pick(MachineEqual(scope, a, minus_one, width), of_minus_one, zero);
  inverse = scope.Pick(MachineEqual(scope, a, one, width), one, inverse);
  return scope.Pick(SignedLess(scope, b, zero, width), inverse, power);
}

}  // namespace affirm::terms
