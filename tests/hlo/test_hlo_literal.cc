// Tests of element types and literals: bit patterns, values and text.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "core/hlo/float_format.h"
#include "core/hlo/text.h"
#include "llvm/ADT/APFloat.h"
#include "tests/hlo/hlo_generators.h"

namespace affirm::hlo {
namespace {

std::vector<PrimitiveType> FloatTypes(int max_bits) {
  std::vector<PrimitiveType> types;
  for (PrimitiveType type : testing::ArrayTypes()) {
    if (IsFloat(type) && BitWidth(type) <= max_bits) types.push_back(type);
  }
  return types;
}

TEST(FloatFormat, EveryNarrowPatternSurvivesTextAndValue) {
  for (PrimitiveType type : FloatTypes(16)) {
    for (uint64_t bits = 0; bits < uint64_t{1} << BitWidth(type); ++bits) {
      const std::string text = FloatToText(type, bits);
      ASSERT_EQ(FloatFromText(type, text), bits) << Name(type).str() << " " << text;
      const double value = DecodeFloat(type, bits);
      if (!std::isnan(value)) {
        ASSERT_EQ(EncodeFloat(type, value), bits) << text;
      }
    }
  }
}

RC_GTEST_PROP(FloatFormat, WidePatternsSurviveText, (uint32_t single, uint64_t wide)) {
  RC_ASSERT(FloatFromText(PrimitiveType::kF32, FloatToText(PrimitiveType::kF32, single)) == single);
  RC_ASSERT(FloatFromText(PrimitiveType::kF64, FloatToText(PrimitiveType::kF64, wide)) == wide);
}

// The formats that are decoded by hand agree with LLVM's.
TEST(FloatFormat, HandMadeFormatsAgreeWithApFloat) {
  for (uint64_t bits = 0; bits < 16; ++bits) {
    const llvm::APFloat number(llvm::APFloat::Float4E2M1FN(), llvm::APInt(4, bits));
    EXPECT_EQ(DecodeFloat(PrimitiveType::kF4E2M1FN, bits), number.convertToDouble());
  }
  for (uint64_t bits = 0; bits < 255; ++bits) {
    const llvm::APFloat number(llvm::APFloat::Float8E8M0FNU(), llvm::APInt(8, bits));
    const double value = DecodeFloat(PrimitiveType::kF8E8M0FNU, bits);
    EXPECT_EQ(value, number.convertToDouble());
    // Up to the next power.
    for (double between : {1.0, 1.25, 1.4999, 1.5, 1.5001, 1.75}) {
      llvm::APFloat rounded(value * between);
      bool loses = false;
      rounded.convert(llvm::APFloat::Float8E8M0FNU(), llvm::APFloat::rmNearestTiesToEven, &loses);
      EXPECT_EQ(EncodeFloat(PrimitiveType::kF8E8M0FNU, value * between),
                rounded.bitcastToAPInt().getZExtValue())
          << value << " * " << between;
    }
  }
}

// Between each two neighbors, at the middle and beside it, infinity included.
TEST(FloatFormat, HalvesRoundAsApFloatDoes) {
  for (PrimitiveType type : {PrimitiveType::kF16, PrimitiveType::kBF16}) {
    const llvm::fltSemantics& semantics =
        type == PrimitiveType::kF16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
    auto expect_same = [&](double value) {
      llvm::APFloat rounded(value);
      bool loses = false;
      rounded.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &loses);
      ASSERT_EQ(EncodeFloat(type, value), rounded.bitcastToAPInt().getZExtValue()) << value;
    };
    for (uint64_t bits = 0; bits + 1 < 1 << 16; ++bits) {
      const double one = DecodeFloat(type, bits), next = DecodeFloat(type, bits + 1);
      if (!std::isfinite(one) || std::isnan(next)) continue;
      // To the largest number twice as much as the step before it lies to infinity.
      const double step = std::isfinite(next) ? next - one : one - DecodeFloat(type, bits - 1);
      const double middle = one + step / 2;
      for (double value : {one, middle, std::nextafter(middle, 0),
                           std::nextafter(middle, 2 * middle), one + step / 4, one + step})
        expect_same(value);
    }
    for (double value :
         {0.0, -0.0, 1e-300, -1e300, 5e-324, std::numeric_limits<double>::infinity()})
      expect_same(value);
  }
}

// No pattern is nearer than the chosen one, and of two that are as near the even one is chosen.
RC_GTEST_PROP(FloatFormat, EncodesToTheNearest, (float value)) {
  const PrimitiveType type = *rc::gen::elementOf(FloatTypes(8));
  const bool positive_only = type == PrimitiveType::kF8E8M0FNU;
  if (positive_only) value = std::fabs(value);
  RC_PRE(std::isfinite(value));
  // Far beyond the range every distance is the same in double.
  RC_PRE(type != PrimitiveType::kF4E2M1FN || std::fabs(value) < 100);
  const uint64_t chosen = EncodeFloat(type, value);
  const double distance = std::fabs(DecodeFloat(type, chosen) - value);
  RC_PRE(std::isfinite(distance));
  for (uint64_t bits = 0; bits < uint64_t{1} << BitWidth(type); ++bits) {
    const double other = std::fabs(DecodeFloat(type, bits) - value);
    if (std::isnan(other)) continue;
    RC_ASSERT(other >= distance);
    const bool same_value = DecodeFloat(type, bits) == DecodeFloat(type, chosen);
    // Powers of two have no even neighbor; the larger one is chosen.
    const bool right = positive_only ? chosen > bits : chosen % 2 == 0;
    if (other == distance && !same_value) RC_ASSERT(right);
  }
}

TEST(FloatFormat, WhatATypeCannotExpress) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(EncodeFloat(PrimitiveType::kF8E5M2, 1e9), EncodeFloat(PrimitiveType::kF8E5M2, inf));
  EXPECT_TRUE(std::isnan(
      DecodeFloat(PrimitiveType::kF8E4M3FN, EncodeFloat(PrimitiveType::kF8E4M3FN, 1e9))));
  EXPECT_EQ(DecodeFloat(PrimitiveType::kF4E2M1FN, EncodeFloat(PrimitiveType::kF4E2M1FN, -inf)), -6);
  EXPECT_EQ(EncodeFloat(PrimitiveType::kF8E8M0FNU, 0), 0xFFu);
  EXPECT_EQ(EncodeFloat(PrimitiveType::kF8E8M0FNU, -1), 0xFFu);
  EXPECT_EQ(EncodeFloat(PrimitiveType::kF8E8M0FNU, 1e-300), 0u);
  EXPECT_FALSE(FloatFromText(PrimitiveType::kF8E4M3FN, "inf"));
  EXPECT_FALSE(FloatFromText(PrimitiveType::kF16, "65520"));
  EXPECT_TRUE(FloatFromText(PrimitiveType::kF16, "65519"));
  EXPECT_FALSE(FloatFromText(PrimitiveType::kF32, "1e39"));
  EXPECT_EQ(FloatFromText(PrimitiveType::kF32, "1e-999"), 0u);
  for (const char* text : {"", "-", ".", "1.2.3", "1e", "0x10", "nan(", "nan(0x0)", "infinity",
                           "nan(0x800000)", "1_0"}) {
    EXPECT_FALSE(FloatFromText(PrimitiveType::kF32, text)) << text;
  }
}

// A decimal is read as a double, and that is rounded: what lies above a tie by less than a double
// shows is the tie, and goes to the even neighbor.
TEST(FloatFormat, DecimalsAreDoublesFirst) {
  const std::string above = "00000000000000000000001";
  const auto read = [](PrimitiveType type, const std::string& text) {
    const auto bits = FloatFromText(type, text);
    return bits ? DecodeFloat(type, *bits) : -1;
  };
  EXPECT_EQ(read(PrimitiveType::kF32, "1.00000005960464484375" + above), 1);
  EXPECT_EQ(read(PrimitiveType::kF32, "1.00000005960465"), 1 + std::ldexp(1, -23));
  EXPECT_EQ(read(PrimitiveType::kF16, "1.00048828125" + above), 1);
  EXPECT_EQ(read(PrimitiveType::kBF16, "1.00390625" + above), 1);
  EXPECT_EQ(read(PrimitiveType::kF8E4M3FN, "1.0625" + above), 1);
  // For f16 and bf16 a float comes between; not for smaller types. All as jaxlib 0.10 reads them.
  EXPECT_EQ(read(PrimitiveType::kF16, "1.0004883"), 1);
  EXPECT_EQ(read(PrimitiveType::kF16, "1.0004884"), 1 + std::ldexp(1, -10));
  EXPECT_EQ(read(PrimitiveType::kF16, "65519.9999999"), -1);
  EXPECT_EQ(read(PrimitiveType::kBF16, "1.0039063"), 1);
  EXPECT_EQ(read(PrimitiveType::kBF16, "1.0039064"), 1 + std::ldexp(1, -7));
  EXPECT_EQ(read(PrimitiveType::kF8E4M3FN, "1.06250000001"), 1.125);
  EXPECT_EQ(read(PrimitiveType::kF4E2M1FN, "1.25000000001"), 1.5);
  EXPECT_EQ(read(PrimitiveType::kF64, "1.00000005960464484375"), 1 + std::ldexp(1, -24));
  EXPECT_EQ(read(PrimitiveType::kF32, "1.0000001"), 1 + std::ldexp(1, -23));
  EXPECT_EQ(read(PrimitiveType::kF32, "3.4028235677973366e38"), -1);
  // The one float, but for its sign, whose shortest digits are a tie as a double: 7.038531e-26.
  EXPECT_EQ(FloatFromText(PrimitiveType::kF32, "7.038531e-26"), 0x15AE43FEu);
  EXPECT_EQ(FloatFromText(PrimitiveType::kF32, FloatToText(PrimitiveType::kF32, 0x15AE43FD)),
            0x15AE43FDu);
}

RC_GTEST_PROP(Literal, IntegersWrapToTheirWidth, (int64_t value)) {
  const PrimitiveType type = *rc::gen::element(
      PrimitiveType::kS1, PrimitiveType::kS2, PrimitiveType::kS4, PrimitiveType::kU4,
      PrimitiveType::kS8, PrimitiveType::kU16, PrimitiveType::kS32, PrimitiveType::kU64);
  Literal literal(Shape::Array(type, {1}));
  literal.SetInt(0, value);
  const int64_t stored = literal.GetInt(0);
  const int bits = BitWidth(type);
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  RC_ASSERT(((static_cast<uint64_t>(stored) ^ static_cast<uint64_t>(value)) & mask) == 0u);
  if (bits < 64) {
    const int64_t low = IsSignedInt(type) ? -(int64_t{1} << (bits - 1)) : 0;
    RC_ASSERT(stored >= low);
    RC_ASSERT(stored <= low + static_cast<int64_t>(mask));
  }
}

TEST(Literal, LinearIsRowMajor) {
  const Literal literal(Shape::Array(PrimitiveType::kS8, {2, 3, 4}));
  int64_t next = 0;
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      for (int64_t k = 0; k < 4; ++k) EXPECT_EQ(literal.Linear({i, j, k}), next++);
    }
  }
}

// As XLA prints them, with comments on the way.
TEST(Literal, NoElementsAreBracesAlone) {
  auto read = [](const std::string& literal) {
    auto module = ParseModule(
        "HloModule m\nENTRY e { ROOT c = f32[1,0,0,0] constant(" + literal + ") }", "text");
    if (module) return std::string();
    return llvm::toString(module.takeError());
  };
  EXPECT_EQ(read("{ { /*i0=0*/ } }"), "");
  EXPECT_EQ(read("{{{}}}"), "");
  EXPECT_NE(read("{ { 1 } }").find("expected no elements"), std::string::npos);
  EXPECT_NE(read("{ { /*i0=0*/ 1 } }").find("expected no elements"), std::string::npos);
}

RC_GTEST_PROP(Literal, ReadsBackFromItsText, ()) {
  auto shape = testing::AnyArray();
  if (*rc::gen::inRange(0, 4) == 0)
    shape = Shape::Tuple({shape, Shape::Tuple({}), testing::AnyArray()});
  const Literal literal = testing::AnyLiteral(shape);
  const std::string text =
      "ENTRY e { ROOT c = " + shape.ToString() + " constant(" + literal.ToString() + ") }";
  auto module = ParseModule(text, "t");
  if (!module) RC_FAIL(llvm::toString(module.takeError()));
  RC_ASSERT((*module)->entry->root->literal.has_value());
  RC_ASSERT(*(*module)->entry->root->literal == literal);
}

}  // namespace
}  // namespace affirm::hlo
