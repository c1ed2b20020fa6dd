#include "verify/reference/argument_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/hlo/float_format.h"
#include "verify/reference/ops.h"
#include "verify/scalar/float_limits.h"

namespace affirm::hlo {
namespace {

// One in eight is 0, one in eight 1, the others multiples of 1/64 in [-2, 2]: short enough that
// sums of many of them are exact in f32, whatever the order.
double SmallFloat(Random& random) {
  switch (random.Below(8)) {
    case 0:
      return 0;
    case 1:
      return 1;
    default:
      return static_cast<double>(random.Below(257) - 128) / 64;
  }
}

// Uses every bit of the mantissa, with magnitudes that differ by up to 2^12: sums of such numbers
// round, so that a different order of the terms shows.
double RoundingFloat(Random& random) {
  const double mantissa = 1 + std::ldexp(static_cast<double>(random.Next() >> 12), -52);
  const double value = std::ldexp(mantissa, static_cast<int>(random.Below(13)) - 6);
  return random.Below(2) == 0 ? value : -value;
}

// With every bit of the mantissa, from 1/4 to 4.
double PositiveFloat(Random& random) {
  const double mantissa = 1 + std::ldexp(static_cast<double>(random.Next() >> 12), -52);
  return std::ldexp(mantissa, static_cast<int>(random.Below(4)) - 2);
}

// Has magnitudes over the whole range of single precision; a sum of such numbers is about its
// largest term.
double WideFloat(Random& random) {
  return std::ldexp(RoundingFloat(random), static_cast<int>(random.Below(200)) - 100);
}

// The numbers at which formulas break.
double SpecialFloat(PrimitiveType type, Random& random) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  switch (random.Below(12)) {
    case 0:
      return 0.0;
    case 1:
      return -0.0;
    case 2:
      return kInf;
    case 3:
      return -kInf;
    case 4:
      return std::numeric_limits<double>::quiet_NaN();
    case 5:  // the least denormal number
      return DecodeFloat(type, 1);
    case 6:
      return type == PrimitiveType::kF64   ? std::numeric_limits<double>::max()
             : type == PrimitiveType::kF32 ? std::numeric_limits<float>::max()
                                           : 448.0;
    case 7:
      return type == PrimitiveType::kF64 ? -std::numeric_limits<double>::min() / 2
                                         : -std::numeric_limits<float>::min() / 2;
    case 8:
      return random.OneOf({1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5});
    case 9:  // where integers and halves end
      return random.OneOf({16777216.0, -8388608.5, 2147483648.0, -9223372036854775808.0, 65504.0});
    default:
      return RoundingFloat(random);
  }
}

// Numbers at which roundings to narrower types change: some digits behind the point, perhaps half
// of the last one more, at a magnitude where the exponents of a type end, or between; and the
// neighbors of these. A type of few bits has any finite number.
double EdgeFloat(PrimitiveType type, Random& random) {
  const auto bits = static_cast<int>(BitWidth(type));
  const auto finite = [&](uint64_t pattern, double otherwise) {
    const double value = DecodeFloat(type, pattern);
    return std::isfinite(value) ? value : otherwise;
  };
  if (bits <= 8) return finite(random.Next() & ((uint64_t{1} << bits) - 1), 1);
  const auto mantissa = static_cast<int>(random.Below(12));
  const int bias = (1 << random.Below(bits == 16 ? 5 : 8)) - 1;
  const int64_t all = (int64_t{1} << mantissa) - 1;
  const int64_t digits = random.OneOf({int64_t{0}, all, random.Below(all + 1)});
  const double significand =
      1 + std::ldexp(static_cast<double>(2 * digits + random.Below(2)), -mantissa - 1);
  const int exponent = random.OneOf({bias, bias + 1, 1 - bias, -bias, -bias - mantissa,
                                     static_cast<int>(random.Below(2 * bias + 1)) - bias});
  const double value = std::ldexp(random.Below(2) == 0 ? significand : -significand, exponent);
  const uint64_t pattern = EncodeFloat(type, value);
  return finite(pattern + static_cast<uint64_t>(random.Below(3)) - 1, finite(pattern, 1));
}

// Whether what an element is depends on its array, or on the computation.
bool IsPatterned(ArgumentKind kind) {
  return kind == ArgumentKind::kUniform || kind == ArgumentKind::kEnds ||
         kind == ArgumentKind::kRows || kind == ArgumentKind::kConstants;
}

double FloatOf(PrimitiveType type, ArgumentKind kind, Random& random) {
  if (kind == ArgumentKind::kEdges) return EdgeFloat(type, random);
  // Only positive powers of two exist.
  if (type == PrimitiveType::kF8E8M0FNU) return 0.25 * (int64_t{1} << random.Below(5));
  switch (kind) {
    case ArgumentKind::kSmall:
      return SmallFloat(random);
    case ArgumentKind::kRounding:
      return RoundingFloat(random);
    case ArgumentKind::kSpecial:
      return SpecialFloat(type, random);
    case ArgumentKind::kWide:
      return random.Below(8) == 0 ? SmallFloat(random) : WideFloat(random);
    case ArgumentKind::kPositive:
      return PositiveFloat(random);
    case ArgumentKind::kUniform:  // what stands beside the values of the kind
    case ArgumentKind::kEnds:
    case ArgumentKind::kRows:
    case ArgumentKind::kConstants:
      return SmallFloat(random);
    case ArgumentKind::kEdges:
      break;
  }
  return 0;
}

// The values that all elements of an array have, by number.
double UniformFloat(PrimitiveType type, uint64_t number) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double largest = LargestFinite(type);
  // In a type without infinities the largest numbers take their place.
  const double above = RoundTo(type, kInf);
  const double infinity = std::isinf(above) ? above : largest;
  switch (number % kUniformValues) {
    case 0:
      return -infinity;
    case 1:
      return infinity;
    case 2:
      return std::numeric_limits<double>::quiet_NaN();
    case 3:
      return -0.0;
    case 4:
      return largest;
    case 5:
      return -largest;
    case 6:
      return 0.0;
    default:
      return -1.0;
  }
}

int64_t UniformInt(IntType type, uint64_t number) {
  const int64_t values[kUniformValues] = {type.Min(), type.Max(), 0, type.Wrap(-1),
                                          type.Max(), type.Min(), 1, type.Wrap(-1)};
  return values[number % kUniformValues];
}

// The patterns of rows. `shared` is the row's own sequence, the same for all of its elements.
enum RowPattern : uint8_t { kNegative, kOneNumber, kLowest, kNaN, kNegativeZero, kZero, kHighest };

double RowFloat(PrimitiveType type, uint64_t pattern, Random& shared, Random& random) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  // For a type without infinities, the largest numbers take their place.
  const double above = RoundTo(type, kInf);
  const double infinity = std::isinf(above) ? above : LargestFinite(type);
  switch (pattern) {
    case kNegative:
      return -PositiveFloat(random);
    case kOneNumber:
      return SmallFloat(shared);
    case kLowest:
      return -infinity;
    case kNaN:
      return std::numeric_limits<double>::quiet_NaN();
    case kNegativeZero:
      return -0.0;
    case kZero:
      return 0;
    default:
      return infinity;
  }
}

int64_t SmallInt(PrimitiveType type, Random& random);

int64_t RowInt(PrimitiveType of, uint64_t pattern, Random& shared, Random& random) {
  const IntType type = IntType::Of(of);
  switch (pattern) {
    case kNegative:  // of unsigned types the upper half
      return type.Wrap(-1 - random.Below(int64_t{1} << std::clamp(type.bits - 2, 0, 14)));
    case kOneNumber:
      return SmallInt(of, shared);
    case kLowest:
      return type.Min();
    case kNaN:
      return type.Max();
    case kNegativeZero:
      return type.Wrap(-1);
    case kZero:
      return 0;
    default:
      return type.Wrap(1 + random.Below(9));
  }
}

int64_t SmallInt(PrimitiveType type, Random& random) {
  if (IsSignedInt(type)) return IntType::Of(type).Wrap(random.Below(19) - 9);
  return IntType::Of(type).Wrap(random.Below(20));
}

// An integer that becomes an index within `bounds`.
int64_t IndexOf(IntType type, const IndexUse::Bounds& bounds, ArgumentKind kind, Random& random) {
  const auto [low, high] = bounds;
  const int64_t inside = high < low ? low : low + random.Below(high - low + 1);
  // For unsigned types, negative numbers wrap to indices far outside.
  switch (kind) {
    case ArgumentKind::kPositive:
    case ArgumentKind::kSmall:
    case ArgumentKind::kUniform:
    case ArgumentKind::kEnds:
    case ArgumentKind::kRows:
    case ArgumentKind::kConstants:
      break;
    case ArgumentKind::kRounding:
      return random.OneOf({high, high, high + 1, high + 1, type.Max(), inside});
    case ArgumentKind::kSpecial:
      return random.OneOf({low, low - 1, low - 1, int64_t{-1}, type.Min(), type.Min(), inside});
    case ArgumentKind::kWide:
    case ArgumentKind::kEdges:
      return random.OneOf({inside, inside, inside, low - 1 - random.Below(8),
                           high + 1 + random.Below(8), high, low});
  }
  return inside;
}

// An integer at which its conversion to a float changes: an odd number of as many digits as a float
// may have and half of the last one more, shifted, and its neighbors; so also powers of two.
int64_t EdgeInt(IntType type, Random& random) {
  const auto digits = random.OneOf({1, 3, 4, 8, 11, 24, 53});
  const auto shift = static_cast<int>(random.Below(64));
  const uint64_t number =
      (random.Next() & ((uint64_t{1} << digits) - 1)) | 1 | (uint64_t{1} << (digits - 1));
  const uint64_t half = random.Below(2) == 0 || shift == 0 ? 0 : uint64_t{1} << (shift - 1);
  const uint64_t value = (number << shift) + half + static_cast<uint64_t>(random.Below(3)) - 1;
  return type.Wrap(random.Below(2) == 0 ? value : 0 - value);
}

int64_t IntOf(PrimitiveType of, const IndexUse& use, ArgumentKind kind, Random& random) {
  const IntType type = IntType::Of(of);
  if (kind == ArgumentKind::kPositive && use.bounds.empty()) return type.Wrap(1 + random.Below(9));
  // With a loop of 2^31 trips the interpreter would not finish.
  if (kind == ArgumentKind::kSmall || use.in_loop_state) return SmallInt(of, random);
  if (!use.bounds.empty()) {
    const IndexUse::Bounds& bounds = use.bounds[random.Below(std::ssize(use.bounds))];
    return type.Wrap(IndexOf(type, bounds, kind, random));
  }
  if (kind == ArgumentKind::kEdges) return EdgeInt(type, random);
  // Beside a constant, what sums and products leave it with.
  if (kind == ArgumentKind::kConstants && random.Below(2) == 0)
    return type.Wrap(random.OneOf({int64_t{-1}, int64_t{0}, int64_t{1}}));
  if (IsPatterned(kind)) return SmallInt(of, random);
  switch (random.Below(8)) {
    case 0:
      return type.Max();
    case 1:
      return type.Min();
    case 2:
      return type.Wrap(random.OneOf({int64_t{-1}, int64_t{0}, int64_t{1}}));
    case 3:
    case 4:
      return type.Wrap(random.Next());
    default:
      return SmallInt(of, random);
  }
}

}  // namespace

Scalar ArgumentFiller::Value(PrimitiveType type, const IndexUse& use) {
  switch (ScalarKindOf(type)) {
    case ScalarKind::kInt:
      return {.i = IntOf(type, use, kind, random)};
    case ScalarKind::kFloat:
      return {.re = FloatOf(type, plain_floats ? Moderate() : kind, random)};
    default: {
      const ArgumentKind of_parts = plain_complex ? ArgumentKind::kSmall : Moderate();
      const double re = FloatOf(PrimitiveType::kF32, of_parts, random);
      return {0, re, FloatOf(PrimitiveType::kF32, of_parts, random)};
    }
  }
}

void ArgumentFiller::Fill(Literal& literal, llvm::ArrayRef<IndexUse>& uses) {
  if (literal.shape().IsTuple()) {
    for (Literal& element : literal.tuple()) Fill(element, uses);
    return;
  }
  const IndexUse& use = uses.front();
  const Shape& shape = literal.shape();
  const int64_t count = shape.IsArray() ? shape.NumElements() : 0;
  const bool is_free = use.bounds.empty() && !use.in_loop_state;
  if (!IsPatterned(kind) || !is_free || ScalarKindOf(shape.type) == ScalarKind::kComplex) {
    for (int64_t i = 0; i < count; ++i) Store(literal, i, Value(shape.type, use));
  } else if (kind == ArgumentKind::kUniform) {
    const Scalar value = UniformValue(shape.type, use);
    for (int64_t i = 0; i < count; ++i) Store(literal, i, value);
  } else if (kind == ArgumentKind::kEnds) {
    FillEnds(literal, use);
  } else if (kind == ArgumentKind::kRows) {
    for (int64_t i = 0; i < count; ++i) Store(literal, i, RowValue(shape, use, i));
  } else {
    for (int64_t i = 0; i < count; ++i) Store(literal, i, NearConstant(shape.type, use));
  }
  uses = uses.drop_front();
}

Scalar ArgumentFiller::UniformValue(PrimitiveType type, const IndexUse& use) {
  if (ScalarKindOf(type) == ScalarKind::kInt) return {.i = UniformInt(IntType::Of(type), number)};
  const bool exists = !plain_floats && type != PrimitiveType::kF8E8M0FNU;
  return exists ? Scalar{.re = UniformFloat(type, number)} : Value(type, use);
}

Scalar ArgumentFiller::RowValue(const Shape& shape, const IndexUse& use, int64_t linear) {
  const PrimitiveType type = shape.type;
  const ScalarKind of = ScalarKindOf(type);
  const bool is_free = use.bounds.empty() && !use.in_loop_state;
  if (!is_free || of == ScalarKind::kComplex || type == PrimitiveType::kF8E8M0FNU)
    return Value(type, use);
  // Rows along the last dimension, and with larger numbers along the others.
  const int64_t rank = shape.rank();
  const auto turn = static_cast<int64_t>(number / kRowPatterns);
  const int64_t dim = rank == 0 ? 0 : rank - 1 - turn % rank;
  int64_t stride = 1;
  for (int64_t d = dim + 1; d < rank; ++d) stride *= shape.dims[d];
  const int64_t size = rank == 0 ? 1 : shape.dims[dim];
  const auto row = static_cast<uint64_t>(linear / (stride * size) * stride + linear % stride);
  const uint64_t pattern = (number + row) % kRowPatterns;
  Random shared(number * 0x9E3779B97F4A7C15 + row);
  if (of == ScalarKind::kInt) return {.i = RowInt(type, pattern, shared, random)};
  const bool is_number = pattern != kLowest && pattern != kNaN && pattern != kHighest;
  if (plain_floats && !is_number) return {.re = SmallFloat(random)};
  return {.re = RowFloat(type, pattern, shared, random)};
}

// Fills all elements with one number, except the elements at one end of a dimension.
void ArgumentFiller::FillEnds(Literal& literal, const IndexUse& use) {
  const Shape& shape = literal.shape();
  const bool is_float = ScalarKindOf(shape.type) == ScalarKind::kFloat;
  const int64_t base = random.Below(4) == 0 ? 1 : 0;
  int64_t dim = 0, end = 0, stride = 1;
  if (shape.rank() > 0) {
    dim = random.Below(shape.rank());
    end = random.Below(2) == 0 ? 0 : shape.dims[dim] - 1;
    for (int64_t d = dim + 1; d < shape.rank(); ++d) stride *= shape.dims[d];
  }
  for (int64_t i = 0; i < literal.NumElements(); ++i) {
    const bool at_end = shape.rank() == 0 || i / stride % shape.dims[dim] == end;
    const Scalar usual = is_float ? Scalar{.re = static_cast<double>(base)} : Scalar{.i = base};
    Store(literal, i, at_end ? Other(shape.type, use, base) : usual);
  }
}

Scalar ArgumentFiller::Other(PrimitiveType type, const IndexUse& use, int64_t base) {
  Scalar value = Value(type, use);
  if (ScalarKindOf(type) == ScalarKind::kFloat) {
    if (value.re == static_cast<double>(base)) value.re = 2;
  } else if (value.i == base) {
    value.i = IntType::Of(type).Wrap(base == 0 ? 1 : 0);
  }
  return value;
}

Scalar ArgumentFiller::NearConstant(PrimitiveType type, const IndexUse& use) {
  const bool is_int = ScalarKindOf(type) == ScalarKind::kInt;
  const auto count =
      static_cast<int64_t>(is_int ? constants->ints.size() : constants->floats.size());
  if (count == 0 || random.Below(2) == 0) return Value(type, use);
  const auto which = static_cast<size_t>(random.Below(count));
  const auto by = static_cast<uint64_t>(random.Below(3)) - 1;
  if (is_int)
    return {.i = IntType::Of(type).Wrap(static_cast<uint64_t>(constants->ints[which]) + by)};
  const uint64_t pattern = EncodeFloat(type, constants->floats[which]);
  const double value = DecodeFloat(type, random.Below(2) == 0 ? pattern : pattern + by);
  return std::isfinite(value) ? Scalar{.re = value} : Value(type, use);
}

ArgumentKind ArgumentFiller::Moderate() const {
  const bool is = kind == ArgumentKind::kSmall || kind == ArgumentKind::kPositive;
  if (IsPatterned(kind)) return ArgumentKind::kSmall;
  return is ? kind : ArgumentKind::kRounding;
}

}  // namespace affirm::hlo
