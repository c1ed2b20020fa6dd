// Kernels are lifted to terms: the operations on integers and floats, and what these promise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "llvm/Support/FormatVariadic.h"
#include "tests/kernel/lift_text.h"

namespace affirm::kernel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Each kind of promise, kept and broken.

TEST(Lift, PromisesOfIntegers) {
  auto unproved = [](const std::string& instructions) {
    auto lifted = LiftBody(instructions + "\n  ret void", 4, 64, "f32", 64);
    return lifted->error + lifted->unproved();
  };
  EXPECT_EQ(unproved("%a = add nsw i8 63, 64"), "");
  EXPECT_THAT(unproved("%a = add nsw i8 64, 64"), HasSubstr("nsw"));
  EXPECT_THAT(unproved("%a = sub nuw i32 %t, 1"), HasSubstr("nuw"));
  EXPECT_EQ(unproved("%a = mul nuw nsw i32 %t, 34087042"), "");
  EXPECT_THAT(unproved("%a = mul nsw i32 %t, 34087043"), HasSubstr("nsw"));
  EXPECT_EQ(unproved("%a = shl nuw i32 %t, 26"), "");
  EXPECT_THAT(unproved("%a = shl nuw i32 %t, 27"), HasSubstr("nuw"));
  // Poison does no harm where nothing uses it.
  EXPECT_EQ(unproved("%a = lshr i32 %t, %t"), "");
  EXPECT_THAT(unproved("%a = lshr i32 %t, %t\n%z = getelementptr i32, ptr %p, i32 %a\n"
                       "%x = load i32, ptr %z"),
              HasSubstr("nothing is poison"));
  EXPECT_THAT(unproved("%a = udiv i32 7, %t"), HasSubstr("the divisor is not zero"));
  EXPECT_EQ(unproved("%m = mul i32 %t, 4\n%a = udiv exact i32 %m, 2"), "");
  EXPECT_THAT(unproved("%a = udiv exact i32 %t, 2"), HasSubstr("exact"));
  EXPECT_EQ(unproved("%m = shl i32 %b, 6\n%a = or disjoint i32 %m, %t"), "");
  EXPECT_THAT(unproved("%m = shl i32 %b, 5\n%a = or disjoint i32 %m, %t"), HasSubstr("disjoint"));
  EXPECT_THAT(unproved("%a = zext nneg i32 -1 to i64"), HasSubstr("nneg"));
  EXPECT_THAT(unproved("%a = getelementptr inbounds i32, ptr %p, i32 65"), HasSubstr("inbounds"));
  EXPECT_EQ(unproved("%a = getelementptr inbounds i32, ptr %p, i32 64"), "");
  EXPECT_EQ(unproved("%c = icmp ult i32 %t, 64\ncall void @llvm.assume(i1 %c)"), "");
  EXPECT_THAT(unproved("%c = icmp ult i32 %t, 63\ncall void @llvm.assume(i1 %c)"),
              HasSubstr("what is assumed holds"));
  EXPECT_THAT(unproved("%x = load i32, ptr %p, align 8"), testing::IsEmpty());
  EXPECT_THAT(unproved("%a = getelementptr i32, ptr %p, i32 1\n%x = load i32, ptr %a, align 8"),
              HasSubstr("aligned"));
}

TEST(Lift, BitsAndConversions) {
  auto value = [](const std::string& compute) {
    auto lifted = LiftBody(Elementwise(compute), 1, 128, "f32", 128);
    return lifted->error + lifted->unproved() +
           (lifted->error.empty() ? terms::ToString(lifted->effect(0).value) : "");
  };
  EXPECT_EQ(value("%n = bitcast float %x to i32\n%y = bitcast i32 %n to float"), "load0[th_x]");
  EXPECT_EQ(value("%h = fptrunc float %x to bfloat\n%y = fpext bfloat %h to float"),
            "convert(convert(load0[th_x]))");
  EXPECT_EQ(value("%y = sitofp i32 %t to float"), "convert(s64(th_x))");
  EXPECT_EQ(value("%y = call float @_Z4tanhf(float %x)"), "tanh(load0[th_x])");
  EXPECT_EQ(value("%c = fcmp une float %x, %x\n%y = select i1 %c, float 0.0, float %x"),
            "(compare-EQ(load0[th_x], load0[th_x]) ? load0[th_x] : f32#0)");
  EXPECT_THAT(value("%m = insertelement <2 x float> poison, float %x, i32 0\n"
                    "%y = extractelement <2 x float> %m, i32 1"),
              HasSubstr("arbitrary"));
}

// Both arms of each choice share what was chosen before: a condition is asked of each once.
TEST(Lift, TruncatesChoicesOfChoices) {
  std::string compute = "%x0 = fptosi float %x to i32\n%y0 = add i32 %x0, 1\n";
  constexpr int kPairs = 40;
  for (int k = 0; k < kPairs; ++k) {
    const std::string a = std::to_string(k), b = std::to_string(k + 1);
    compute += "%c" + a + " = icmp slt i32 %t, " + b + "\n%d" + a + " = icmp slt i32 %t, " +
               std::to_string(k + 50) + "\n%x" + b + " = select i1 %c" + a + ", i32 %x" + a +
               ", i32 %y" + a + "\n%y" + b + " = select i1 %d" + a + ", i32 %y" + a + ", i32 %x" +
               a + "\n";
  }
  compute += "%bit = trunc i32 %x" + std::to_string(kPairs) +
             " to i1\n%y = select i1 %bit, float 1.0, float 0.0\n";
  EXPECT_EQ(LiftBody(Elementwise(compute), 1, 128, "f32", 128)->error, "");
}

// The same of floats, whose NaNs are looked for in the arms.
TEST(Lift, ComputesWithChoicesOfChoices) {
  std::string compute =
      "%v0 = fadd float %x, 1.0\n%u0 = fmul float %x, 3.0\n%n = bitcast float %x to i32\n";
  constexpr int kPairs = 40;
  for (int k = 0; k < kPairs; ++k) {
    compute += llvm::formatv(
        "%c{0} = icmp slt i32 %n, {0}\n%d{0} = icmp sgt i32 %n, {1}00\n"
        "%v{1} = select i1 %c{0}, float %v{0}, float %u{0}\n"
        "%u{1} = select i1 %d{0}, float %v{0}, float %u{0}\n",
        k, k + 1);
  }
  compute += "%y = fsub float %v" + std::to_string(kPairs) + ", 0.0";
  EXPECT_EQ(LiftBody(Elementwise(compute), 1, 128, "f32", 128)->error, "");
}

// Terms of integers show the bits of floats that they were made from, or those are noted.
TEST(Lift, BitsOfFloatsThatAreGone) {
  auto gone = [](const std::string& compute) {
    auto lifted =
        LiftBody(Elementwise("%a = fadd float %x, 1.0\n%c = fmul float %x, 3.0\n"
                             "%ab = bitcast float %a to i32\n%cb = bitcast float %c to i32\n"
                             "%both = or i32 %ab, %cb\n" +
                             compute + "\n%y = bitcast i32 %r to float"),
                 1, 128, "f32", 128);
    EXPECT_EQ(lifted->error, "");
    return lifted->kernel.changed_nans.with_bits_gone().size();
  };
  EXPECT_EQ(gone("%r = or i32 %both, 1"), 0u);
  EXPECT_EQ(gone("%k = xor i32 %both, %t\n%l = or i32 %cb, %k\n%r = xor i32 %l, %ab"), 0u);
  EXPECT_EQ(gone("%r = xor i32 %ab, %ab"), 1u);
  EXPECT_EQ(gone("%r = and i32 %both, 0"), 2u);
  EXPECT_EQ(gone("%o = or i32 %cb, %t\n%s = add i32 %ab, %o\n%r = sub i32 %s, %ab"), 1u);
  EXPECT_EQ(gone("%k = xor i32 %both, %both\n%r = or i32 %k, %ab"), 2u);
}

// fptosi says nothing beyond the integer's range, unless the kernel chooses around it.

// A vector has a class for each element.

TEST(Lift, ClassesOfFloats) {
  auto lifted =
      LiftBody(R"(
%a = getelementptr float, ptr %p, i32 0
%v = load <2 x float>, ptr %a, align 4
%c = call <2 x i1> @llvm.is.fpclass.v2f32(<2 x float> %v, i32 504)
%w = select <2 x i1> %c, <2 x float> %v, <2 x float> zeroinitializer
store <2 x float> %w, ptr %q, align 4
ret void)",
               1, 1, "f32", 2, "declare <2 x i1> @llvm.is.fpclass.v2f32(<2 x float>, i32)");
  ASSERT_EQ(lifted->error, "");
  for (size_t k = 0; k < 2; ++k)
    EXPECT_THAT(terms::ToString(lifted->effect(k).value), HasSubstr("is-finite(load0["));
  lifted = LiftBody(R"(
%v = load float, ptr %p, align 4
%c = call i1 @llvm.is.fpclass.f32(float %v, i32 96)
%w = select i1 %c, float %v, float 0.0
store float %w, ptr %q, align 4
ret void)",
                    1, 1, "f32", 1, "declare i1 @llvm.is.fpclass.f32(float, i32)");
  EXPECT_THAT(lifted->error, HasSubstr("a class of floats"));
}

TEST(Lift, ConversionsThatSaturate) {
  auto value =
      [](const std::string& highest) {
        auto lifted = LiftBody(Elementwise(R"(
  %n = fptosi float %x to i32
  %high = fcmp oge float %x, 0x41E0000000000000
  %low = fcmp ole float %x, 0xC1E0000000000000
  %nan = fcmp uno float %x, %x
  %a = select i1 %high, i32 )" + highest + R"(, i32 %n
  %c = select i1 %low, i32 -2147483648, i32 %a
  %d = select i1 %nan, i32 0, i32 %c
  %y = bitcast i32 %d to float)"),
                               1, 128, "f32", 128);
        return lifted->error + terms::ToString(lifted->effect(0).value);
      };
  EXPECT_EQ(value("2147483647"), "bitcast(convert(load0[th_x]))");
  // A NaN, and what is too large, may be replaced before the conversion.
  auto replaced = [](const std::string& number) {
    auto lifted = LiftBody(Elementwise(R"(
  %high = fcmp oge float %x, 0x41E0000000000000
  %low = fcmp ole float %x, 0xC1E0000000000000
  %nan = fcmp uno float %x, %x
  %beyond = or i1 %high, %low
  %bad = or i1 %beyond, %nan
  %safe = select i1 %bad, float )" + number +
                                       R"(, float %x
  %n = fptosi float %safe to i32
  %a = select i1 %high, i32 2147483647, i32 %n
  %c = select i1 %low, i32 -2147483648, i32 %a
  %y = bitcast i32 %c to float)"),
                           1, 128, "f32", 128);
    return lifted->error + terms::ToString(lifted->effect(0).value);
  };
  EXPECT_EQ(replaced("0.0"), "bitcast(convert(load0[th_x]))");
  EXPECT_THAT(replaced("1.0"), HasSubstr("convert-in-range"));
  EXPECT_THAT(value("2147483646"), HasSubstr("convert-in-range"));
}

// A narrower type has other numbers at the ends of the range: 127 is one, 2^31 lies beyond.
TEST(Lift, ConversionsThatSaturateFromNarrowFloats) {
  auto value = [](const std::string& type, const std::string& low, const std::string& high) {
    auto lifted = LiftBody(Elementwise("%h = fptrunc float %x to " + type + "\n%n = fptosi " +
                                       type + " %h to i8\n%below = fcmp ole " + type + " %h, " +
                                       low + "\n%above = fcmp oge " + type + " %h, " + high +
                                       "\n%nan = fcmp uno " + type + R"( %h, %h
  %first = select i1 %below, i8 -128, i8 %n
  %second = select i1 %above, i8 127, i8 %first
  %third = select i1 %nan, i8 0, i8 %second
  %w = sext i8 %third to i32
  %y = bitcast i32 %w to float)"),
                           1, 128, "f32", 128);
    return lifted->error + terms::ToString(lifted->effect(0).value);
  };
  for (const char* type : {"half", "bfloat"}) {
    EXPECT_THAT(value(type, "-128.0", "127.0"), Not(HasSubstr("in-range"))) << type;
    EXPECT_THAT(value(type, "-128.0", "128.0"), Not(HasSubstr("in-range"))) << type;
    EXPECT_THAT(value(type, "-127.0", "127.0"), HasSubstr("in-range")) << type;
    EXPECT_THAT(value(type, "-129.0", "127.0"), HasSubstr("in-range")) << type;
    EXPECT_THAT(value(type, "-128.0", "126.0"), HasSubstr("in-range")) << type;
    EXPECT_THAT(value(type, "-128.0", "130.0"), HasSubstr("in-range")) << type;
  }
}

}  // namespace
}  // namespace affirm::kernel
