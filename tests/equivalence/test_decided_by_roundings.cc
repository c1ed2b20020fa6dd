// Sizes and preconditions that roundings decide, by execution.
#include <gtest/gtest.h>

#include <string>

#include "tests/equivalence/compare_modules.h"

namespace affirm::driver {
namespace {

// Executed counts as unknown.
Verdict VerdictOf(const std::string& a, const std::string& b, bool rounding = false) {
  EquivalenceOptions options;
  options.rounding = rounding;
  const Verdict verdict = Compare("HloModule a\n" + a, "HloModule b\n" + b, options).verdict;
  return verdict == Verdict::kExecuted ? Verdict::kUnknown : verdict;
}

const std::string kPlain = "e = f32[4] copy(d) ",
                  kRounded = "b = bf16[4] convert(d) e = f32[4] convert(b) ";

// x with a size of `mask` & dot(e, e), which `sizing` gives.
std::string Sized(const std::string& functions, const std::string& factors,
                  const std::string& sizing, const std::string& mask = "3",
                  const std::string& precision = "default") {
  return functions + "ENTRY e { x = f32[4] parameter(0) d = f32[4] parameter(1) " + factors +
         "\nq = f32[] dot(e, e), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
         "operand_precision={" +
         precision + "," + precision + "} i = s32[] convert(q) m = s32[] constant(" + mask +
         ") n = s32[] and(i, m)\n" + sizing + " }\n";
}

const std::string kSetter =
    "f { x = f32[4] parameter(0) n = s32[] parameter(1) ROOT s = f32[<=4] set-dimension-size(x, "
    "n), dimensions={0} }\n";

TEST(DecidedByRoundings, SizesInCalledComputationsMayBeRounded) {
  const std::string branch =
      "f { t = (f32[4], s32[]) parameter(0) x = f32[4] get-tuple-element(t), index=0 n = s32[] "
      "get-tuple-element(t), index=1 ROOT s = f32[<=4] set-dimension-size(x, n), dimensions={0} "
      "}\n";
  const std::string by_branch =
      "t = (f32[4], s32[]) tuple(x, n) p = pred[] parameter(2) ROOT r = f32[<=4] conditional(p, t, "
      "t), true_computation=f, false_computation=f";
  const std::string loop =
      "c { t = (s32[], f32[<=4], s32[]) parameter(0) i = s32[] get-tuple-element(t), index=0 one = "
      "s32[] constant(1) ROOT r = pred[] compare(i, one), direction=LT }\n"
      "f { t = (s32[], f32[<=4], s32[]) parameter(0) i = s32[] get-tuple-element(t), index=0 x = "
      "f32[<=4] get-tuple-element(t), index=1 n = s32[] get-tuple-element(t), index=2 one = s32[] "
      "constant(1) j = s32[] add(i, one) z = f32[4] constant({1,2,3,4}) s = f32[<=4] "
      "set-dimension-size(z, n), dimensions={0} ROOT r = (s32[], f32[<=4], s32[]) tuple(j, s, n) "
      "}\n";
  const std::string by_loop =
      "o = s32[] constant(0) two = s32[] constant(2) y = f32[<=4] set-dimension-size(x, two), "
      "dimensions={0} t = (s32[], f32[<=4], s32[]) tuple(o, y, n) w = (s32[], f32[<=4], s32[]) "
      "while(t), condition=c, body=f ROOT r = f32[<=4] get-tuple-element(w), index=1";
  const std::pair<std::string, std::string> callers[] = {
      {"", "ROOT r = f32[<=4] set-dimension-size(x, n), dimensions={0}"},
      {kSetter, "ROOT r = f32[<=4] call(x, n), to_apply=f"},
      {kSetter, "ROOT r = f32[<=4] fusion(x, n), kind=kLoop, calls=f"},
      {branch, by_branch},
      {loop, by_loop}};
  for (const auto& [functions, sizing] : callers) {
    const std::string a = Sized(functions, kPlain, sizing);
    EXPECT_EQ(VerdictOf(a, Sized(functions, kRounded, sizing)), Verdict::kUnknown) << sizing;
    // Of the highest precision nothing is rounded.
    EXPECT_EQ(VerdictOf(Sized(functions, kPlain, sizing, "3", "highest"),
                        Sized(functions, kRounded, sizing, "3", "highest")),
              Verdict::kRefuted)
        << sizing;
  }
  // Another size, whatever is rounded.
  const std::string by_call = "ROOT r = f32[<=4] call(x, n), to_apply=f";
  EXPECT_EQ(VerdictOf(Sized(kSetter, kPlain, by_call), Sized(kSetter, kPlain, by_call, "1")),
            Verdict::kRefuted);
}

// A size that the product has no part in.
TEST(DecidedByRoundings, SizesOfIntegersAreNotRounded) {
  const auto sized = [](const std::string& mask) {
    return Sized(kSetter, kPlain,
                 "k = s32[] parameter(2) c = s32[] constant(" + mask +
                     ") l = s32[] and(k, c) b = f32[4] broadcast(q), dimensions={} y = f32[4] "
                     "multiply(x, b) ROOT r = f32[<=4] call(y, l), to_apply=f");
  };
  EXPECT_EQ(VerdictOf(sized("3"), sized("1")), Verdict::kRefuted);
}

// (k * (1/49)) * 49, and (k / 49) * 49, as an integer.
std::string Scaled(bool divides, const std::string& mask, const std::string& result) {
  return Entry(std::string("x = f32[4] parameter(0) k = s8[] parameter(1) f = f32[] convert(k) t = "
                           "f32[] constant(0.0204081633) h = f32[] constant(49)\n") +
               (divides ? "p = f32[] divide(f, h)" : "p = f32[] multiply(f, t)") +
               " q = f32[] multiply(p, h) i = s32[] convert(q) m = s32[] constant(" + mask +
               ") n = s32[] and(i, m)\n" + result);
}

TEST(DecidedByRoundings, SizesAreRoundedWhereEverythingIs) {
  const std::string sized = "ROOT r = f32[<=4] set-dimension-size(x, n), dimensions={0}";
  const std::string a = Scaled(false, "3", sized), b = Scaled(true, "3", sized);
  EXPECT_EQ(VerdictOf(a, b, /*rounding=*/true), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(a, b), Verdict::kRefuted);
  EXPECT_EQ(VerdictOf(a, Scaled(true, "1", sized), /*rounding=*/true), Verdict::kRefuted);
}

}  // namespace
}  // namespace affirm::driver
