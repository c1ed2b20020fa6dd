#include "verify/terms/operations.h"

#include <cstring>
#include <optional>

#include "core/hlo/float_format.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "verify/terms/machine.h"

namespace affirm::terms {

namespace {
using hlo::PrimitiveType;
bool IsIntegerType(PrimitiveType type) { return IntegerWidth(type) > 0; }

Int128 LowBits(Int128 bits, int64_t width) {
  if (width >= 127) return bits;
  return bits & ((Int128{1} << width) - 1);
}

// The bits of an integer in a float type, if double represents it, so that it is rounded once.
std::optional<Int128> BitsOfNumber(Int128 number, PrimitiveType type) {
  constexpr Int128 kLimit = Int128{1} << 53;
  if (number > kLimit || number < -kLimit) return std::nullopt;
  return Int128{hlo::EncodeFloat(type, static_cast<double>(number))};
}

Term Zero(Pool& pool, PrimitiveType type) { return pool.Literal(type, *BitsOfNumber(0, type)); }

}  // namespace

Term CongruentInteger(Pool& pool, Term value) {
  return value->kind == Kind::kOfInteger ? value->args[0] : pool.IntegerOf(value);
}

Term IntegerIn(Scope& scope, Term value, PrimitiveType type) {
  Term integer = CongruentInteger(scope.pool(), value);
  int64_t width = IntegerWidth(type);
  return hlo::IsSignedInt(type) ? Signed(scope, integer, width) : Unsigned(scope, integer, width);
}

Term ValueOfInteger(Scope& scope, Term integer, PrimitiveType type) {
  Pool& pool = scope.pool();
  if (IntegerWidth(type) == 1)
    return pool.OfCondition(pool.Not(MachineEqual(scope, integer, pool.Number(0), 1)));
  return pool.OfInteger(integer, TermType(type));
}

Term SelectValue(Scope& scope, Term condition, Term a, Term b) {
  if (IntegerWidth(a->type) <= 1) return scope.Select(condition, a, b);
  Pool& pool = scope.pool();
  return pool.OfInteger(scope.Pick(condition, CongruentInteger(pool, a), CongruentInteger(pool, b)),
                        a->type);
}

static Term ConditionOfTaken(Pool& pool, Term integer, llvm::function_ref<Term(Term integer)> of,
                             llvm::DenseMap<Term, Term>& known) {
  if (const Term found = known.lookup(integer)) return found;
  Term condition = nullptr;
  if (integer->kind != Kind::kPick) {
    condition = of(integer);
  } else {
    const Term chooses = integer->args[0];
    const Term yes = ConditionOfTaken(pool, integer->args[1], of, known);
    const Term no = ConditionOfTaken(pool, integer->args[2], of, known);
    condition = pool.Or({pool.And({chooses, yes}), pool.And({pool.Not(chooses), no})});
  }
  return known[integer] = condition;
}

Term ConditionOfPick(Pool& pool, Term pick, llvm::function_ref<Term(Term integer)> of) {
  llvm::DenseMap<Term, Term> known;
  return ConditionOfTaken(pool, pick, of, known);
}

Term FloatOfInteger(Scope& scope, Term integer, PrimitiveType type) {
  Pool& pool = scope.pool();
  if (integer->IsNumber()) {
    if (auto bits = BitsOfNumber(integer->number, type)) return pool.Literal(type, *bits);
  }
  Range range = scope.RangeOf(integer);
  bool is_signed = range.lo < 0 || range.hi <= INT64_MAX;
  return pool.Apply(is_signed ? Op::kConvert : Op::kConvertUnsigned, type,
                    {pool.OfInteger(integer, PrimitiveType::kS64)});
}

static Term ConvertInteger(Scope& scope, Term value, PrimitiveType from, PrimitiveType to) {
  Pool& pool = scope.pool();
  int64_t width = IntegerWidth(from);
  if (to == PrimitiveType::kPred) {
    return pool.OfCondition(
        pool.Not(MachineEqual(scope, CongruentInteger(pool, value), pool.Number(0), width)));
  }
  if (IsIntegerType(to)) {
    bool narrows = from != PrimitiveType::kPred && IntegerWidth(to) <= width;
    return ValueOfInteger(
        scope, narrows ? CongruentInteger(pool, value) : IntegerIn(scope, value, from), to);
  }
  return FloatOfInteger(scope, IntegerIn(scope, value, from), to);
}

static Term ConvertFloat(Pool& pool, Term value, PrimitiveType from, PrimitiveType to) {
  if (to == PrimitiveType::kPred) {
    Term zero = Zero(pool, from);
    // In a type without a zero, every value converts to true.
    bool has_zero = hlo::DecodeFloat(from, static_cast<uint64_t>(zero->number)) == 0;
    return has_zero ? CompareFloats(pool, "NE", false, value, zero) : pool.OfCondition(pool.True());
  }
  if (IsIntegerType(to)) {
    if (IntegerWidth(to) == 1) return nullptr;  // the term would be a conversion to pred
    return pool.Apply(hlo::IsUnsignedInt(to) ? Op::kConvertUnsigned : Op::kConvert, TermType(to),
                      {value});
  }
  return pool.Apply(Op::kConvert, to, {value});
}

Term Convert(Scope& scope, Term value, PrimitiveType from, PrimitiveType to) {
  Pool& pool = scope.pool();
  if (from == to) return value;
  if (hlo::IsComplex(from)) {
    return hlo::IsComplex(to) ? pool.Apply(Op::kConvert, to, {value}) : nullptr;
  }
  if (hlo::IsComplex(to)) {
    PrimitiveType part = PartType(to);
    return ComplexOf(pool, Convert(scope, value, from, part), Zero(pool, part), to);
  }
  return IsIntegerType(from) ? ConvertInteger(scope, value, from, to)
                             : ConvertFloat(pool, value, from, to);
}

Term CompareFloats(Pool& pool, llvm::StringRef direction, bool total_order, Term a, Term b) {
  auto apply = [&](Op op, Op total, Term x, Term y) {
    return pool.Apply(total_order ? total : op, PrimitiveType::kPred, {x, y});
  };
  if (direction == "GT" || direction == "GE") std::swap(a, b);
  if (direction == "LT" || direction == "GT")
    return apply(Op::kCompareLt, Op::kCompareLtTotal, a, b);
  if (direction == "LE" || direction == "GE")
    return apply(Op::kCompareLe, Op::kCompareLeTotal, a, b);
  if (direction != "EQ" && direction != "NE") return nullptr;
  Term equal = apply(Op::kCompareEq, Op::kCompareEqTotal, a, b);
  return direction == "EQ" ? equal : pool.OfCondition(pool.Not(pool.Holds(equal)));
}

Term WithBits(Pool& pool, Term value, PrimitiveType type) {
  type = TermType(type);
  if (value->type == type) return value;
  if (value->kind == Kind::kApply && value->op() == Op::kBitcast && value->args[0]->type == type)
    return value->args[0];
  int64_t width = hlo::BitWidth(type);
  bool from_integer = IsIntegerType(value->type), to_integer = IsIntegerType(type);
  if (from_integer && !to_integer) {
    Term integer = pool.IntegerOf(value);
    if (integer->IsNumber()) return pool.Literal(type, LowBits(integer->number, width));
  }
  if (!from_integer && value->kind == Kind::kLiteral) return pool.Literal(type, value->number);
  if (!from_integer && !to_integer)
    return WithBits(pool, WithBits(pool, value, IntegerType(width)), type);
  return pool.Apply(Op::kBitcast, type, {value});
}

Term BitsOf(Pool& pool, Term value) {
  if (!hlo::IsFloat(value->type)) return value;
  return WithBits(pool, value, IntegerType(hlo::BitWidth(value->type)));
}

// A part of a complex literal: the real part is in the low bits.
static Term PartOfLiteral(Pool& pool, Term literal, bool imaginary) {
  PrimitiveType part = PartType(literal->type);
  const int64_t width = hlo::BitWidth(part);
  return pool.Literal(part, LowBits(imaginary ? literal->number >> width : literal->number, width));
}

Term RealPart(Pool& pool, Term value) {
  if (value->kind == Kind::kLiteral) return PartOfLiteral(pool, value, false);
  if (value->kind == Kind::kApply && value->op() == Op::kComplex) return value->args[0];
  return pool.Apply(Op::kReal, PartType(value->type), {value});
}

Term ImaginaryPart(Pool& pool, Term value) {
  if (value->kind == Kind::kLiteral) return PartOfLiteral(pool, value, true);
  if (value->kind == Kind::kApply && value->op() == Op::kComplex) return value->args[1];
  return pool.Apply(Op::kImag, PartType(value->type), {value});
}

Term ComplexOf(Pool& pool, Term real, Term imaginary, PrimitiveType type) {
  auto is_part = [](Term t, Op op) { return t->kind == Kind::kApply && t->op() == op; };
  if (is_part(real, Op::kReal) && is_part(imaginary, Op::kImag) && real->args == imaginary->args &&
      real->args[0]->type == type) {
    return real->args[0];
  }
  const bool of_parts = real->type == PartType(type) && imaginary->type == real->type;
  if (of_parts && real->kind == Kind::kLiteral && imaginary->kind == Kind::kLiteral) {
    const int64_t width = hlo::BitWidth(real->type);
    Int128 high;
    if (!__builtin_mul_overflow(LowBits(imaginary->number, width), Int128{1} << width, &high))
      return pool.Literal(type, high + LowBits(real->number, width));
  }
  return pool.Apply(Op::kComplex, type, {real, imaginary});
}

Term ElementOfLiteral(Pool& pool, const hlo::Literal& literal, int64_t linear) {
  PrimitiveType type = literal.shape().type;
  if (IsIntegerType(type)) return pool.Literal(TermType(type), literal.GetInt(linear));
  size_t size = hlo::ByteWidth(type);
  Int128 bits = 0;  // assumes a little-endian host
  std::memcpy(&bits, literal.data() + linear * size, size);
  return pool.Literal(type, LowBits(bits, hlo::BitWidth(type)));
}

std::string ConstantDigest(PrimitiveType type, llvm::ArrayRef<uint8_t> bytes) {
  return (hlo::Name(TermType(type)) + "-" +
          llvm::toHex(llvm::SHA256::hash(bytes), /*LowerCase=*/true))
      .str();
}

}  // namespace affirm::terms
