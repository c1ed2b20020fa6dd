#include "verify/terms/machine.h"

#include <optional>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "verify/terms/possible_bits.h"
#include "verify/terms/range.h"

namespace affirm::terms {

namespace {

// An `and` with a mask of more runs of ones stays an uninterpreted operation.
constexpr size_t kMostRuns = 16;

bool Inside(Range inner, Int128 lo, Int128 hi) { return inner.lo >= lo && inner.hi <= hi; }

bool IsUnsigned(Scope& scope, Term a, int64_t width) {
  return Inside(scope.RangeOf(a), 0, PowerOfTwo(width) - 1);
}

bool IsSigned(Scope& scope, Term a, int64_t width) {
  return Inside(scope.RangeOf(a), -PowerOfTwo(width - 1), PowerOfTwo(width - 1) - 1);
}

// An arbitrary integer, for widths without a type or beyond kWidest.
Term UnknownOf(Scope& scope, int64_t width) {
  if (width > kWidest) return scope.pool().Unknown(kAnything);
  return scope.pool().Unknown({-PowerOfTwo(width - 1), PowerOfTwo(width - 1) - 1});
}

// The uninterpreted operation on values.
Term Opaque(Scope& scope, Op op, Term a, Term b, int64_t width) {
  hlo::PrimitiveType type = IntegerType(width);
  if (type == hlo::PrimitiveType::kInvalid) return UnknownOf(scope, width);
  Pool& pool = scope.pool();
  return pool.IntegerOf(pool.Apply(op, type, {pool.OfInteger(a, type), pool.OfInteger(b, type)}));
}

Term Odd(Scope& scope, Term a) {
  return scope.pool().Not(scope.pool().IsZero(scope.Residue(a, 2)));
}

// a & mask, as differences of residues; nullopt where the mask has too many runs of ones.
std::optional<Term> Masked(Scope& scope, Term a, Int128 mask, int64_t width) {
  Pool& pool = scope.pool();
  // A run of ones [first, end) selects a mod 2^end - a mod 2^first. Modulo 2^width, a is itself.
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

// The condition that an integer in [0, 1] is 1; null for other integers.
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

// The `and` (`all`) or `or` of two integers in [0, 1], such as predicates in bytes; else null.
Term OfPredicates(Scope& scope, Term a, Term b, bool all) {
  Term one = IsOne(scope, a), other = one ? IsOne(scope, b) : nullptr;
  if (!other) return nullptr;
  Pool& pool = scope.pool();
  return scope.Pick(all ? pool.And({one, other}) : pool.Or({one, other}), pool.Number(1),
                    pool.Number(0));
}

// a & b as an integer term, where there is one.
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

// The constant value of the shift amount `b`, if it is below the width.
std::optional<int64_t> ShiftOf(Scope& scope, Term b, int64_t width) {
  auto number = NumberOf(scope, b, width);
  if (!number || *number >= width) return std::nullopt;
  return static_cast<int64_t>(*number);
}

// Whether the shift amount is always the width or more.
bool ShiftsOut(Scope& scope, Term b, int64_t width) {
  return width <= kWidest && scope.RangeOf(Unsigned(scope, b, width)).lo >= width;
}

// Division toward zero of a mathematical integer, not of a representative.
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
  // A negative signed representative is larger than the others as an unsigned integer.
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

// Null for operations without an integer term.
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
