// Simplifies operations on floats: constant folding, and cancelling conversions.
#include "verify/terms/float_operations.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/hlo/float_format.h"

namespace affirm::terms {

namespace {

using hlo::PrimitiveType;

std::optional<double> NumberOf(Term term) {
  if (term->kind != Kind::kLiteral || !hlo::IsFloat(term->type)) return std::nullopt;
  return hlo::DecodeFloat(term->type, static_cast<uint64_t>(term->number));
}

// Whether `wide` represents every value of `narrow`, infinities, NaN and signed zeros included.
bool Contains(PrimitiveType wide, PrimitiveType narrow) {
  if (wide == narrow) return true;
  if (narrow == PrimitiveType::kF64) return false;
  if (narrow == PrimitiveType::kF32) return wide == PrimitiveType::kF64;
  if (hlo::BitWidth(narrow) >= hlo::BitWidth(wide)) return false;
  for (uint64_t bits = 0; bits < uint64_t{1} << hlo::BitWidth(narrow); ++bits) {
    double value = hlo::DecodeFloat(narrow, bits);
    double back = hlo::DecodeFloat(wide, hlo::EncodeFloat(wide, value));
    bool same = std::isnan(value) ? std::isnan(back)
                                  : value == back && std::signbit(value) == std::signbit(back);
    if (!same) return false;
  }
  return true;
}

// Contains, tabulated for all pairs of types.
bool IsExactIn(PrimitiveType wide, PrimitiveType narrow) {
  static const auto kTable = [] {
    std::array<std::array<bool, 64>, 64> table = {};
    for (int w = 0; w < 64; ++w) {
      for (int n = 0; n < 64; ++n) {
        auto wide = static_cast<PrimitiveType>(w), narrow = static_cast<PrimitiveType>(n);
        bool floats = w <= static_cast<int>(PrimitiveType::kTuple) &&
                      n <= static_cast<int>(PrimitiveType::kTuple) && hlo::IsFloat(wide) &&
                      hlo::IsFloat(narrow);
        table[w][n] = floats && Contains(wide, narrow);
      }
    }
    return table;
  }();
  return kTable[static_cast<size_t>(wide)][static_cast<size_t>(narrow)];
}

// Folds the conversion of a constant integer that double represents, rounded once; also of a pick
// of two such integers.
Term ConvertedInteger(Pool& pool, PrimitiveType type, Term arg, bool is_unsigned) {
  constexpr Int128 kLimit = Int128{1} << 53;
  if (!hlo::IsFloat(type) || arg->kind != Kind::kOfInteger) return nullptr;
  auto converted = [&](Term integer) -> Term {
    if (!integer->IsNumber()) return nullptr;
    const Int128 number = integer->number;
    if (number > kLimit || number < (is_unsigned ? 0 : -kLimit)) return nullptr;
    return pool.Literal(type, hlo::EncodeFloat(type, static_cast<double>(number)));
  };
  const Term integer = arg->args[0];
  if (integer->kind != Kind::kPick) return converted(integer);
  const Term first = converted(integer->args[1]), second = converted(integer->args[2]);
  return first && second ? pool.Select(integer->args[0], first, second) : nullptr;
}

// The value of type `narrow` that `wide` was converted from; null where it was not. A select of two
// such values becomes a select of their operands.
Term BeforeWidening(Pool& pool, PrimitiveType narrow, Term wide) {
  if (wide->kind == Kind::kApply && wide->op() == Op::kConvert && wide->args[0]->type == narrow)
    return wide->args[0];
  if (wide->kind == Kind::kSelect) {
    const bool nested =
        wide->args[1]->kind == Kind::kSelect || wide->args[2]->kind == Kind::kSelect;
    Term first = nested ? nullptr : BeforeWidening(pool, narrow, wide->args[1]);
    Term second = first ? BeforeWidening(pool, narrow, wide->args[2]) : nullptr;
    return second ? pool.Select(wide->args[0], first, second) : nullptr;
  }
  auto number = NumberOf(wide);
  if (!number) return nullptr;
  Term literal = pool.Literal(narrow, hlo::EncodeFloat(narrow, *number));
  const double kept = *NumberOf(literal);
  const bool same = std::isnan(*number)
                        ? std::isnan(kept)
                        : kept == *number && std::signbit(kept) == std::signbit(*number);
  return same ? literal : nullptr;
}

// Narrows convert(op(convert x, convert y)) to op(x, y). A maximum or minimum is one of its
// operands; terms define 16-bit arithmetic as f32 arithmetic with one more rounding.
Term NarrowedOperation(Pool& pool, PrimitiveType type, Term arg) {
  if (arg->kind != Kind::kApply || arg->args.size() != 2 || arg->type == type) return nullptr;
  const bool extremum = IsExtremum(arg->op());
  const bool computes = arg->op() == Op::kAdd || arg->op() == Op::kSubtract ||
                        arg->op() == Op::kMultiply || arg->op() == Op::kDivide;
  const bool as_f32 = arg->type == PrimitiveType::kF32 && hlo::BitWidth(type) == 16;
  if (!(extremum || (computes && as_f32)) || !IsExactIn(arg->type, type)) return nullptr;
  Term a = BeforeWidening(pool, type, arg->args[0]), b = BeforeWidening(pool, type, arg->args[1]);
  if (a && b) return pool.Apply(arg->op(), type, {a, b});
  // Rounding to a type with infinities is monotonic and makes no NaN.
  const bool keeps_order = arg->op() == Op::kMaximum || arg->op() == Op::kMinimum;
  if (!keeps_order || hlo::BitWidth(type) < 16) return nullptr;
  return pool.Apply(arg->op(), type,
                    {pool.Apply(Op::kConvert, type, {arg->args[0]}),
                     pool.Apply(Op::kConvert, type, {arg->args[1]})});
}

Term Converted(Pool& pool, PrimitiveType type, Term arg) {
  if (!hlo::IsFloat(type) || !hlo::IsFloat(arg->type)) return nullptr;
  // A literal is rounded once; a NaN becomes the default NaN.
  if (auto number = NumberOf(arg)) return pool.Literal(type, hlo::EncodeFloat(type, *number));
  const bool widened = arg->kind == Kind::kApply && arg->op() == Op::kConvert &&
                       hlo::IsFloat(arg->args[0]->type) && IsExactIn(arg->type, arg->args[0]->type);
  if (!widened) return NarrowedOperation(pool, type, arg);
  Term inner = arg->args[0];
  return inner->type == type ? inner : pool.Apply(Op::kConvert, type, {inner});
}

// Folds a conversion to an integer: toward zero, saturating, NaN to 0. A conversion that does not
// saturate is not folded out of range, where its result is poison.
Term ConvertedToInteger(Pool& pool, Op op, PrimitiveType type, Term arg) {
  auto number = NumberOf(arg);
  const int64_t width = IntegerWidth(type);
  // Widens narrower floats to f32 first, which is exact.
  if (!number && width > 1 && hlo::IsFloat(arg->type) && hlo::BitWidth(arg->type) < 32)
    return pool.Apply(op, type, {pool.Apply(Op::kConvert, PrimitiveType::kF32, {arg})});
  if (!number || width <= 1) return nullptr;
  const bool is_unsigned = IsUnsigned(op);
  const double low = is_unsigned ? 0 : -std::ldexp(1.0, static_cast<int>(width) - 1);
  const double beyond = std::ldexp(1.0, static_cast<int>(width) - (is_unsigned ? 0 : 1));
  const double whole = std::trunc(*number);
  if (whole >= low && whole < beyond)
    return pool.OfInteger(pool.Number(static_cast<Int128>(whole)), type);
  if (IsConversionInRange(op)) return nullptr;
  if (std::isnan(whole)) return pool.OfInteger(pool.Number(0), type);
  const double end = whole < low ? low : beyond;
  return pool.OfInteger(pool.Number(static_cast<Int128>(end) - (whole < low ? 0 : 1)), type);
}

// The operand that remains if the other one is neutral: x * 1, x / 1, x - 0, max(x, -inf),
// min(x, inf).
Term Unchanged(Op op, Term a, Term b) {
  auto x = NumberOf(a), y = NumberOf(b);
  if (y == 1 && (op == Op::kMultiply || op == Op::kDivide)) return a;
  if (x == 1 && op == Op::kMultiply) return b;
  if (y == 0 && !std::signbit(*y) && op == Op::kSubtract) return a;
  const double infinity = std::numeric_limits<double>::infinity();
  const double limit = op == Op::kMaximum ? -infinity : infinity;
  if (op != Op::kMaximum && op != Op::kMinimum) return nullptr;
  return y == limit ? a : x == limit ? b : nullptr;
}

// Folds an operation on two literals, rounded once. Not if the result is NaN, whose bits are open,
// and not for sums, whose summands proofs match one by one.
Term Computed(Pool& pool, Op op, PrimitiveType type, Term a, Term b) {
  auto x = NumberOf(a), y = NumberOf(b);
  if (!x || !y || a->type != type || b->type != type) return nullptr;
  auto apply = [&](auto p, auto q) {
    return op == Op::kSubtract ? p - q : op == Op::kMultiply ? p * q : p / q;
  };
  const double number = type == PrimitiveType::kF64
                            ? apply(*x, *y)
                            : apply(static_cast<float>(*x), static_cast<float>(*y));
  return std::isnan(number) ? nullptr : pool.Literal(type, hlo::EncodeFloat(type, number));
}

// Whether a value was converted from a type that cannot represent the number.
bool IsNoneOf(double number, Term value) {
  if (value->kind != Kind::kApply || value->op() != Op::kConvert) return false;
  const PrimitiveType narrow = value->args[0]->type;
  return hlo::IsFloat(narrow) && IsExactIn(value->type, narrow) &&
         hlo::DecodeFloat(narrow, hlo::EncodeFloat(narrow, number)) != number;
}

Term Compared(Pool& pool, Op op, Term a, Term b) {
  auto x = NumberOf(a), y = NumberOf(b);
  auto answer = [&](bool truth) { return pool.OfCondition(truth ? pool.True() : pool.False()); };
  const bool magnitude =
      a->kind == Kind::kApply && a->op() == Op::kAbs && a->args[0]->type == a->type;
  if (op == Op::kCompareLt && magnitude && y == std::numeric_limits<double>::infinity())
    return pool.Apply(Op::kIsFinite, PrimitiveType::kPred, {a->args[0]});
  if ((x && std::isnan(*x)) || (y && std::isnan(*y))) return answer(false);
  if (op == Op::kCompareEq && ((x && IsNoneOf(*x, b)) || (y && IsNoneOf(*y, a))))
    return answer(false);
  if (!x || !y) return nullptr;
  if (op == Op::kCompareEq) return answer(*x == *y);
  return op == Op::kCompareLt ? answer(*x < *y) : answer(*x <= *y);
}

// Asks is-finite of the operand of an exact conversion. Not for floats of eight bits, which have no
// operations of their own in kernels.
Term IsFinite(Pool& pool, Term value) {
  if (value->kind != Kind::kApply || value->op() != Op::kConvert) return nullptr;
  const Term narrow = value->args[0];
  const bool is_float = hlo::IsFloat(narrow->type) && hlo::BitWidth(narrow->type) > 8;
  if (!is_float || narrow->type == value->type || !IsExactIn(value->type, narrow->type))
    return nullptr;
  return pool.Apply(Op::kIsFinite, PrimitiveType::kPred, {narrow});
}

}  // namespace

Term SimplerOperation(Pool& pool, Op op, PrimitiveType type, llvm::ArrayRef<Term> args) {
  const bool is_unsigned = op == Op::kConvertUnsigned;
  if ((op == Op::kConvert || is_unsigned) && args.size() == 1) {
    if (Term literal = ConvertedInteger(pool, type, args[0], is_unsigned)) return literal;
  }
  if (IsConversion(op) && args.size() == 1) {
    if (Term integer = ConvertedToInteger(pool, op, type, args[0])) return integer;
  }
  if (op == Op::kConvert && args.size() == 1) return Converted(pool, type, args[0]);
  if (op == Op::kIsFinite && args.size() == 1) return IsFinite(pool, args[0]);
  // op(x, x) is x: such an operation returns one of its operands, unrounded.
  const bool extremum = IsExtremum(op) || op == Op::kAnd || op == Op::kOr;
  if (extremum && args.size() == 2 && args[0] == args[1] && args[0]->type == type) return args[0];
  const bool computes = op == Op::kSubtract || op == Op::kMultiply || op == Op::kDivide;
  const bool of_type =
      args.size() == 2 && hlo::IsFloat(type) && args[0]->type == type && args[1]->type == type;
  if (of_type) {
    if (Term same = Unchanged(op, args[0], args[1])) return same;
  }
  if (computes && args.size() == 2 && (type == PrimitiveType::kF32 || type == PrimitiveType::kF64))
    return Computed(pool, op, type, args[0], args[1]);
  if (IsPartialComparison(op) && args.size() == 2 && hlo::IsFloat(args[0]->type))
    return Compared(pool, op, args[0], args[1]);
  return nullptr;
}

}  // namespace affirm::terms
