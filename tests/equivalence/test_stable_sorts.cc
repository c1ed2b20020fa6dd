// Sorts that compare positions last, and sorts with operands whose results are unused.
#include <gtest/gtest.h>

#include <string>

#include "tests/equivalence/compare_modules.h"

namespace affirm::driver {
namespace {

// The comparators of the tests, of elements (a, b), positions (p, q) and more.
std::string Comparators(const std::string& type) {
  const std::string elements = "a = f32[] parameter(0) b = f32[] parameter(1) ";
  const std::string positions = "p = " + type + "[] parameter(2) q = " + type + "[] parameter(3) ";
  const std::string compare =
      " l = pred[] compare(a, b), direction=LT, type=TOTALORDER"
      " g = pred[] compare(b, a), direction=LT, type=TOTALORDER e = pred[] compare(l, g), "
      "direction=EQ ";
  // As JAX takes its keys: the two zeros are one, and no NaN is computed.
  const std::string key =
      "z = f32[] constant(0) u = pred[] compare(a, z), direction=EQ x = f32[] select(u, z, a) "
      "h = pred[] compare(b, z), direction=EQ y = f32[] select(h, z, b) ";
  const std::string keys =
      key +
      " l = pred[] compare(x, y), direction=LT, type=TOTALORDER"
      " g = pred[] compare(y, x), direction=LT, type=TOTALORDER e = pred[] compare(l, g), "
      "direction=EQ ";
  // A NaN is unordered with every number: with positions this is an order, and without them none.
  const std::string partial =
      " l = pred[] compare(a, b), direction=LT g = pred[] compare(b, a), direction=LT "
      "e = pred[] compare(l, g), direction=EQ ";
  auto last = [&](const std::string& direction) {
    return "i = pred[] compare(p, q), direction=" + direction +
           " ROOT r = pred[] select(e, i, l) }\n";
  };
  return "less { " + elements + "ROOT l = pred[] compare(a, b), direction=LT, type=TOTALORDER }\n" +
         "notless2 { " + elements + positions +
         "ROOT l = pred[] compare(a, b), direction=LE, type=TOTALORDER }\n" + "less2 { " +
         elements + positions + "ROOT l = pred[] compare(a, b), direction=LT, type=TOTALORDER }\n" +
         "keys2 { " + elements + positions + key +
         "ROOT l = pred[] compare(x, y), direction=LT, type=TOTALORDER }\n" + "keys3 { " +
         elements + positions + "v = s32[] parameter(4) w = s32[] parameter(5) " + key +
         "ROOT l = pred[] compare(x, y), direction=LT, type=TOTALORDER }\n" + "last { " + elements +
         positions + compare + last("LT") + "keyslast { " + elements + positions + keys +
         last("LT") + "partiallast { " + elements + positions + partial + last("LT") +
         "partial2 { " + elements + positions + "ROOT l = pred[] compare(a, b), direction=LT }\n" +
         "first { " + elements + positions + compare + last("GT") + "weak { " + elements +
         positions + compare + last("LE") + "never { " + elements + positions +
         "l = pred[] compare(a, b), direction=LE, type=TOTALORDER g = pred[] compare(b, a), "
         "direction=LE, type=TOTALORDER e = pred[] compare(l, g), direction=EQ " +
         last("LT");
}

bool IsProved(const std::string& a, const std::string& b, const std::string& type = "s32",
              const std::string& parameter = "k = f32[300] parameter(0) ") {
  const std::string start = Comparators(type);
  return Compare(start + Entry(parameter + a), start + Entry(parameter + b), {.execute = false})
             .verdict == Verdict::kProved;
}

const std::string kNumbers = "n = s32[300] iota(), iota_dimension=0 ";
const std::string kStable =
    "s = (f32[300], s32[300]) sort(k, n), dimensions={0}, is_stable=true, to_apply=less2 "
    "ROOT r = s32[300] get-tuple-element(s), index=1";

std::string Unstable(const std::string& comparator, const std::string& type = "s32") {
  return "s = (f32[300], " + type + "[300]) sort(k, n), dimensions={0}, to_apply=" + comparator +
         " ROOT r = " + type + "[300] get-tuple-element(s), index=1";
}

TEST(StableSorts, PositionsThatAreComparedLastMakeOne) {
  EXPECT_TRUE(IsProved(kNumbers + kStable, kNumbers + Unstable("last")));
  const std::string by_keys =
      "s = (f32[300], s32[300]) sort(k, n), dimensions={0}, is_stable=true, to_apply=keys2 "
      "ROOT r = s32[300] get-tuple-element(s), index=1";
  EXPECT_TRUE(IsProved(kNumbers + by_keys, kNumbers + Unstable("keyslast")));
  EXPECT_FALSE(IsProved(kNumbers + by_keys, kNumbers + Unstable("last")));
  const std::string partial =
      "s = (f32[300], s32[300]) sort(k, n), dimensions={0}, is_stable=true, to_apply=partial2 "
      "ROOT r = s32[300] get-tuple-element(s), index=1";
  EXPECT_FALSE(IsProved(kNumbers + Unstable("partiallast"), kNumbers + partial));
  EXPECT_TRUE(IsProved(kNumbers + Unstable("partiallast"), kNumbers + Unstable("partiallast")));
  // Another order of what compares alike, none, and an order that is none.
  for (const std::string other : {"first", "weak", "less2", "never"})
    EXPECT_FALSE(IsProved(kNumbers + kStable, kNumbers + Unstable(other))) << other;
  // With positions it is an order, and without them none.
  const std::string by_none =
      "s = (f32[300], s32[300]) sort(k, n), dimensions={0}, is_stable=true, to_apply=notless2 "
      "ROOT r = s32[300] get-tuple-element(s), index=1";
  EXPECT_FALSE(IsProved(kNumbers + Unstable("never"), kNumbers + by_none));
}

TEST(StableSorts, WhatNumbersOtherThingsIsNoPosition) {
  const std::string backwards = kNumbers + "m = s32[300] reverse(n), dimensions={0} ";
  EXPECT_FALSE(
      IsProved(backwards + "s = (f32[300], s32[300]) sort(k, m), dimensions={0}, is_stable=true, "
                           "to_apply=less2 ROOT r = s32[300] get-tuple-element(s), index=1",
               backwards + "s = (f32[300], s32[300]) sort(k, m), dimensions={0}, to_apply=last "
                           "ROOT r = s32[300] get-tuple-element(s), index=1"));
  // 256 numbers of u8 are not enough for 300 elements.
  const std::string few = "n = u8[300] iota(), iota_dimension=0 ";
  const std::string stable_few =
      "s = (f32[300], u8[300]) sort(k, n), dimensions={0}, is_stable=true, to_apply=less2 "
      "ROOT r = u8[300] get-tuple-element(s), index=1";
  EXPECT_FALSE(IsProved(few + stable_few, few + Unstable("last", "u8"), "u8"));
  const std::string enough = "n = u16[300] iota(), iota_dimension=0 ";
  const std::string stable_enough =
      "s = (f32[300], u16[300]) sort(k, n), dimensions={0}, is_stable=true, to_apply=less2 "
      "ROOT r = u16[300] get-tuple-element(s), index=1";
  EXPECT_TRUE(IsProved(enough + stable_enough, enough + Unstable("last", "u16"), "u16"));
  // Columns are sorted, of which rows or columns are numbered.
  for (const bool columns : {true, false}) {
    const std::string numbers = "o = s32[" + std::string(columns ? "6" : "4") +
                                "] iota(), iota_dimension=0 n = s32[6,4] broadcast(o), "
                                "dimensions={" +
                                (columns ? "0" : "1") + "} ";
    const std::string root = " ROOT r = s32[6,4] get-tuple-element(s), index=1";
    EXPECT_EQ(IsProved(numbers +
                           "s = (f32[6,4], s32[6,4]) sort(k, n), dimensions={0}, "
                           "is_stable=true, to_apply=less2" +
                           root,
                       numbers +
                           "s = (f32[6,4], s32[6,4]) sort(k, n), dimensions={0}, "
                           "to_apply=last" +
                           root,
                       "s32", "k = f32[6,4] parameter(0) "),
              columns);
  }
}

TEST(StableSorts, OperandsThatNobodyLooksAtAreNone) {
  const std::string alone =
      "s = f32[300] sort(k), dimensions={0}, is_stable=true, to_apply=less ROOT r = f32[300] "
      "negate(s)";
  auto of_two = [](const std::string& rest) {
    return kNumbers + "s = (f32[300], s32[300]) sort(k, n), dimensions={0}, " + rest +
           " g = f32[300] get-tuple-element(s), index=0 ROOT r = f32[300] negate(g)";
  };
  EXPECT_TRUE(IsProved(alone, of_two("to_apply=last")));
  EXPECT_TRUE(IsProved(alone, of_two("is_stable=true, to_apply=less2")));
  EXPECT_TRUE(IsProved(of_two("is_stable=true, to_apply=less2"), alone));
  // Nor where a user of the operand is itself unused.
  EXPECT_TRUE(IsProved(
      alone, kNumbers + "s = (f32[300], s32[300]) sort(k, n), dimensions={0}, to_apply=last "
                        "g = f32[300] get-tuple-element(s), index=0 h = s32[300] "
                        "get-tuple-element(s), index=1 i = s32[300] negate(h) t = (f32[300], "
                        "s32[300]) tuple(g, i) u = f32[300] get-tuple-element(t), index=0 "
                        "ROOT r = f32[300] negate(u)"));
  EXPECT_FALSE(IsProved(alone, of_two("to_apply=less2")));
  // Two unstable sorts stay two: each has an order of its own of what compares alike.
  const std::string twice = "p = s32[300] parameter(1) ";
  const std::string first =
      "s = (f32[300], s32[300]) sort(k, p), dimensions={0}, to_apply=keys2 "
      "g = s32[300] get-tuple-element(s), index=1 ";
  EXPECT_FALSE(IsProved(twice + first + "ROOT d = s32[300] subtract(g, g)",
                        twice + first +
                            "t = (f32[300], s32[300], s32[300]) sort(k, p, p), dimensions={0}, "
                            "to_apply=keys3 h = s32[300] get-tuple-element(t), index=1 "
                            "ROOT d = s32[300] subtract(g, h)"));
  EXPECT_FALSE(IsProved(alone, of_two("is_stable=true, to_apply=keys2")));
}

// XLA makes a fusion of a sort and the numbers of its elements.
TEST(StableSorts, InAFusionAreSorts) {
  const std::string fused =
      "fused { k = f32[300] parameter(0) n = s32[300] iota(), iota_dimension=0 "
      "ROOT s = (f32[300], s32[300]) sort(k, n), dimensions={0}, to_apply=last }\n";
  const std::string start = Comparators("s32") + fused;
  const std::string parameter = "k = f32[300] parameter(0) ";
  auto verdict = [&](const std::string& operand) {
    return Compare(
               start + Entry(parameter + kNumbers + kStable),
               start + Entry(parameter + "m = f32[300] negate(k) s = (f32[300], s32[300]) fusion(" +
                             operand +
                             "), kind=kCustom, calls=fused "
                             "ROOT r = s32[300] get-tuple-element(s), index=1"),
               {.execute = false})
        .verdict;
  };
  EXPECT_EQ(verdict("k"), Verdict::kProved);
  EXPECT_NE(verdict("m"), Verdict::kProved);
}

// The bits of a NaN that is computed are open to both.
TEST(StableSorts, ATopKIsTheBeginningOfOne) {
  const std::string start =
      "greater { a = f32[] parameter(0) b = f32[] parameter(1) p = s32[] parameter(2) "
      "q = s32[] parameter(3) ROOT g = pred[] compare(a, b), direction=GT, type=TOTALORDER }\n"
      "less { a = f32[] parameter(0) b = f32[] parameter(1) p = s32[] parameter(2) "
      "q = s32[] parameter(3) ROOT l = pred[] compare(a, b), direction=LT, type=TOTALORDER }\n";
  const std::string computed = "x = f32[4,37] parameter(0) n = f32[4,37] negate(x) ";
  const std::string topk =
      "t = (f32[4,3], s32[4,3]) topk(n), k=3, largest=true "
      "ROOT r = s32[4,3] get-tuple-element(t), index=1";
  auto sorted = [&](const std::string& rest, const std::string& kept) {
    return "i = s32[4,37] iota(), iota_dimension=1 s = (f32[4,37], s32[4,37]) sort(n, i), "
           "dimensions={1}" +
           rest +
           " g = s32[4,37] get-tuple-element(s), index=1 ROOT r = s32[4,3] slice(g), slice={" +
           kept + "}";
  };
  auto is_proved = [&](const std::string& a, const std::string& b) {
    return Compare(start + Entry(computed + a), start + Entry(computed + b), {.execute = false})
               .verdict == Verdict::kProved;
  };
  const std::string stable = ", is_stable=true, to_apply=greater", first = "[0:4], [0:3]";
  EXPECT_TRUE(is_proved(topk, sorted(stable, first)));
  EXPECT_TRUE(is_proved(sorted(stable, first), topk));
  EXPECT_FALSE(is_proved(topk, sorted(", to_apply=greater", first)));
  EXPECT_FALSE(is_proved(topk, sorted(", is_stable=true, to_apply=less", first)));
  EXPECT_FALSE(is_proved(topk, sorted(stable, "[0:4], [1:4]")));
}

}  // namespace
}  // namespace affirm::driver
