#include "verify/enclosure/elementwise.h"

#include <algorithm>
#include <cmath>

#include "core/hlo/float_format.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/enclosure/complex_functions.h"
#include "verify/enclosure/integers.h"
#include "verify/enclosure/real_functions.h"
#include "verify/reference/compare.h"
#include "verify/scalar/elementwise_convert.h"

namespace affirm::enclosure {

using hlo::Instruction;
using hlo::IntType;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::ScalarKind;
using hlo::ScalarKindOf;

namespace {

bool IsFloatType(PrimitiveType type) { return ScalarKindOf(type) == ScalarKind::kFloat; }

// The result of an operation that does not round. f8e8m0fnu has no zero and no negative numbers,
// f4e2m1fn no NaN.
Interval AsExact(PrimitiveType type, const Interval& value) {
  const bool has_all = hlo::RoundTo(type, 0) == 0 && std::isnan(hlo::RoundTo(type, std::nan("")));
  return has_all ? Flushed(value, type) : Rounded(value, type);
}

// Rounds to few bits whatever a compiler does: of numbers of the type.
Interval ReducedPrecision(const hlo::ScalarOp& exact, PrimitiveType type, const Interval& a) {
  if (!a.HasNumbers()) return AsExact(type, a);
  auto value = [&](double x) {
    const hlo::Scalar operand = {.re = x};
    return exact(&operand).re;
  };
  const double lo = value(a.lo), hi = value(a.hi);
  if (std::isnan(lo) || std::isnan(hi)) return Interval::Whole();
  return AsExact(type, {.lo = lo, .hi = hi, .nan = a.nan});
}

// Rounded to TF32, in either direction.
bool RoundsToTf32(const Instruction& op) {
  return op.opcode == Opcode::kReducePrecision && op.shape.type == PrimitiveType::kF32 &&
         op.attributes.exponent_bits == 8 && op.attributes.mantissa_bits == 10;
}
Interval InTf32(const Interval& a, const Interval& nearest) {
  auto place = [](double x) {
    int exponent = 0;
    std::frexp(x, &exponent);
    return std::ldexp(1, std::max(exponent - 11, -136));
  };
  // A value that rounds to infinity may be cut off to the largest number.
  Interval result = Hull(a, nearest);
  if (!result.HasNumbers()) return result;
  if (std::isfinite(result.lo)) result.lo -= place(result.lo);
  if (std::isfinite(result.hi)) result.hi += place(result.hi);
  return result;
}

// Operations whose result is a number of the type, of operands that are.
bool IsExact(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kCeil:
    case Opcode::kClamp:
    case Opcode::kCopy:
    case Opcode::kFloor:
    case Opcode::kImag:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kNegate:
    case Opcode::kReal:
    case Opcode::kReducePrecision:
    case Opcode::kRemainder:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kSelect:
    case Opcode::kSign:
      return true;
    default:
      return false;
  }
}

// How two values may lie: each of these is whether some of the values do.
struct Order {
  bool less = false, equal = false, greater = false;
  bool unordered = false;  // one is NaN
};

// Whether a comparison holds, of some and of all values.
Enclosure Compared(const std::string& direction, const Order& order) {
  const bool is_equality = direction == "EQ" || direction == "NE";
  const bool holds_less = direction == "LT" || direction == "LE" || direction == "NE";
  const bool holds_greater = direction == "GT" || direction == "GE" || direction == "NE";
  const bool holds_equal = direction == "EQ" || (!is_equality && direction[1] == 'E');
  const bool holds_unordered = direction == "NE";
  auto some = [&](bool wanted) {
    return (order.less && holds_less == wanted) || (order.equal && holds_equal == wanted) ||
           (order.greater && holds_greater == wanted) ||
           (order.unordered && holds_unordered == wanted);
  };
  return Enclosure::Integers(some(false) ? 0 : 1, some(true) ? 1 : 0);
}

Order OrderOf(const Interval& a, const Interval& b) {
  Order order = {.unordered = a.nan || b.nan};
  if (!a.HasNumbers() || !b.HasNumbers()) return order;
  order.less = a.lo < b.hi;
  order.equal = std::max(a.lo, b.lo) <= std::min(a.hi, b.hi);
  order.greater = a.hi > b.lo;
  return order;
}

// The total order, in which the signs of NaNs and of zeros count.
Order TotalOrderOf(const Interval& a, const Interval& b) {
  const auto has_zero = [](const Interval& x) { return x.lo <= 0 && x.hi >= 0; };
  if (a.nan || b.nan || (has_zero(a) && has_zero(b)))
    return {.less = true, .equal = true, .greater = true};
  return OrderOf(a, b);
}

Order OrderOf(IntType of, const Enclosure& a, const Enclosure& b) {
  return {.less = of.Less(a.lo, b.hi),
          .equal = !of.Less(a.hi, b.lo) && !of.Less(b.hi, a.lo),
          .greater = of.Less(b.lo, a.hi)};
}

// A float or an integer as a number of a float type.
Enclosure ConvertedToFloat(PrimitiveType from, PrimitiveType to, const Enclosure& a,
                           Freedom freedom) {
  // Nothing is kept in a wider type than f32: the nearest number, and of no operation's result.
  auto converted = [&](const Interval& exact) -> Interval {
    const bool is_narrow = to != PrimitiveType::kF32 && to != PrimitiveType::kF64;
    if (is_narrow || !exact.HasNumbers())
      return Rounded(exact, to, {.excess = freedom.excess_precision, .cut_off = true});
    return Flushed(
        {.lo = hlo::RoundTo(to, exact.lo), .hi = hlo::RoundTo(to, exact.hi), .nan = exact.nan}, to);
  };
  if (IsFloatType(from)) {
    const bool is_wider =
        to == PrimitiveType::kF64 || (to == PrimitiveType::kF32 && from != PrimitiveType::kF64);
    return Enclosure::Real(is_wider ? Flushed(a.real, from) : converted(a.real));
  }
  auto number = [&](int64_t i) -> Interval {
    const bool is_unsigned = !IntType::Of(from).is_signed;
    const double nearest =
        is_unsigned ? static_cast<double>(static_cast<uint64_t>(i)) : static_cast<double>(i);
    const bool is_exact = std::fabs(nearest) <= 0x1p53;
    return is_exact ? Interval::Of(nearest) : Widened(Interval::Of(nearest), 1);
  };
  return Enclosure::Real(converted(Hull(number(a.lo), number(a.hi))));
}

Enclosure ConvertedToInteger(PrimitiveType from, PrimitiveType to, const Enclosure& a) {
  if (to == PrimitiveType::kPred) {
    if (IsFloatType(from)) return Compared("NE", OrderOf(a.real, Interval::Of(0)));
  }
  if (ScalarKindOf(from) == ScalarKind::kInt) return ConvertedIntegers(from, to, a);
  if (!IsFloatType(from)) return Enclosure::Whole(to);
  const auto of = IntType::Of(to);
  Enclosure result = Enclosure::Integers(0, 0);
  if (!a.real.HasNumbers()) return result;
  result =
      Enclosure::Integers(hlo::SaturateToInt(a.real.lo, of), hlo::SaturateToInt(a.real.hi, of));
  return a.real.nan ? Hull(to, result, Enclosure::Integers(0, 0)) : result;
}

Enclosure Converted(PrimitiveType from, PrimitiveType to, const Enclosure& a, Freedom freedom) {
  if (IsFloatType(to)) return ConvertedToFloat(from, to, a, freedom);
  if (ScalarKindOf(to) == ScalarKind::kInt) return ConvertedToInteger(from, to, a);
  const PrimitiveType part = hlo::PartType(to);
  if (ScalarKindOf(from) != ScalarKind::kComplex)
    return {.real = ConvertedToFloat(from, part, a, freedom).real, .imaginary = Interval::Of(0)};
  auto converted = [&](const Interval& x) {
    return ConvertedToFloat(hlo::PartType(from), part, Enclosure::Real(x), freedom).real;
  };
  return {.real = converted(a.real), .imaginary = converted(a.imaginary)};
}

// Operations whose rule is the same for all types: select, clamp, compare, convert.
std::optional<Enclosure> OfAnyType(const Instruction& op, llvm::ArrayRef<Enclosure> operands,
                                   Freedom freedom) {
  const PrimitiveType type = op.shape.type, from = op.operands[0]->shape.type;
  switch (op.opcode) {
    case Opcode::kSelect: {
      if (operands[0].lo == operands[0].hi) return operands[operands[0].lo != 0 ? 1 : 2];
      return Hull(type, operands[1], operands[2]);
    }
    case Opcode::kClamp: {
      if (!IsFloatType(type)) return std::nullopt;
      return Enclosure::Real(
          Smallest(Largest(operands[1].real, operands[0].real), operands[2].real));
    }
    case Opcode::kCompare: {
      const std::string& direction = op.attributes.comparison_direction;
      // A value is equal to itself, unless it is NaN.
      if (op.operands[0] == op.operands[1] && ScalarKindOf(from) != ScalarKind::kComplex) {
        const bool is_float = IsFloatType(from);
        const bool is_total = op.attributes.comparison_type == "TOTALORDER";
        return Compared(direction, {.equal = !is_float || is_total || operands[0].real.HasNumbers(),
                                    .unordered = is_float && !is_total && operands[0].real.nan});
      }
      if (ScalarKindOf(from) == ScalarKind::kInt)
        return Compared(direction, OrderOf(IntType::Of(from), operands[0], operands[1]));
      if (ScalarKindOf(from) == ScalarKind::kComplex) {
        auto equal = [&](const Interval& x, const Interval& y) {
          const PrimitiveType part = hlo::PartType(from);
          return Compared("EQ", OrderOf(Flushed(x, part), Flushed(y, part)));
        };
        const Enclosure real = equal(operands[0].real, operands[1].real),
                        imaginary = equal(operands[0].imaginary, operands[1].imaginary);
        const Enclosure both = Enclosure::Integers(real.lo & imaginary.lo, real.hi & imaginary.hi);
        return direction == "EQ" ? both : Enclosure::Integers(1 - both.hi, 1 - both.lo);
      }
      if (!IsFloatType(from)) return Enclosure::Whole(type);
      if (op.attributes.comparison_type == "TOTALORDER")
        return Compared(direction, TotalOrderOf(operands[0].real, operands[1].real));
      return Compared(direction,
                      OrderOf(Flushed(operands[0].real, from), Flushed(operands[1].real, from)));
    }
    case Opcode::kConvert:
      return Converted(from, type, operands[0], freedom);
    case Opcode::kIsFinite: {
      if (!IsFloatType(from)) return std::nullopt;
      const Interval& a = operands[0].real;
      const bool infinite = a.HasNumbers() && (std::isinf(a.lo) || std::isinf(a.hi));
      const bool finite = a.HasNumbers() && !(std::isinf(a.lo) && a.lo == a.hi);
      return Enclosure::Integers(infinite || a.nan ? 0 : 1, finite ? 1 : 0);
    }
    case Opcode::kReal:
      return Enclosure::Real(operands[0].real);
    case Opcode::kImag:
      return Enclosure::Real(ScalarKindOf(from) == ScalarKind::kComplex ? operands[0].imaginary
                                                                        : Interval::Of(0));
    default:
      return std::nullopt;
  }
}

// A quotient by a zero of one sign, or the angle of points on an axis.
std::optional<Interval> OfSignedZero(Opcode opcode, llvm::ArrayRef<Interval> operands) {
  if (operands.size() != 2 || operands[0].nan || !operands[0].HasNumbers()) return std::nullopt;
  const Interval &a = operands[0], &b = operands[1];
  if (opcode == Opcode::kDivide && b.IsPoint() && b.lo == 0 && (a.lo > 0 || a.hi < 0)) {
    const double infinity = std::copysign(kInfinity, b.lo);
    return Interval::Of(a.lo > 0 ? infinity : -infinity);
  }
  if (opcode == Opcode::kAtan2 && a.IsPoint() && b.IsPoint() && a.lo == 0)
    return Interval::Of(std::atan2(a.lo, b.lo));
  return std::nullopt;
}

// Zeros of both signs, of which a maximum or minimum may be either.
bool AreBothZeros(const Instruction& op, llvm::ArrayRef<Enclosure> operands) {
  const bool chooses = op.opcode == Opcode::kMaximum || op.opcode == Opcode::kMinimum;
  return chooses && IsFloatType(op.shape.type) && operands[0].real.lo == 0 &&
         operands[1].real.lo == 0 &&
         std::signbit(operands[0].real.lo) != std::signbit(operands[1].real.lo);
}

}  // namespace

double UlpOf(Opcode opcode, PrimitiveType type) {
  constexpr double kFormulas = 4, kDivide = 2, kRsqrt = 2, kLogPlusOneOfF64 = 160;
  if (opcode == Opcode::kLogPlusOne && type == PrimitiveType::kF64) return kLogPlusOneOfF64;
  if (opcode == Opcode::kDivide) return kDivide;
  if (opcode == Opcode::kRsqrt) return kRsqrt;
  const auto measured = static_cast<double>(hlo::MathBoundOf(opcode));
  return measured > 0 ? measured + kFormulas : 0.5;
}

double RoundoffsInType(Opcode opcode, PrimitiveType type) {
  return opcode == Opcode::kExponentialMinusOne && type == PrimitiveType::kF16 ? 4 : 0;
}

Enclosure Elementwise(const Instruction& op, llvm::ArrayRef<Enclosure> operands,
                      const hlo::ScalarOp& exact, Freedom freedom) {
  const PrimitiveType type = op.shape.type;
  if (freedom.tf32_neighbors && RoundsToTf32(op)) {
    const Interval& operand = operands[0].real;
    return Enclosure::Real(InTf32(operand, ReducedPrecision(exact, type, operand)));
  }
  const bool is_point = llvm::all_of(llvm::zip(op.operands, operands), [](const auto& pair) {
    return IsPoint(std::get<0>(pair)->shape.type, std::get<1>(pair));
  });
  const bool is_integer = ScalarKindOf(type) == ScalarKind::kInt;
  const bool compares_floats =
      op.opcode == Opcode::kCompare && IsFloatType(op.operands[0]->shape.type);
  const bool of_complex = ScalarKindOf(op.operands[0]->shape.type) == ScalarKind::kComplex;
  const bool is_formula = of_complex && (op.opcode == Opcode::kAbs || op.opcode == Opcode::kSign);
  const bool is_exact = IsExact(op.opcode) && !is_formula && !AreBothZeros(op, operands);
  if (is_point && !compares_floats && (is_integer || is_exact)) {
    llvm::SmallVector<hlo::Scalar, 3> values;
    for (auto [operand, of] : llvm::zip(op.operands, operands))
      values.push_back(ValueOf(operand->shape.type, of));
    const Enclosure result = Enclosure::Of(type, exact(values.data()));
    return IsFloatType(type) ? Enclosure::Real(Flushed(result.real, type)) : result;
  }
  if (auto result = OfAnyType(op, operands, freedom)) return *result;
  if (is_integer) return EncloseIntegers(op, operands);
  if (!IsFloatType(type)) return EncloseComplex(op, operands);
  if (op.opcode == Opcode::kAbs && of_complex)
    return Enclosure::Real(ComplexMagnitude(type, operands[0]));
  // Operands of another type than the result's, as random bits.
  for (const Instruction* operand : op.operands) {
    if (operand->shape.type != type) return Enclosure::Whole(type);
  }
  llvm::SmallVector<Interval, 3> reals;
  for (const Enclosure& operand : operands) reals.push_back(operand.real);
  std::optional<Interval> value = op.opcode == Opcode::kReducePrecision
                                      ? ReducedPrecision(exact, type, reals[0])
                                      : ElementwiseReal(op.opcode, type, reals, freedom);
  return value ? Enclosure::Real(*value) : Enclosure::Whole(type);
}

std::optional<Interval> ElementwiseReal(Opcode opcode, PrimitiveType type,
                                        llvm::ArrayRef<Interval> operands, Freedom freedom) {
  const bool is_exact = IsExact(opcode);
  auto operand = [&](size_t k) { return is_exact ? operands[k] : Flushed(operands[k], type); };
  if (auto of_zero = freedom.either_zero ? std::nullopt : OfSignedZero(opcode, operands))
    return Rounded(*of_zero, type,
                   {.ulp = UlpOf(opcode, type), .excess = freedom.excess_precision});
  std::optional<Interval> value;
  if (operands.size() == 1) value = RealFunctionOf(opcode, operand(0));
  if (operands.size() == 2) value = RealFunctionOf(opcode, operand(0), operand(1));
  if (!value) return std::nullopt;
  if (is_exact) return AsExact(type, *value);
  // A quotient by a power of two is exact, also as a product with its reciprocal; and so is zero.
  double ulp = UlpOf(opcode, type);
  if (opcode == Opcode::kDivide) {
    int exponent = 0;
    const bool is_power =
        operands[1].IsPoint() && std::fabs(std::frexp(operands[1].lo, &exponent)) == 0.5;
    if (is_power || (value->lo == 0 && value->hi == 0)) ulp = 0.5;
  }
  // XLA:CPU's cube root of a subnormal number is any number of that size.
  if (opcode == Opcode::kCbrt && operand(0) != operands[0]) value = Hull(*value, Negated(*value));
  if (const double roundoffs = RoundoffsInType(opcode, type); roundoffs > 0) {
    const double error = roundoffs * UnitRoundoff(type) * Magnitude(*value).hi;
    if (std::isfinite(error)) value = Sum(*value, {.lo = -error, .hi = error});
  }
  return Rounded(
      *value, type,
      {.ulp = ulp, .excess = freedom.excess_precision, .contracted = opcode == Opcode::kMultiply});
}

}  // namespace affirm::enclosure
