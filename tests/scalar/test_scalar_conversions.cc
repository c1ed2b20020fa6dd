// Conversions of values and of precision, and their limits.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/hlo/float_format.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "tests/scalar/run_scalar.h"
#include "verify/scalar/elementwise_convert.h"
#include "verify/scalar/float_limits.h"

namespace affirm::hlo {
namespace {

using P = PrimitiveType;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Literal ConvertTo(P to, const Literal& x, const std::string& op = "convert") {
  return RunScalar("ENTRY e { x = " + Text(x.shape().type, {}) +
                       " parameter(0) ROOT r = " + Text(to, {}) + " " + op + "(x) }",
                   {x});
}

TEST(Convert, FloatsSaturateAndTruncate) {
  struct Row {
    P type;
    int64_t low, high;
  };
  for (const Row& row :
       {Row{P::kS4, -8, 7}, Row{P::kU4, 0, 15}, Row{P::kS8, -128, 127}, Row{P::kU8, 0, 255},
        Row{P::kS16, -32768, 32767}, Row{P::kS32, -2147483648LL, 2147483647},
        Row{P::kU32, 0, 4294967295LL},
        Row{P::kS64, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()},
        Row{P::kU64, 0, -1}}) {
    for (P from : {P::kF32, P::kF64, P::kBF16}) {
      const Literal x = Floats(from, {8}, {kNaN, kInf, -kInf, 1e38, -1e38, 2.75, -2.75, -0.0});
      const std::vector<int64_t> want = {
          0, row.high, row.low, row.high, row.low, 2, row.low == 0 ? 0 : -2, 0};
      EXPECT_EQ(IntValues(ConvertTo(row.type, x)), want) << Name(row.type).str();
    }
  }
}

TEST(Convert, IntegersWrap) {
  const Literal x = Ints(P::kS64, {6}, {300, -1, 128, 1LL << 40, -129, 8});
  EXPECT_EQ(IntValues(ConvertTo(P::kS8, x)), (std::vector<int64_t>{44, -1, -128, 0, 127, 8}));
  EXPECT_EQ(IntValues(ConvertTo(P::kU8, x)), (std::vector<int64_t>{44, 255, 128, 0, 127, 8}));
  EXPECT_EQ(IntValues(ConvertTo(P::kS4, x)), (std::vector<int64_t>{-4, -1, 0, 0, -1, -8}));
  EXPECT_EQ(IntValues(ConvertTo(P::kPred, x)), (std::vector<int64_t>{1, 1, 1, 1, 1, 1}));
}

TEST(Convert, SignedBytesReachWideUnsignedTypes) {
  EXPECT_EQ(IntValues(ConvertTo(P::kU64, Ints(P::kS8, {1}, {-1}))), (std::vector<int64_t>{-1}));
  EXPECT_EQ(IntValues(ConvertTo(P::kS64, Ints(P::kU8, {1}, {255}))), (std::vector<int64_t>{255}));
}

TEST(Convert, ToPredComparesWithZero) {
  const Literal x = Floats(P::kF32, {5}, {0, -0.0, 0.25, kNaN, -kInf});
  EXPECT_EQ(IntValues(ConvertTo(P::kPred, x)), (std::vector<int64_t>{0, 0, 1, 1, 1}));
}

// Conversions to f32 and f64 are those of the machine, which round once.
RC_GTEST_PROP(Convert, IntegersRoundOnce, (int64_t x, uint8_t shift)) {
  const int64_t v = x >> (shift % 64);
  const Literal s = Ints(P::kS64, {}, {v}), u = Ints(P::kU64, {}, {v});
  RC_ASSERT(ConvertTo(P::kF32, s).Get<float>(0) == static_cast<float>(v));
  RC_ASSERT(ConvertTo(P::kF64, s).Get<double>(0) == static_cast<double>(v));
  RC_ASSERT(ConvertTo(P::kF32, u).Get<float>(0) == static_cast<float>(static_cast<uint64_t>(v)));
  RC_ASSERT(ConvertTo(P::kF64, u).Get<double>(0) == static_cast<double>(static_cast<uint64_t>(v)));
}

TEST(Convert, ToBf16DoesNotRoundTwice) {
  // 2^62 + 2^54 + 1 lies just above the middle between two bf16 values; as double it would be the
  // middle.
  const int64_t v = (int64_t{1} << 62) + (int64_t{1} << 54) + 1;
  EXPECT_EQ(ConvertTo(P::kBF16, Ints(P::kS64, {}, {v})).GetFloat(0),
            std::ldexp(1.0, 62) + std::ldexp(1.0, 55));
}

const llvm::fltSemantics& SemanticsOf(P type) {
  switch (type) {
    case P::kF16:
      return llvm::APFloat::IEEEhalf();
    case P::kBF16:
      return llvm::APFloat::BFloat();
    case P::kF32:
      return llvm::APFloat::IEEEsingle();
    default:
      return llvm::APFloat::IEEEdouble();
  }
}

// Integers of every width, to floats and back, against LLVM's.
RC_GTEST_PROP(Convert, IntegersOfEveryWidthAreThoseOfLlvm, (uint64_t bits, uint8_t shift)) {
  const int width = *rc::gen::inRange(1, 65);
  const bool is_signed = *rc::gen::arbitrary<bool>();
  const IntType type = {width, is_signed};
  const llvm::APInt integer(width, (bits >> (shift % 64)) & type.Mask());
  const int64_t value = type.Wrap(integer.getZExtValue());
  for (P to : {P::kF16, P::kBF16, P::kF32, P::kF64}) {
    llvm::APFloat expected(SemanticsOf(to));
    expected.convertFromAPInt(integer, is_signed, llvm::APFloat::rmNearestTiesToEven);
    const double number = IntToFloat(value, type, to);
    RC_ASSERT(EncodeFloat(to, number) == expected.bitcastToAPInt().getZExtValue());
    llvm::APSInt back(width, !is_signed);
    bool is_exact = false;
    // A value outside of the type becomes its limit there too.
    llvm::APFloat(number).convertToInteger(back, llvm::APFloat::rmTowardZero, &is_exact);
    const int64_t expected_back = type.Wrap(back.getZExtValue());
    RC_ASSERT(SaturateToInt(number, type) == expected_back);
  }
}

TEST(LargestFinite, IsTheLargestOfAllPatterns) {
  for (P type : {P::kF16, P::kBF16, P::kF8E5M2, P::kF8E4M3FN, P::kF8E4M3, P::kF8E3M4,
                 P::kF8E4M3FNUZ, P::kF4E2M1FN}) {
    double largest = 0;
    for (uint64_t bits = 0; bits < uint64_t{1} << BitWidth(type); ++bits) {
      const double value = DecodeFloat(type, bits);
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
    EXPECT_EQ(LargestFinite(type), largest) << Name(type).str();
  }
}

// Converting to a wider type and back changes no value.
RC_GTEST_PROP(Convert, WideningIsUndone, (uint16_t bits)) {
  for (P narrow : {P::kF16, P::kBF16}) {
    Literal x(Shape::Array(narrow, {}));
    x.Set<uint16_t>(0, bits);
    if (std::isnan(x.GetFloat(0))) continue;
    for (P wide : {P::kF32, P::kF64, P::kC64}) {
      if (wide == P::kC64) continue;
      RC_ASSERT(ConvertTo(narrow, ConvertTo(wide, x)) == x);
    }
  }
}

TEST(Convert, ComplexTakesReals) {
  const Literal z = ConvertTo(P::kC128, Floats(P::kF32, {2}, {1.5, -2}));
  EXPECT_EQ(z.GetComplex(0), std::complex<double>(1.5, 0));
  EXPECT_EQ(z.GetComplex(1), std::complex<double>(-2, 0));
}

double Reduced(double x, int exponent, int mantissa, P type = P::kF32) {
  return RunScalar("ENTRY e { x = " + Name(type).str() +
                       "[] parameter(0) ROOT r = " + Name(type).str() +
                       "[] reduce-precision(x), exponent_bits=" + std::to_string(exponent) +
                       ", mantissa_bits=" + std::to_string(mantissa) + " }",
                   {Floats(type, {}, {x})})
      .GetFloat(0);
}

// With five exponent bits and ten mantissa bits the result is that of f16, except that subnormals
// become zero.
RC_GTEST_PROP(ReducePrecision, ActsAsTheNarrowerType, (uint32_t bits)) {
  Literal x(Shape::Array(P::kF32, {}));
  x.Set<uint32_t>(0, bits);
  const double v = x.GetFloat(0);
  RC_PRE(!std::isnan(v));
  const Literal half = ConvertTo(P::kF32, ConvertTo(P::kF16, x));
  const double flushed =
      std::fabs(half.GetFloat(0)) < std::ldexp(1.0, -14) ? std::copysign(0.0, v) : half.GetFloat(0);
  // Values that round up to the smallest normal number from below it are flushed before they are.
  if (std::fabs(v) < std::ldexp(1.0, -14)) return;
  RC_ASSERT(Reduced(v, 5, 10) == flushed);
  RC_ASSERT(Reduced(v, 8, 7) == ConvertTo(P::kF32, ConvertTo(P::kBF16, x)).GetFloat(0));
  RC_ASSERT(Reduced(v, 8, 23) == v);
}

TEST(ReducePrecision, Examples) {
  EXPECT_EQ(Reduced(1.0 + 1.0 / 8, 8, 2), 1.0);  // tie to even
  EXPECT_EQ(Reduced(1.0 + 3.0 / 8, 8, 2), 1.5);  // tie to even
  EXPECT_EQ(Reduced(65536.0, 5, 10), kInf);
  EXPECT_EQ(Reduced(-65520.0, 5, 10), -kInf);  // the mantissa carries into the exponent
  EXPECT_EQ(Reduced(std::ldexp(1.0, -15), 5, 10), 0);
  EXPECT_TRUE(std::isnan(Reduced(kNaN, 5, 10)));
  EXPECT_EQ(Reduced(kNaN, 5, 0), kInf);
  // Without mantissa bits, ties go to the even exponent.
  EXPECT_EQ(Reduced(3.0, 8, 0), 2.0);
  EXPECT_EQ(Reduced(6.0, 8, 0), 8.0);
  EXPECT_EQ(Reduced(1e300, 8, 23, P::kF64), kInf);
}

TEST(StochasticConvert, TheRandomBitsDecide) {
  const std::string text =
      "ENTRY e { x = f32[] parameter(0) u = u32[] parameter(1) "
      "ROOT r = s8[] stochastic-convert(x, u) }";
  const Literal low = Ints(P::kU32, {4}, {0, 0, 0, 0});
  const Literal high = Ints(P::kU32, {4}, {-1, -1, -1, -1});
  const Literal x = F32({4}, {2.5, -2.5, 3, 1000});
  EXPECT_EQ(IntValues(RunScalar(text, {x, low})), (std::vector<int64_t>{3, -3, 3, 127}));
  EXPECT_EQ(IntValues(RunScalar(text, {x, high})), (std::vector<int64_t>{2, -2, 3, 127}));
}

// g++ 12 leaves both conversions out where it vectorizes them, which all code here is compiled
// without (cmake/AffirmSettings.cmake).
struct Pair {
  double a, b;
};
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("O2")))
#endif
[[gnu::noinline]] Pair RoundedToF32(const Pair& x) {
  return {static_cast<float>(x.a), static_cast<float>(x.b)};
}

TEST(Compiler, RoundsNumbersBesideEachOther) {
  const Pair rounded = RoundedToF32({0x1.0000001p0, 0x1.8000001p0});
  EXPECT_EQ(rounded.a, 1.0);
  EXPECT_EQ(rounded.b, 1.5);
}

}  // namespace
}  // namespace affirm::hlo
