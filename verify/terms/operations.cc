#include "verify/terms/operations.h"

#include <cstring>
#include <optional>

#include "core/hlo/float_format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "verify/terms/machine.h"

namespace affirm::terms {

namespace {

using hlo::Opcode;
using hlo::PrimitiveType;
using I = Operation::OnIntegers;
using F = Operation::OnFloats;

constexpr Operation kOperations[] = {
    // Of one operand.
    {Opcode::kAbs, I::kTerm, F::kNamed, "of a complex number: its length, a float"},
    {Opcode::kAcos, I::kNone, F::kNamed},
    {Opcode::kAcosh, I::kNone, F::kNamed},
    {Opcode::kAsin, I::kNone, F::kNamed},
    {Opcode::kAsinh, I::kNone, F::kNamed},
    {Opcode::kAtanh, I::kNone, F::kNamed},
    {Opcode::kBitcastConvert, I::kTerm, F::kForm, "\"bitcast\", see WithBits"},
    {Opcode::kCbrt, I::kNone, F::kNamed},
    {Opcode::kCeil, I::kNone, F::kNamed},
    {Opcode::kConvert, I::kTerm, F::kForm, "see Convert; types are those of operand and result"},
    {Opcode::kCosh, I::kNone, F::kNamed},
    {Opcode::kCosine, I::kNone, F::kNamed},
    {Opcode::kCountLeadingZeros, I::kNamed, F::kNone},
    {Opcode::kErf, I::kNone, F::kNamed},
    {Opcode::kExponential, I::kNone, F::kNamed},
    {Opcode::kExponentialMinusOne, I::kNone, F::kNamed},
    {Opcode::kFloor, I::kNone, F::kNamed},
    {Opcode::kImag, I::kNone, F::kForm, "see ImaginaryPart"},
    {Opcode::kIsFinite, I::kNone, F::kNamed, "a predicate"},
    {Opcode::kLog, I::kNone, F::kNamed},
    {Opcode::kLogPlusOne, I::kNone, F::kNamed},
    {Opcode::kLogistic, I::kNone, F::kNamed},
    {Opcode::kNegate, I::kTerm, F::kNamed},
    {Opcode::kNot, I::kTerm, F::kNone},
    {Opcode::kPopcnt, I::kNamed, F::kNone},
    {Opcode::kReal, I::kNone, F::kForm, "see RealPart"},
    {Opcode::kReducePrecision, I::kNone, F::kForm, "\"reduce-precision-5-10\": bits of both parts"},
    {Opcode::kRoundNearestAfz, I::kNone, F::kNamed},
    {Opcode::kRoundNearestEven, I::kNone, F::kNamed},
    {Opcode::kRsqrt, I::kNone, F::kNamed},
    {Opcode::kSign, I::kTerm, F::kNamed},
    {Opcode::kSine, I::kNone, F::kNamed},
    {Opcode::kSinh, I::kNone, F::kNamed},
    {Opcode::kSqrt, I::kNone, F::kNamed},
    {Opcode::kTan, I::kNone, F::kNamed},
    {Opcode::kTanh, I::kNone, F::kNamed},
    // Of two.
    {Opcode::kAdd, I::kTerm, F::kNamed, "of predicates: or"},
    {Opcode::kAnd, I::kTerm, F::kNone},
    {Opcode::kAtan2, I::kNone, F::kNamed},
    {Opcode::kCompare, I::kTerm, F::kForm, "see CompareFloats"},
    {Opcode::kComplex, I::kNone, F::kForm, "see ComplexOf"},
    {Opcode::kDivide, I::kTermBySign, F::kNamed, "x / 0 is all ones, the lowest by -1 itself"},
    {Opcode::kMaximum, I::kTermBySign, F::kNamed, "NaN wins, and -0 is below +0"},
    {Opcode::kMinimum, I::kTermBySign, F::kNamed, "NaN wins, and -0 is below +0"},
    {Opcode::kMultiply, I::kTerm, F::kNamed, "of predicates: and"},
    {Opcode::kOr, I::kTerm, F::kNone},
    {Opcode::kPower, I::kNamedBySign, F::kNamed},
    {Opcode::kRemainder, I::kTermBySign, F::kNamed, "x rem 0 is x; of floats as fmod"},
    {Opcode::kShiftLeft, I::kTerm, F::kNone, "by the width or more: 0"},
    {Opcode::kShiftRightArithmetic, I::kTerm, F::kNone, "by the width or more: the sign"},
    {Opcode::kShiftRightLogical, I::kTerm, F::kNone, "by the width or more: 0"},
    {Opcode::kSubtract, I::kTerm, F::kNamed},
    {Opcode::kXor, I::kTerm, F::kNone},
    // Of three, and of none.
    {Opcode::kClamp, I::kTerm, F::kForm, "the minimum of a maximum"},
    {Opcode::kSelect, I::kTerm, F::kForm, "see SelectValue"},
    {Opcode::kConstant, I::kNamed, F::kNamed, "a literal, or see ConstantName"},
};

bool IsIntegerType(PrimitiveType type) { return IntegerWidth(type) > 0; }

Int128 LowBits(Int128 bits, int64_t width) {
  if (width >= 127) return bits;
  return bits & ((Int128{1} << width) - 1);
}

// The bits of a number in a floating type, where both are exact enough for one rounding.
std::optional<Int128> BitsOfNumber(Int128 number, PrimitiveType type) {
  constexpr Int128 kLimit = Int128{1} << 53;
  if (number > kLimit || number < -kLimit) return std::nullopt;
  return Int128{hlo::EncodeFloat(type, static_cast<double>(number))};
}

Term Zero(Pool& pool, PrimitiveType type) { return pool.Literal(type, *BitsOfNumber(0, type)); }

}  // namespace

llvm::ArrayRef<Operation> Operations() { return kOperations; }

const Operation* FindOperation(Opcode opcode) {
  const auto* found =
      llvm::find_if(kOperations, [&](const Operation& row) { return row.opcode == opcode; });
  return found == std::end(kOperations) ? nullptr : found;
}

std::string OperationName(Opcode opcode, PrimitiveType type) {
  std::string name = hlo::Name(opcode).str();
  const Operation* row = FindOperation(opcode);
  bool by_sign = row && (row->on_integers == I::kTermBySign || row->on_integers == I::kNamedBySign);
  return by_sign && hlo::IsUnsignedInt(type) ? name + "-unsigned" : name;
}

std::string FoldName(Opcode opcode, PrimitiveType type) {
  if (type != PrimitiveType::kPred) return OperationName(opcode, type);
  if (opcode == Opcode::kAdd || opcode == Opcode::kMaximum) return "or";
  if (opcode == Opcode::kMultiply || opcode == Opcode::kMinimum) return "and";
  return OperationName(opcode, type);
}

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

Term FloatOfInteger(Scope& scope, Term integer, PrimitiveType type) {
  Pool& pool = scope.pool();
  if (integer->IsNumber()) {
    if (auto bits = BitsOfNumber(integer->number, type)) return pool.Literal(type, *bits);
  }
  Range range = scope.RangeOf(integer);
  bool is_signed = range.lo < 0 || range.hi <= INT64_MAX;
  return pool.Apply(is_signed ? "convert" : "convert-unsigned", type,
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
    // Nothing equals zero in a type without one.
    bool has_zero = hlo::DecodeFloat(from, static_cast<uint64_t>(zero->number)) == 0;
    return has_zero ? CompareFloats(pool, "NE", false, value, zero) : pool.OfCondition(pool.True());
  }
  if (IsIntegerType(to)) {
    if (IntegerWidth(to) == 1) return nullptr;  // would read as a conversion to pred
    return pool.Apply(hlo::IsUnsignedInt(to) ? "convert-unsigned" : "convert", TermType(to),
                      {value});
  }
  return pool.Apply("convert", to, {value});
}

Term Convert(Scope& scope, Term value, PrimitiveType from, PrimitiveType to) {
  Pool& pool = scope.pool();
  if (from == to) return value;
  if (hlo::IsComplex(from)) {
    return hlo::IsComplex(to) ? pool.Apply("convert", to, {value}) : nullptr;
  }
  if (hlo::IsComplex(to)) {
    PrimitiveType part = PartType(to);
    return ComplexOf(pool, Convert(scope, value, from, part), Zero(pool, part), to);
  }
  return IsIntegerType(from) ? ConvertInteger(scope, value, from, to)
                             : ConvertFloat(pool, value, from, to);
}

Term CompareFloats(Pool& pool, llvm::StringRef direction, bool total_order, Term a, Term b) {
  auto apply = [&](llvm::StringRef name, Term x, Term y) {
    return pool.Apply(("compare-" + name + (total_order ? "-total" : "")).str(),
                      PrimitiveType::kPred, {x, y});
  };
  if (direction == "LT" || direction == "LE") return apply(direction, a, b);
  if (direction == "GT" || direction == "GE") return apply(direction == "GT" ? "LT" : "LE", b, a);
  if (direction != "EQ" && direction != "NE") return nullptr;
  Term equal = apply("EQ", a, b);
  return direction == "EQ" ? equal : pool.OfCondition(pool.Not(pool.Holds(equal)));
}

Term WithBits(Pool& pool, Term value, PrimitiveType type) {
  type = TermType(type);
  if (value->type == type) return value;
  if (value->kind == Kind::kApply && value->name == "bitcast" && value->args[0]->type == type)
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
  return pool.Apply("bitcast", type, {value});
}

PrimitiveType PartType(PrimitiveType type) {
  return type == PrimitiveType::kC128 ? PrimitiveType::kF64 : PrimitiveType::kF32;
}

// A part of a literal: the real one is in the low bits.
static Term PartOfLiteral(Pool& pool, Term literal, bool imaginary) {
  PrimitiveType part = PartType(literal->type);
  const int64_t width = hlo::BitWidth(part);
  return pool.Literal(part, LowBits(imaginary ? literal->number >> width : literal->number, width));
}

Term RealPart(Pool& pool, Term value) {
  if (value->kind == Kind::kLiteral) return PartOfLiteral(pool, value, false);
  if (value->kind == Kind::kApply && value->name == "complex") return value->args[0];
  return pool.Apply("real", PartType(value->type), {value});
}

Term ImaginaryPart(Pool& pool, Term value) {
  if (value->kind == Kind::kLiteral) return PartOfLiteral(pool, value, true);
  if (value->kind == Kind::kApply && value->name == "complex") return value->args[1];
  return pool.Apply("imag", PartType(value->type), {value});
}

Term ComplexOf(Pool& pool, Term real, Term imaginary, PrimitiveType type) {
  auto is_part = [](Term t, llvm::StringRef name) {
    return t->kind == Kind::kApply && t->name == name;
  };
  if (is_part(real, "real") && is_part(imaginary, "imag") && real->args == imaginary->args &&
      real->args[0]->type == type) {
    return real->args[0];
  }
  if (real->kind == Kind::kLiteral && imaginary->kind == Kind::kLiteral) {
    const int64_t width = hlo::BitWidth(real->type);
    Int128 high;
    if (!__builtin_mul_overflow(LowBits(imaginary->number, width), Int128{1} << width, &high))
      return pool.Literal(type, high + LowBits(real->number, width));
  }
  return pool.Apply("complex", type, {real, imaginary});
}

Term ElementOfLiteral(Pool& pool, const hlo::Literal& literal, int64_t linear) {
  PrimitiveType type = literal.shape().type;
  if (IsIntegerType(type)) return pool.Literal(TermType(type), literal.GetInt(linear));
  size_t size = hlo::ByteWidth(type);
  Int128 bits = 0;  // the bytes of a host whose low bytes come first
  std::memcpy(&bits, literal.data() + linear * size, size);
  return pool.Literal(type, LowBits(bits, hlo::BitWidth(type)));
}

std::string ConstantName(PrimitiveType type, llvm::ArrayRef<uint8_t> bytes) {
  return ("constant-" + hlo::Name(TermType(type)) + "-" +
          llvm::toHex(llvm::SHA256::hash(bytes), /*LowerCase=*/true))
      .str();
}

}  // namespace affirm::terms
