// A sum has no carries if its summands have disjoint bits. Multiples of an integer and its
// quotients are first rewritten as multiples of its digits, which are independent.
#include "verify/terms/possible_bits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/terms/range.h"

namespace affirm::terms {

namespace {

Int128 Modulo(Int128 a, Int128 m) { return a - FloorDiv(a, m) * m; }

// A summand: coefficient times an integer in the range.
struct Part {
  Int128 coefficient;
  Range range;
};

// Rewrites of_x * x plus multiples of floor(x / m1), floor(x / m2), ..., where each divisor divides
// the next, as multiples of the digits of x: x mod m1, floor(x / m1) mod (m2 / m1), ... Digits are
// independent of each other, and each has a range from zero on. False where divisors do not divide
// each other, or a coefficient overflows.
bool AddDigits(Scope& scope, Term x, Int128 of_x, llvm::SmallVector<Monomial, 4> quotients,
               llvm::SmallVectorImpl<Part>& parts) {
  llvm::sort(quotients,
             [](const Monomial& a, const Monomial& b) { return a.atom->number < b.atom->number; });
  Int128 divisor = 1, factor = of_x;
  for (size_t i = 0; i <= quotients.size(); ++i) {
    if (i == quotients.size()) {
      // The last quotient is the leading digit, with no bound but its own range.
      parts.push_back({factor, scope.RangeOf(quotients.empty() ? x : quotients.back().atom)});
      break;
    }
    Int128 next = quotients[i].atom->number;
    if (next % divisor != 0) return false;
    parts.push_back({factor, {0, next / divisor - 1}});
    if (__builtin_mul_overflow(factor, next / divisor, &factor) ||
        __builtin_add_overflow(factor, quotients[i].coefficient, &factor)) {
      return false;
    }
    divisor = next;
  }
  return true;
}

// The sum without its constant as summands.
bool PartsOf(Scope& scope, Term sum, llvm::SmallVectorImpl<Part>& parts) {
  Pool& pool = scope.pool();
  Term rest = pool.Subtract(sum, pool.Number(sum->number));
  while (true) {
    llvm::ArrayRef<Monomial> monomials;
    Monomial single = {1, rest};
    if (rest->kind == Kind::kSum) {
      monomials = rest->sum;
    } else {
      monomials = single;
    }
    const Monomial* quotient =
        llvm::find_if(monomials, [](const Monomial& m) { return m.atom->kind == Kind::kQuotient; });
    if (quotient == monomials.end()) {
      for (const Monomial& m : monomials) parts.push_back({m.coefficient, scope.RangeOf(m.atom)});
      return true;
    }
    Term x = quotient->atom->args[0], first = x->kind == Kind::kSum ? x->sum[0].atom : x;
    Int128 unit = x->kind == Kind::kSum ? x->sum[0].coefficient : 1, of_x = 0;
    llvm::SmallVector<Monomial, 4> quotients, less;
    for (const Monomial& m : monomials) {
      if (m.atom->kind == Kind::kQuotient && m.atom->args[0] == x) {
        quotients.push_back(m);
        less.push_back({-m.coefficient, m.atom});
      } else if (m.atom == first && m.coefficient % unit == 0) {
        of_x = m.coefficient / unit;
      }
    }
    if (!AddDigits(scope, x, of_x, quotients, parts)) return false;
    less.push_back({1, rest});
    less.push_back({-of_x, x});
    rest = pool.Sum(0, less);
    if (rest->kind == Kind::kUnknown || parts.size() > 64) return false;
    if (rest->IsNumber()) return rest->number == 0;
  }
}

// The bits that may be set in a summand: from the lowest bit of its coefficient up to the highest
// bit of its largest value.
Int128 BitsOf(const Part& part, int64_t width) {
  int64_t low = 0, high = width;
  while (low < width && (part.coefficient >> low & 1) == 0) ++low;
  Range range = Scale(part.range, part.coefficient);
  if (range.lo >= 0) {
    while (high > low && range.hi < PowerOfTwo(high - 1)) --high;
  }
  return PowerOfTwo(high) - PowerOfTwo(low);
}

}  // namespace

std::optional<Int128> NumberOf(Scope& scope, Term a, int64_t width) {
  if (width > kWidest) return std::nullopt;
  Range range = scope.RangeOf(a);
  if (!range.single() || IsInfinite(range.lo)) return std::nullopt;
  return Modulo(range.lo, PowerOfTwo(width));
}

Int128 PossibleBits(Scope& scope, Term a, int64_t width) {
  if (auto number = NumberOf(scope, a, width)) return *number;
  Int128 all = PowerOfTwo(width) - 1;
  if (a->kind != Kind::kSum) return BitsOf({1, scope.RangeOf(a)}, width);
  // Carries only go up: no bit below the lowest one of all summands is set.
  Int128 lowest = a->number;
  for (const Monomial& m : a->sum) lowest |= m.coefficient;
  const Int128 from_lowest = all & -(lowest & -lowest);
  // Summands with disjoint bits add without carries. A summand that may be negative, or exceed the
  // width, has all bits from its lowest one on.
  llvm::SmallVector<Part, 8> parts;
  if (a->number < 0 || !PartsOf(scope, a, parts)) return from_lowest;
  Int128 bits = a->number & all;
  for (const Part& part : parts) {
    Range range = Scale(part.range, part.coefficient);
    if (range.single() && range.lo == 0) continue;
    Int128 its = BitsOf(part, width);
    if ((its & bits) != 0) return from_lowest;
    bits |= its;
  }
  return bits;
}

}  // namespace affirm::terms
