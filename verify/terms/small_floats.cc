#include "verify/terms/small_floats.h"

#include <bit>
#include <cmath>
#include <vector>

#include "core/hlo/float_format.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/scalar/float_limits.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::terms {

namespace {

using hlo::PrimitiveType;
using terms::Kind;
using terms::Op;
using terms::Scope;
using terms::Term;
using terms::Visit;

constexpr int kMantissa = 23, kBias = 127;
constexpr int64_t kNan = 0x7FC00000, kInfinity32 = 0x7F800000, kMagnitude = 0x7FFFFFFF;

// A code is a bit pattern without the sign; codes order as magnitudes do.
struct SmallFormat {
  int mantissa, bias;
  int64_t largest;      // the largest finite one
  int64_t beyond;       // the code for values that overflow
  int64_t nan;          // the code for NaN
  bool has_infinity;    // largest + 1
  bool nan_is_minus_0;  // the pattern of -0 is the NaN, so zeros have no sign
};

SmallFormat FormatOf(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kF8E5M2:
      return {2, 15, 0x7B, 0x7C, 0x7E, true, false};
    case PrimitiveType::kF8E4M3:
      return {3, 7, 0x77, 0x78, 0x7C, true, false};
    case PrimitiveType::kF8E3M4:
      return {4, 3, 0x6F, 0x70, 0x78, true, false};
    case PrimitiveType::kF8E4M3FN:
      return {3, 7, 0x7E, 0x7F, 0x7F, false, false};
    case PrimitiveType::kF8E4M3B11FNUZ:
      return {3, 11, 0x7F, 0x80, 0x80, false, true};
    case PrimitiveType::kF8E5M2FNUZ:
      return {2, 16, 0x7F, 0x80, 0x80, false, true};
    case PrimitiveType::kF8E4M3FNUZ:
      return {3, 8, 0x7F, 0x80, 0x80, false, true};
    default:
      return {1, 1, 0x7, 0x7, 0x8, false, false};  // f4e2m1fn
  }
}

// Operations on 32 bits.
struct Words {
  Scope& scope;
  terms::Pool& pool = scope.pool();

  Term Int(int64_t n) { return pool.Number(n); }
  Term BitsOf(Term value) {
    return pool.IntegerOf(terms::WithBits(pool, value, PrimitiveType::kS32));
  }
  Term FloatOf(Term bits) {
    return terms::WithBits(pool, pool.OfInteger(bits, PrimitiveType::kS32), PrimitiveType::kF32);
  }
  Term Float(double v) {
    return pool.Literal(PrimitiveType::kF32, std::bit_cast<uint32_t>(static_cast<float>(v)));
  }
  Term And(Term a, int64_t b) { return terms::And(scope, a, Int(b), 32); }
  Term Or(Term a, Term b) { return terms::Or(scope, a, b, 32); }
  Term Left(Term a, int n) { return terms::ShiftLeft(scope, a, Int(n), 32); }
  Term Right(Term a, int n) { return terms::ShiftRightLogical(scope, a, Int(n), 32); }
  Term Add(Term a, Term b) { return terms::Congruent(pool, pool.Add(a, b), 32); }
  Term AtLeast(Term a, int64_t b) { return pool.Not(terms::UnsignedLess(scope, a, Int(b), 32)); }
  Term Equal(Term a, int64_t b) { return terms::MachineEqual(scope, a, Int(b), 32); }
  Term Pick(Term c, Term a, Term b) { return scope.Pick(c, a, b); }
  Term IsNan(Term x) { return pool.Not(pool.Holds(terms::CompareFloats(pool, "EQ", false, x, x))); }
};

// f8e8m0fnu, an exponent alone: zeros, negative values, infinities and NaNs become its NaN.
Term ExponentCode(Words& w, Term x) {
  Term bits = w.BitsOf(x);
  Term normal = w.Right(w.Add(bits, w.Int(int64_t{1} << (kMantissa - 1))), kMantissa);
  Term subnormal = w.Pick(w.AtLeast(bits, int64_t{3} << (kMantissa - 2)), w.Int(1), w.Int(0));
  Term code = w.Pick(w.AtLeast(bits, int64_t{1} << kMantissa), normal, subnormal);
  Term less_one = w.Add(bits, w.Int(-1));
  return w.Pick(w.AtLeast(less_one, kInfinity32 - 1), w.Int(0xFF), code);
}

Term Code(Words& w, Term x, const SmallFormat& format, int width) {
  Term bits = w.BitsOf(x), magnitude = w.And(bits, kMagnitude);
  Term sign = w.Left(w.Right(bits, 31), width - 1);
  const int dropped = kMantissa - format.mantissa;
  Term last = w.And(w.Right(magnitude, dropped), 1);
  Term half = w.Int((int64_t{1} << (dropped - 1)) - 1);
  Term rounded = w.Right(w.Add(magnitude, w.Add(last, half)), dropped);
  Term normal = w.Add(rounded, w.Int(-(int64_t{kBias - format.bias} << format.mantissa)));
  Term anchor = w.Float(std::ldexp(1.0, 1 - format.bias + dropped));
  Term sum = w.pool.Apply(Op::kAdd, PrimitiveType::kF32, {w.FloatOf(magnitude), anchor});
  Term subnormal = w.Add(w.BitsOf(sum), w.pool.Scale(w.BitsOf(anchor), -1));
  Term is_normal = w.AtLeast(magnitude, int64_t{kBias + 1 - format.bias} << kMantissa);
  Term code = w.Pick(is_normal, normal, subnormal);
  Term too_large = terms::SignedLess(w.scope, w.Int(format.largest), code, 32);
  code = w.Pick(too_large, w.Int(format.beyond), code);
  if (format.nan_is_minus_0) {
    Term signless = w.Pick(w.Equal(code, 0), w.Int(0), sign);
    return w.Pick(w.IsNan(x), w.Int(format.nan), w.Or(code, signless));
  }
  return w.Or(w.Pick(w.IsNan(x), w.Int(format.nan), code), sign);
}

Term Widened(Words& w, Term bits, const SmallFormat& format, int width) {
  const int64_t sign_bit = int64_t{1} << (width - 1);
  Term code = w.And(bits, sign_bit - 1);
  Term sign = w.Left(w.And(bits, sign_bit), 32 - width);
  Term count =
      terms::FloatOfInteger(w.scope, terms::Unsigned(w.scope, code, 32), PrimitiveType::kF32);
  Term smallest = w.Float(std::ldexp(1.0, 1 - format.bias - format.mantissa));
  Term subnormal = w.BitsOf(w.pool.Apply(Op::kMultiply, PrimitiveType::kF32, {count, smallest}));
  Term normal = w.Add(w.Left(code, kMantissa - format.mantissa),
                      w.Int(int64_t{kBias - format.bias} << kMantissa));
  Term magnitude = w.Pick(w.AtLeast(code, int64_t{1} << format.mantissa), normal, subnormal);
  if (format.nan_is_minus_0)
    return w.Pick(w.Equal(bits, format.nan), w.Int(kNan), w.Or(magnitude, sign));
  if (format.largest + 1 < sign_bit) {
    Term special = w.Int(kNan);
    if (format.has_infinity)
      special = w.Pick(w.Equal(code, format.beyond), w.Int(kInfinity32), w.Int(kNan));
    Term finite = terms::UnsignedLess(w.scope, code, w.Int(format.largest + 1), 32);
    magnitude = w.Pick(w.pool.Not(finite), special, magnitude);
  }
  return w.Or(magnitude, sign);
}

Term WidenedExponent(Words& w, Term bits) {
  Term smallest = w.Int(int64_t{1} << (kMantissa - 1));
  return w.Pick(w.Equal(bits, 0xFF), w.Int(kNan),
                w.Pick(w.Equal(bits, 0), smallest, w.Left(bits, kMantissa)));
}

constexpr PrimitiveType kSmallTypes[] = {
    PrimitiveType::kF8E4M3FN,      PrimitiveType::kF8E5M2,    PrimitiveType::kF8E4M3FNUZ,
    PrimitiveType::kF8E5M2FNUZ,    PrimitiveType::kF8E4M3,    PrimitiveType::kF8E3M4,
    PrimitiveType::kF8E4M3B11FNUZ, PrimitiveType::kF8E8M0FNU, PrimitiveType::kF4E2M1FN};

// The values of a wanted type that are operands of a bitcast or a comparison in a term. Empty where
// they are many, or the term is larger than any of the forms.
std::vector<Term> ValuesIn(Term root, llvm::function_ref<bool(PrimitiveType)> wanted) {
  constexpr size_t kMostTerms = 160, kMostValues = 3;
  std::vector<Term> values;
  size_t seen = 0;
  terms::ForEachPart(root, [&](Term term) {
    if (++seen > kMostTerms || values.size() > kMostValues) return Visit::kStop;
    const bool reads = term->kind == Kind::kApply &&
                       (term->op() == Op::kBitcast || term->op() == Op::kCompareEq) &&
                       wanted(term->args[0]->type);
    if (reads) {
      if (!llvm::is_contained(values, term->args[0])) values.push_back(term->args[0]);
      return Visit::kPast;
    }
    return term->kind == Kind::kLoad ? Visit::kPast : Visit::kInto;
  });
  if (seen > kMostTerms || values.size() > kMostValues) return {};
  return values;
}

}  // namespace

bool IsSmallFloat(PrimitiveType type) { return hlo::IsFloat(type) && hlo::BitWidth(type) <= 8; }

Term NarrowedByBits(Scope& scope, Term value, PrimitiveType type) {
  Words w{scope};
  const int width = hlo::BitWidth(type);
  Term code = type == PrimitiveType::kF8E8M0FNU ? ExponentCode(w, value)
                                                : Code(w, value, FormatOf(type), width);
  Term integer = terms::Congruent(scope.pool(), code, width);
  return terms::WithBits(scope.pool(), scope.pool().OfInteger(integer, terms::IntegerType(width)),
                         type);
}

Term WidenedByBits(Scope& scope, Term value) {
  Words w{scope};
  const PrimitiveType type = value->type;
  const int width = hlo::BitWidth(type);
  Term bits =
      scope.pool().IntegerOf(terms::WithBits(scope.pool(), value, terms::IntegerType(width)));
  bits = terms::Unsigned(scope, bits, width);
  return w.FloatOf(type == PrimitiveType::kF8E8M0FNU ? WidenedExponent(w, bits)
                                                     : Widened(w, bits, FormatOf(type), width));
}

// The largest finite value of `small`, times `sign`, as a literal of `wide`.
static Term Limit(terms::Pool& pool, PrimitiveType wide, PrimitiveType small, double sign) {
  return pool.Literal(
      wide, static_cast<int64_t>(hlo::EncodeFloat(wide, sign * hlo::LargestFinite(small))));
}

Term NarrowedWithinRange(terms::Pool& pool, Term value, PrimitiveType type) {
  const PrimitiveType wide = value->type;
  Term above = pool.Apply(Op::kMaximum, wide, {value, Limit(pool, wide, type, -1)});
  Term inside = pool.Apply(Op::kMinimum, wide, {above, Limit(pool, wide, type, 1)});
  return pool.Apply(Op::kConvert, type, {inside});
}

Term NarrowedByInstruction(Scope& scope, Term value, PrimitiveType type) {
  Words w{scope};
  terms::Pool& pool = scope.pool();
  const PrimitiveType byte = terms::IntegerType(8);
  Term bits = w.BitsOf(value), magnitude = w.And(bits, kMagnitude);
  // The overflow threshold is the midpoint between the largest finite value and the next step. A
  // tie rounds to the even code: down for f8e4m3fn, up for f8e5m2.
  const bool has_infinity = type == PrimitiveType::kF8E5M2;
  const float middle = has_infinity ? 61440 : 464;
  const int64_t last = std::bit_cast<uint32_t>(middle) - (has_infinity ? 1 : 0);
  Term beyond = pool.And({terms::UnsignedLess(scope, w.Int(last), magnitude, 32),
                          pool.Not(terms::UnsignedLess(scope, w.Int(kInfinity32), magnitude, 32))});
  Term sign = terms::ShiftLeft(scope, terms::Congruent(pool, w.Right(bits, 31), 8), w.Int(7), 8);
  Term special = terms::Or(scope, sign, w.Int(FormatOf(type).beyond), 8);
  Term within = pool.IntegerOf(terms::WithBits(pool, NarrowedWithinRange(pool, value, type), byte));
  return scope.Pick(beyond, special, within);
}

Term ConversionByInstruction(Scope& scope, Term choice) {
  if (choice->kind != Kind::kPick || choice->args[2]->kind != Kind::kInteger) return nullptr;
  auto operand_of = [](Term term, Op op) -> Term {
    if (!term || term->kind != Kind::kApply || term->op() != op) return nullptr;
    // The other operand is a clamping limit, on either side.
    return term->args[0]->kind == Kind::kLiteral ? term->args.back() : term->args[0];
  };
  Term converted = operand_of(choice->args[2]->args[0], Op::kBitcast);
  Term value =
      operand_of(operand_of(operand_of(converted, Op::kConvert), Op::kMinimum), Op::kMaximum);
  if (!value || value->type != PrimitiveType::kF32 || !IsSmallFloat(converted->type))
    return nullptr;
  const PrimitiveType type = converted->type;
  if (type != PrimitiveType::kF8E4M3FN && type != PrimitiveType::kF8E5M2) return nullptr;
  if (NarrowedByInstruction(scope, value, type) != choice) return nullptr;
  terms::Pool& pool = scope.pool();
  Term whole = pool.Apply(Op::kConvert, type, {value});
  return pool.IntegerOf(terms::WithBits(pool, whole, terms::IntegerType(8)));
}

Term ConversionToSmall(Scope& scope, Term bits, int64_t width) {
  const PrimitiveType integer = terms::IntegerType(width);
  if (bits->IsNumber() || (width != 8 && width != 4)) return nullptr;
  Term held = scope.pool().OfInteger(terms::Congruent(scope.pool(), bits, width), integer);
  for (Term value :
       ValuesIn(held, [](PrimitiveType type) { return type == PrimitiveType::kF32; })) {
    for (PrimitiveType type : kSmallTypes) {
      if (hlo::BitWidth(type) != width) continue;
      if (terms::WithBits(scope.pool(), NarrowedByBits(scope, value, type), integer) == held)
        return scope.pool().Apply(Op::kConvert, type, {value});
    }
  }
  return nullptr;
}

// The integers of at most eight bits in a term that have no float type.
static std::vector<Term> BytesIn(Term root) {
  constexpr size_t kMostTerms = 160;
  std::vector<Term> bytes;
  size_t seen = 0;
  terms::ForEachPart(root, [&](Term term) {
    if (++seen > kMostTerms) return Visit::kStop;
    if (term->kind != Kind::kInteger || hlo::BitWidth(term->args[0]->type) > 8) return Visit::kInto;
    bytes.push_back(term->args[0]);
    return Visit::kPast;
  });
  if (seen > kMostTerms) return {};
  return bytes;
}

Term ConversionFromBFloat(terms::Pool& pool, Term bits) {
  if (bits->kind != Kind::kSum || bits->number != 0 || bits->sum.size() != 1) return nullptr;
  const auto& [coefficient, half] = bits->sum[0];
  if (coefficient != terms::Int128{1} << 16 || half->kind != Kind::kInteger) return nullptr;
  Term cast = half->args[0];
  const bool of_bfloat = cast->kind == Kind::kApply && cast->op() == Op::kBitcast &&
                         cast->args[0]->type == PrimitiveType::kBF16;
  return of_bfloat ? pool.Apply(Op::kConvert, PrimitiveType::kF32, {cast->args[0]}) : nullptr;
}

Term ConversionFromSmall(Scope& scope, Term bits) {
  if (bits->IsNumber()) return nullptr;
  terms::Pool& pool = scope.pool();
  Term held = terms::WithBits(pool, pool.OfInteger(bits, PrimitiveType::kS32), PrimitiveType::kF32);
  std::vector<Term> values = ValuesIn(held, IsSmallFloat);
  if (values.empty()) {
    std::vector<Term> bytes = BytesIn(held);
    for (PrimitiveType type : kSmallTypes) {
      if (bytes.size() == 1 && hlo::BitWidth(type) == hlo::BitWidth(bytes[0]->type))
        values.push_back(terms::WithBits(pool, bytes[0], type));
    }
  }
  for (Term value : values) {
    if (WidenedByBits(scope, value) == held)
      return pool.Apply(Op::kConvert, PrimitiveType::kF32, {value});
  }
  return nullptr;
}

Term ChosenSmallFloat(Scope& scope, Term condition, Term a, Term b) {
  auto float_of = [](Term bits) -> Term {
    if (bits->kind != Kind::kInteger || bits->args[0]->kind != Kind::kApply ||
        bits->args[0]->op() != Op::kBitcast || !IsSmallFloat(bits->args[0]->args[0]->type)) {
      return nullptr;
    }
    return bits->args[0]->args[0];
  };
  Term x = float_of(a), y = float_of(b);
  if ((!x && !y) || (x && y && x->type != y->type)) return nullptr;
  terms::Pool& pool = scope.pool();
  const PrimitiveType type = x ? x->type : y->type;
  const int width = hlo::BitWidth(type);
  const terms::Int128 half = terms::Int128{1} << (width - 1);
  auto literal = [&](Term bits) -> Term {
    // The pick may be wider than the float: a literal outside of the signed range would change it.
    if (!bits->IsNumber() || bits->number < -half || bits->number >= half) return nullptr;
    return terms::WithBits(pool, pool.OfInteger(bits, terms::IntegerType(width)), type);
  };
  if (!x) x = literal(a);
  if (!y) y = literal(b);
  if (!x || !y) return nullptr;
  Term chosen = scope.Select(condition, x, y);
  return pool.IntegerOf(terms::WithBits(pool, chosen, terms::IntegerType(width)));
}

}  // namespace affirm::terms
