#include "verify/compare/narrowed_values.h"

#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::compare {

using hlo::PrimitiveType;
using terms::Int128;
using terms::Op;
using terms::Term;

namespace {

// Whether converting the integer through f32 rounds once: it is exact in f32, or overflows the
// type. Types other than bf16 and f8e8m0fnu overflow before f32 rounds.
bool RoundsOnce(terms::Scope& scope, Term integer, PrimitiveType to) {
  if (to != PrimitiveType::kBF16 && to != PrimitiveType::kF8E8M0FNU) return true;
  constexpr Int128 kExact = Int128{1} << 24;
  const terms::Range range = scope.RangeOf(scope.pool().IntegerOf(integer));
  return range.lo >= -kExact && range.hi <= kExact;
}

bool IsConversion(Term hlo) {
  return (hlo->op() == Op::kConvert || hlo->op() == Op::kConvertUnsigned) && hlo->args.size() == 1;
}

// Rounds the f64 `exact` to odd in f32. `nearest` is `exact` rounded to nearest: if its magnitude
// is larger, the f32 before it is taken; an inexact result gets its last bit set.
Term RoundedToOdd(terms::Scope& scope, Term exact, Term nearest) {
  terms::Pool& pool = scope.pool();
  Term back = pool.Apply(Op::kConvert, PrimitiveType::kF64, {nearest});
  auto holds = [&](llvm::StringRef direction, Term a, Term b) {
    return pool.Holds(terms::CompareFloats(pool, direction, false, a, b));
  };
  auto magnitude = [&](Term of) { return pool.Apply(Op::kAbs, PrimitiveType::kF64, {of}); };
  Term bits = pool.IntegerOf(terms::WithBits(pool, nearest, PrimitiveType::kS32));
  Term beyond = holds("LT", magnitude(exact), magnitude(back));
  Term toward_zero =
      terms::Congruent(pool, pool.Subtract(bits, pool.IntegerOf(pool.OfCondition(beyond))), 32);
  Term odd = terms::Or(scope, toward_zero, pool.Number(1), 32);
  // NaNs stay unchanged.
  Term lost = pool.And(
      {holds("EQ", back, back), holds("EQ", exact, exact), pool.Not(holds("EQ", back, exact))});
  Term chosen = scope.Pick(lost, odd, bits);
  return terms::WithBits(pool, pool.OfInteger(chosen, PrimitiveType::kS32), PrimitiveType::kF32);
}

// A 64-bit integer that f64 holds exactly, and that rounds to at most 40 bits as `integer` does:
// beyond 2^53 its 11 low bits are cleared, and the next bit becomes sticky if they were not 0.
Term CutOff(terms::Scope& scope, Term integer, bool is_unsigned) {
  constexpr Int128 kExact = Int128{1} << 53, kLow = (Int128{1} << 11) - 1;
  constexpr int64_t kWidth = 64;
  terms::Pool& pool = scope.pool();
  auto masked = [&](Int128 mask) { return terms::And(scope, integer, pool.Number(mask), kWidth); };
  Term lost = pool.Not(terms::MachineEqual(scope, masked(kLow), pool.Number(0), kWidth));
  Term sticky = scope.Pick(lost, pool.Number(kLow + 1), pool.Number(0));
  Term cut = terms::Or(scope, masked(-kLow - 1), sticky, kWidth);
  Term from_zero = integer;
  if (!is_unsigned)
    from_zero = terms::Congruent(pool, pool.Add(integer, pool.Number(kExact)), kWidth);
  Term limit = pool.Number(is_unsigned ? kExact : 2 * kExact);
  return scope.Pick(terms::UnsignedLess(scope, from_zero, limit, kWidth), integer, cut);
}

}  // namespace

bool IsNarrowFloat(PrimitiveType type) { return hlo::IsFloat(type) && hlo::BitWidth(type) <= 16; }

Term NarrowedThroughF32(terms::Scope& scope, Term hlo) {
  if (!IsConversion(hlo)) return nullptr;
  terms::Pool& pool = scope.pool();
  Term arg = hlo->args[0];
  const bool from_integer = terms::IntegerWidth(arg->type) > 0;
  if (!from_integer || !IsNarrowFloat(hlo->type) || !RoundsOnce(scope, arg, hlo->type))
    return nullptr;
  return pool.Apply(Op::kConvert, hlo->type,
                    {pool.Apply(hlo->operation, PrimitiveType::kF32, {arg})});
}

Term NarrowedThroughOddF32(terms::Scope& scope, Term hlo) {
  if (!IsConversion(hlo) || !IsNarrowFloat(hlo->type)) return nullptr;
  terms::Pool& pool = scope.pool();
  Term arg = hlo->args[0], exact = arg, nearest;
  if (arg->type == PrimitiveType::kF64) {
    nearest = pool.Apply(Op::kConvert, PrimitiveType::kF32, {arg});
  } else if (terms::IntegerWidth(arg->type) > 1) {
    const bool is_unsigned = hlo->op() == Op::kConvertUnsigned;
    const int64_t width = terms::IntegerWidth(arg->type);
    Term integer = CutOff(scope, pool.IntegerOf(arg), is_unsigned);
    integer =
        is_unsigned ? terms::Unsigned(scope, integer, width) : terms::Signed(scope, integer, width);
    exact = terms::FloatOfInteger(scope, integer, PrimitiveType::kF64);
    nearest = terms::FloatOfInteger(scope, integer, PrimitiveType::kF32);
  } else {
    return nullptr;
  }
  return pool.Apply(Op::kConvert, hlo->type, {RoundedToOdd(scope, exact, nearest)});
}

}  // namespace affirm::compare
