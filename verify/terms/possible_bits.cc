// A sum has no carries where its summands have no bit in common. Quotients of one integer are taken
// apart into its digits first.
#include "verify/terms/possible_bits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/terms/range.h"

namespace affirm::terms {

namespace {

Int128 Modulo(Int128 a, Int128 m) { return a - FloorDiv(a, m) * m; }

// A summand: a multiple of an integer in a range.
struct Part {
  Int128 coefficient;
  Range range;
};

// Writes the multiples of x and of its quotients floor(x / m1), floor(x / m2), ..., each divisor
// dividing the next, with the digits of x between them: x mod m1, floor(x / m1) mod (m2 / m1), ...
// These are in no way tied to each other, and each has a range from zero on. `of_x` is the multiple
// of x itself.
bool AddDigits(Scope& scope, Term x, Int128 of_x, llvm::SmallVector<Monomial, 4> quotients,
               llvm::SmallVectorImpl<Part>& parts) {
  llvm::sort(quotients,
             [](const Monomial& a, const Monomial& b) { return a.atom->number < b.atom->number; });
  Int128 divisor = 1, factor = of_x;
  for (size_t i = 0; i <= quotients.size(); ++i) {
    if (i == quotients.size()) {
      // The last quotient is a digit without an end of its own.
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

// The bits that may be ones in a multiple, up to that of its largest value.
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
  // Nothing is carried down: no bits are below the lowest one of all summands.
  Int128 lowest = a->number;
  for (const Monomial& m : a->sum) lowest |= m.coefficient;
  const Int128 from_lowest = all & -(lowest & -lowest);
  // Nothing is carried between summands that have no bit in common, modulo 2^width. One that may be
  // negative, or too large, has all bits from its lowest on.
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
