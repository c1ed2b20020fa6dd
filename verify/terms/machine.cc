#include "verify/terms/machine.h"

#include <optional>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "verify/terms/range.h"

namespace affirm::terms {

namespace {

// Integers of more bits have no term: what is computed of them is unknown.
constexpr int64_t kWidest = 120;
// A mask of more runs of ones stays an operation.
constexpr size_t kMostRuns = 16;

Int128 PowerOfTwo(int64_t exponent) { return Int128{1} << exponent; }

Int128 Modulo(Int128 a, Int128 m) { return a - FloorDiv(a, m) * m; }

// The number modulo 2^width, if the term is one here.
std::optional<Int128> NumberOf(Scope& scope, Term a, int64_t width) {
  if (width > kWidest) return std::nullopt;
  Range range = scope.RangeOf(a);
  if (!range.single() || IsInfinite(range.lo)) return std::nullopt;
  return Modulo(range.lo, PowerOfTwo(width));
}

bool Inside(Range inner, Int128 lo, Int128 hi) { return inner.lo >= lo && inner.hi <= hi; }

bool IsUnsigned(Scope& scope, Term a, int64_t width) {
  return Inside(scope.RangeOf(a), 0, PowerOfTwo(width) - 1);
}

bool IsSigned(Scope& scope, Term a, int64_t width) {
  return Inside(scope.RangeOf(a), -PowerOfTwo(width - 1), PowerOfTwo(width - 1) - 1);
}

// Of widths that no type has, and of those without a term.
Term UnknownOf(Scope& scope, int64_t width) {
  if (width > kWidest) return scope.pool().Unknown(kAnything);
  return scope.pool().Unknown({-PowerOfTwo(width - 1), PowerOfTwo(width - 1) - 1});
}

// The operation on values.
Term Opaque(Scope& scope, Op op, Term a, Term b, int64_t width) {
  hlo::PrimitiveType type = IntegerType(width);
  if (type == hlo::PrimitiveType::kInvalid) return UnknownOf(scope, width);
  Pool& pool = scope.pool();
  return pool.IntegerOf(pool.Apply(op, type, {pool.OfInteger(a, type), pool.OfInteger(b, type)}));
}

Term Odd(Scope& scope, Term a) {
  return scope.pool().Not(scope.pool().IsZero(scope.Residue(a, 2)));
}

// The bits of a that are ones in the mask.
std::optional<Term> Masked(Scope& scope, Term a, Int128 mask, int64_t width) {
  Pool& pool = scope.pool();
  // Residues of a at the ends of the runs of ones; that at the width is a itself.
  Term result = pool.Number(0);
  size_t runs = 0;
  for (int64_t bit = 0; bit < width;) {
    if ((mask >> bit & 1) == 0) {
      ++bit;
      continue;
    }
    int64_t first = bit;
    while (bit < width && (mask >> bit & 1) != 0) ++bit;
    if (++runs > kMostRuns) return std::nullopt;
    Term upper = bit == width ? a : scope.Residue(a, PowerOfTwo(bit));
    Term lower = first == 0 ? pool.Number(0) : scope.Residue(a, PowerOfTwo(first));
    result = pool.Add(result, pool.Subtract(upper, lower));
  }
  return result;
}

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

// The bits that may be ones in a, modulo 2^width.
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

// Whether the integer, which is 0 or 1, is 1; null for others.
Term IsOne(Scope& scope, Term a) {
  if (!Inside(scope.RangeOf(a), 0, 1)) return nullptr;
  Pool& pool = scope.pool();
  auto is = [](Term t, Int128 number) { return t->IsNumber() && t->number == number; };
  if (a->kind == Kind::kPick && is(a->args[1], 1) && is(a->args[2], 0)) return a->args[0];
  if (a->kind == Kind::kPick && is(a->args[1], 0) && is(a->args[2], 1)) return pool.Not(a->args[0]);
  if (a->kind == Kind::kInteger && a->args[0]->type == hlo::PrimitiveType::kPred)
    return pool.Holds(a->args[0]);
  return pool.Not(pool.IsZero(a));
}

// "and", or "or", of two integers that are 0 or 1, which a predicate in a byte is; null for others.
Term OfPredicates(Scope& scope, Term a, Term b, bool all) {
  Term one = IsOne(scope, a), other = one ? IsOne(scope, b) : nullptr;
  if (!other) return nullptr;
  Pool& pool = scope.pool();
  return scope.Pick(all ? pool.And({one, other}) : pool.Or({one, other}), pool.Number(1),
                    pool.Number(0));
}

// a and b as bits, where that is an integer term.
std::optional<Term> AndTerm(Scope& scope, Term a, Term b, int64_t width) {
  Pool& pool = scope.pool();
  if (width > kWidest) return std::nullopt;
  if (a == b) return a;
  auto na = NumberOf(scope, a, width), nb = NumberOf(scope, b, width);
  if (na && nb) return pool.Number(*na & *nb);
  if (na) return Masked(scope, b, *na, width);
  if (nb) return Masked(scope, a, *nb, width);
  if (width == 1) {
    return scope.Pick(pool.And({Odd(scope, a), Odd(scope, b)}), pool.Number(1), pool.Number(0));
  }
  if ((PossibleBits(scope, a, width) & PossibleBits(scope, b, width)) == 0) return pool.Number(0);
  return std::nullopt;
}

// The shift that `b` is, if it is one number below the width.
std::optional<int64_t> ShiftOf(Scope& scope, Term b, int64_t width) {
  auto number = NumberOf(scope, b, width);
  if (!number || *number >= width) return std::nullopt;
  return static_cast<int64_t>(*number);
}

// Whether it is a shift by the width or more, of which no bit is left.
bool ShiftsOut(Scope& scope, Term b, int64_t width) {
  return width <= kWidest && scope.RangeOf(Unsigned(scope, b, width)).lo >= width;
}

// The quotient toward zero of integers, not of residues.
Term TowardZero(Scope& scope, Term a, Int128 divisor) {
  Pool& pool = scope.pool();
  if (divisor < 0) return pool.Scale(TowardZero(scope, a, -divisor), -1);
  Range range = scope.RangeOf(a);
  if (range.lo >= 0) return scope.Quotient(a, divisor);
  Term negative = pool.Scale(scope.Quotient(pool.Scale(a, -1), divisor), -1);
  if (range.hi <= 0) return negative;
  return scope.Pick(pool.AtLeastZero(a), scope.Quotient(a, divisor), negative);
}

}  // namespace

Term Signed(Scope& scope, Term a, int64_t width) {
  if (width > kWidest) return UnknownOf(scope, width);
  if (IsSigned(scope, a, width)) return a;
  Pool& pool = scope.pool();
  Int128 half = PowerOfTwo(width - 1);
  a = Congruent(pool, a, width);
  Term wraps = scope.Quotient(pool.Add(a, pool.Number(half)), half * 2);
  return pool.Subtract(a, pool.Scale(wraps, half * 2));
}

Term Unsigned(Scope& scope, Term a, int64_t width) {
  if (width > kWidest) return UnknownOf(scope, width);
  if (IsUnsigned(scope, a, width)) return a;
  return scope.Residue(Congruent(scope.pool(), a, width), PowerOfTwo(width));
}

Term Congruent(Pool& pool, Term a, int64_t width) {
  if (width > kWidest || a->kind != Kind::kSum) return a;
  Int128 half = PowerOfTwo(width - 1);
  auto wrap = [&](Int128 v) { return v - FloorDiv(v + half, half * 2) * half * 2; };
  auto large = [&](Int128 v) { return v < -half || v >= half; };
  bool any = large(a->number);
  for (const Monomial& m : a->sum) any |= large(m.coefficient);
  if (!any) return a;
  llvm::SmallVector<Monomial, 8> reduced;
  for (const Monomial& m : a->sum) reduced.push_back({wrap(m.coefficient), m.atom});
  return pool.Sum(wrap(a->number), reduced);
}

Term SignedLess(Scope& scope, Term a, Term b, int64_t width) {
  Pool& pool = scope.pool();
  return pool.Not(pool.AtLeast(Signed(scope, a, width), Signed(scope, b, width)));
}

Term UnsignedLess(Scope& scope, Term a, Term b, int64_t width) {
  Pool& pool = scope.pool();
  if (width > kWidest) return pool.Not(pool.AtLeastZero(UnknownOf(scope, width)));
  bool as_signed = IsSigned(scope, a, width) && IsSigned(scope, b, width);
  if ((IsUnsigned(scope, a, width) && IsUnsigned(scope, b, width)) || !as_signed) {
    return pool.Not(pool.AtLeast(Unsigned(scope, a, width), Unsigned(scope, b, width)));
  }
  // As unsigned integers, negative ones come after all others.
  auto decided = [&](Term condition) {
    auto known = scope.Decide(condition);
    return !known ? condition : *known ? pool.True() : pool.False();
  };
  Term pa = decided(pool.AtLeastZero(a)), pb = decided(pool.AtLeastZero(b));
  Term na = pool.Not(pa), nb = pool.Not(pb), less = pool.Not(pool.AtLeast(a, b));
  if (pa == pool.True()) return pool.Or({nb, less});
  if (pb == pool.True()) return pool.And({pa, less});
  if (pa == pool.False()) return pool.And({nb, less});
  if (pb == pool.False()) return pool.Or({pa, less});
  return pool.Or({pool.And({pa, nb}), pool.And({pa, pb, less}), pool.And({na, nb, less})});
}

Term MachineEqual(Scope& scope, Term a, Term b, int64_t width) {
  Pool& pool = scope.pool();
  if (a == b) return pool.True();
  if (width > kWidest) return pool.IsZero(UnknownOf(scope, width));
  Range difference = scope.RangeOf(pool.Subtract(a, b));
  if (Inside(difference, 1 - PowerOfTwo(width), PowerOfTwo(width) - 1)) return pool.Equal(a, b);
  return pool.Equal(Signed(scope, a, width), Signed(scope, b, width));
}

Term DivideSigned(Scope& scope, Term a, Term b, int64_t width) {
  auto divisor = NumberOf(scope, b, width);
  if (!divisor) return Opaque(scope, Op::kDivide, a, b, width);
  if (*divisor == 0) return scope.pool().Number(-1);
  if (*divisor >= PowerOfTwo(width - 1)) *divisor -= PowerOfTwo(width);
  return TowardZero(scope, Signed(scope, a, width), *divisor);
}

Term RemainderSigned(Scope& scope, Term a, Term b, int64_t width) {
  auto divisor = NumberOf(scope, b, width);
  if (!divisor) return Opaque(scope, Op::kRemainder, a, b, width);
  if (*divisor == 0) return a;
  if (*divisor >= PowerOfTwo(width - 1)) *divisor -= PowerOfTwo(width);
  Term dividend = Signed(scope, a, width);
  Pool& pool = scope.pool();
  return pool.Subtract(dividend, pool.Scale(TowardZero(scope, dividend, *divisor), *divisor));
}

Term DivideUnsigned(Scope& scope, Term a, Term b, int64_t width) {
  auto divisor = NumberOf(scope, b, width);
  if (!divisor) return Opaque(scope, Op::kDivideUnsigned, a, b, width);
  if (*divisor == 0) return scope.pool().Number(-1);
  return scope.Quotient(Unsigned(scope, a, width), *divisor);
}

Term RemainderUnsigned(Scope& scope, Term a, Term b, int64_t width) {
  auto divisor = NumberOf(scope, b, width);
  if (!divisor) return Opaque(scope, Op::kRemainderUnsigned, a, b, width);
  if (*divisor == 0) return a;
  // A power of two divides 2^width: the residue needs no wrap.
  if ((*divisor & (*divisor - 1)) == 0) return scope.Residue(a, *divisor);
  return scope.Residue(Unsigned(scope, a, width), *divisor);
}

Term And(Scope& scope, Term a, Term b, int64_t width) {
  if (auto term = AndTerm(scope, a, b, width)) return *term;
  if (Term predicate = OfPredicates(scope, a, b, /*all=*/true)) return predicate;
  return Opaque(scope, Op::kAnd, a, b, width);
}

Term Or(Scope& scope, Term a, Term b, int64_t width) {
  Pool& pool = scope.pool();
  auto both = AndTerm(scope, a, b, width);
  if (!both) {
    Term predicate = OfPredicates(scope, a, b, /*all=*/false);
    return predicate ? predicate : Opaque(scope, Op::kOr, a, b, width);
  }
  return pool.Subtract(pool.Add(a, b), *both);
}

Term Xor(Scope& scope, Term a, Term b, int64_t width) {
  Pool& pool = scope.pool();
  auto both = AndTerm(scope, a, b, width);
  if (!both) return Opaque(scope, Op::kXor, a, b, width);
  return pool.Subtract(pool.Add(a, b), pool.Scale(*both, 2));
}

Term ShiftLeft(Scope& scope, Term a, Term b, int64_t width) {
  auto shift = ShiftOf(scope, b, width);
  if (!shift && ShiftsOut(scope, b, width)) return scope.pool().Number(0);
  if (!shift) return Opaque(scope, Op::kShiftLeft, a, b, width);
  return Congruent(scope.pool(), scope.pool().Scale(a, PowerOfTwo(*shift)), width);
}

Term ShiftRightLogical(Scope& scope, Term a, Term b, int64_t width) {
  auto shift = ShiftOf(scope, b, width);
  if (!shift && ShiftsOut(scope, b, width)) return scope.pool().Number(0);
  if (!shift) return Opaque(scope, Op::kShiftRightLogical, a, b, width);
  return scope.Quotient(Unsigned(scope, a, width), PowerOfTwo(*shift));
}

Term ShiftRightArithmetic(Scope& scope, Term a, Term b, int64_t width) {
  auto shift = ShiftOf(scope, b, width);
  if (!shift && ShiftsOut(scope, b, width))
    return scope.Quotient(Signed(scope, a, width), PowerOfTwo(width - 1));
  if (!shift) return Opaque(scope, Op::kShiftRightArithmetic, a, b, width);
  return scope.Quotient(Signed(scope, a, width), PowerOfTwo(*shift));
}

namespace {

using OnIntegers = Term (*)(Scope&, Term, Term, int64_t);

// Null where it has no such form.
OnIntegers FunctionOf(Op op) {
  switch (op) {
    case Op::kAnd:
      return And;
    case Op::kDivide:
      return DivideSigned;
    case Op::kDivideUnsigned:
      return DivideUnsigned;
    case Op::kOr:
      return Or;
    case Op::kRemainder:
      return RemainderSigned;
    case Op::kRemainderUnsigned:
      return RemainderUnsigned;
    case Op::kShiftLeft:
      return ShiftLeft;
    case Op::kShiftRightArithmetic:
      return ShiftRightArithmetic;
    case Op::kShiftRightLogical:
      return ShiftRightLogical;
    case Op::kXor:
      return Xor;
    default:
      return nullptr;
  }
}

}  // namespace

Term OperationOnIntegers(Scope& scope, const Operation& operation, hlo::PrimitiveType type, Term a,
                         Term b) {
  Pool& pool = scope.pool();
  const OnIntegers function = FunctionOf(operation.op());
  const int64_t width = hlo::IsSignedInt(type) ? hlo::BitWidth(type) : 0;
  if (function == nullptr || width <= 1 || a->type != type || b->type != type)
    return pool.Apply(operation, type, {a, b});
  return pool.OfInteger(function(scope, pool.IntegerOf(a), pool.IntegerOf(b), width), type);
}

hlo::PrimitiveType IntegerType(int64_t width) {
  switch (width) {
    case 1:
      return hlo::PrimitiveType::kPred;
    case 2:
      return hlo::PrimitiveType::kS2;
    case 4:
      return hlo::PrimitiveType::kS4;
    case 8:
      return hlo::PrimitiveType::kS8;
    case 16:
      return hlo::PrimitiveType::kS16;
    case 32:
      return hlo::PrimitiveType::kS32;
    case 64:
      return hlo::PrimitiveType::kS64;
    default:
      return hlo::PrimitiveType::kInvalid;
  }
}

hlo::PrimitiveType TermType(hlo::PrimitiveType type) {
  return hlo::IsInt(type) ? IntegerType(hlo::BitWidth(type)) : type;
}

}  // namespace affirm::terms
