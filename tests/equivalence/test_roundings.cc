// Roundings: signs of zeros, tolerances that are requested, NaN that a pass makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "driver/equivalence/enclosed_pair.h"
#include "tests/equivalence/compare_modules.h"
#include "verify/reference/arguments.h"
#include "verify/reference/interpreter.h"

namespace affirm::driver {
namespace {

// Sums of zeros alone have the sign of the zero that they start with, which shows in a quotient.
TEST(Roundings, SignsOfZerosInSumsAreNotTakenForOne) {
  // Sums of three elements, which are written out, or of more, which are not.
  auto module = [](int64_t size, const std::string& sum) {
    return kCombiners + Entry("p = f32[" + std::to_string(size) + "] parameter(0) " + sum +
                              " w = f32[4] parameter(1) n = f32[] constant(0) " +
                              "s = f32[] reduce(w, n), dimensions={0}, to_apply=sum " +
                              "ROOT q = f32[] divide(s, r)");
  };
  auto reduced = [&](int64_t size, const std::string& start) {
    return module(size, "z = f32[] constant(" + start +
                            ") r = f32[] reduce(p, z), dimensions={0}, to_apply=sum");
  };
  const std::string written = module(3,
                                     "i = f32[1] slice(p), slice={[0:1]} a = f32[] reshape(i) "
                                     "j = f32[1] slice(p), slice={[1:2]} b = f32[] reshape(j) "
                                     "k = f32[1] slice(p), slice={[2:3]} c = f32[] reshape(k) "
                                     "y = f32[] add(a, b) r = f32[] add(y, c)");
  const std::string twice = module(100'000,
                                   "z = f32[] constant(0) y = f32[] constant(-0) "
                                   "v = f32[50000,2] reshape(p) "
                                   "u = f32[50000] reduce(v, z), dimensions={1}, to_apply=sum "
                                   "r = f32[] reduce(u, y), dimensions={0}, to_apply=sum");
  auto verdict = [](const std::string& a, const std::string& b) {
    return Compare(a, b, {.execute = false}).verdict;
  };
  const std::pair<std::string, std::string> kOthers[] = {{reduced(3, "0"), reduced(3, "-0")},
                                                         {reduced(3, "0"), written},
                                                         {reduced(100'000, "-0"), twice}};
  for (const auto& [a, b] : kOthers) {
    EXPECT_EQ(verdict(a, a), Verdict::kProved);
    EXPECT_NE(verdict(a, b), Verdict::kProved) << a << b;
    EXPECT_NE(verdict(b, a), Verdict::kProved) << a << b;
    ModuleEquivalence by_law = Compare(a, b, {.allowed_laws = {"add.zero"}, .execute = false});
    EXPECT_EQ(by_law.verdict, Verdict::kProved) << a << b;
    EXPECT_THAT(by_law.laws, ::testing::Contains("add.zero"));
  }
}

TEST(Roundings, AToleranceIsAskedFor) {
  const std::string a = Entry(
      "p = f32[64] parameter(0) c = f32[] constant(3) b = f32[64] broadcast(c), dimensions={} "
      "ROOT r = f32[64] divide(p, b)");
  const std::string b = Entry(
      "p = f32[64] parameter(0) c = f32[] constant(0.333333343) b = f32[64] broadcast(c), "
      "dimensions={} ROOT r = f32[64] multiply(p, b)");
  EXPECT_EQ(Compare(a, b).verdict, Verdict::kRefuted);
  EquivalenceOptions near;
  near.ulp = 1;
  ModuleEquivalence result = Compare(a, b, near);
  EXPECT_EQ(result.verdict, Verdict::kExecuted);
  EXPECT_EQ(result.largest_ulp, 1);
  EquivalenceOptions rounding;
  rounding.rounding = true;
  EXPECT_EQ(Compare(a, b, rounding).verdict, Verdict::kExecuted);
  EquivalenceOptions law;
  law.allowed_laws = {"divide.as_reciprocal"};
  EXPECT_EQ(Compare(a, b, law).verdict, Verdict::kProved);
}

// A pass may leave out a rounding to bf16, by which integers that are rounded from it change by
// one; other changes of theirs are seen.
TEST(Roundings, IntegersMayMoveByNarrowRoundings) {
  auto quantized = [](const char* value, const char* scale) {
    return std::string(R"(HloModule m
ENTRY e {
  x = f32[64] parameter(0)
  n = bf16[64] convert(x)
  w = f32[64] convert(n)
  c = f32[] constant()") +
           scale + R"()
  b = f32[64] broadcast(c), dimensions={}
  q = f32[64] multiply()" +
           value + R"(, b)
  r = f32[64] round-nearest-even(q)
  ROOT i = s32[64] convert(r)
}
)";
  };
  EquivalenceOptions options;
  options.rounding = true;
  EXPECT_NE(Compare(quantized("w", "3"), quantized("x", "3"), options).verdict, Verdict::kRefuted);
  EXPECT_EQ(Compare(quantized("w", "3"), quantized("x", "4"), options).verdict, Verdict::kRefuted);
}

// A few places of a type of two bits are more than any value: what a fault changes is seen all the
// same, and a result that is not computed from such a type has none of its places.
TEST(Roundings, RoundingsOfTinyFloatsDoNotHideADifference) {
  const std::string values =
      "p = f32[64] parameter(0) q = f8e5m2[64] convert(p) w = f32[64] convert(q) "
      "c = f32[] constant(1.25) b = f32[64] broadcast(c), dimensions={} ";
  EquivalenceOptions rounding;
  rounding.rounding = true;
  auto verdict = [&](const std::string& a, const std::string& b) {
    return Compare(Entry(values + a), Entry(values + b), rounding).verdict;
  };
  EXPECT_EQ(verdict("ROOT r = f32[64] sine(w)", "n = f32[64] negate(w) ROOT r = f32[64] sine(n)"),
            Verdict::kRefuted);
  EXPECT_EQ(verdict("s = f32[64] sine(p) ROOT t = (f8e5m2[64], f32[64]) tuple(q, s)",
                    "m = f32[64] multiply(p, b) s = f32[64] sine(m) "
                    "ROOT t = (f8e5m2[64], f32[64]) tuple(q, s)"),
            Verdict::kRefuted);
}

// The quotient of two infinities is no excuse if a pass made the infinities of numbers. If a module
// has NaN itself, NaN is a right answer.
TEST(Roundings, APassThatMakesNanOfNumbersIsWrong) {
  const std::string sum =
      "HloModule m\nsum { a = f32[] parameter(0) b = f32[] parameter(1) "
      "ROOT s = f32[] add(a, b) }\nENTRY e {\n  k = f32[] constant(VALUE)\n"
      "  kk = f32[2] broadcast(k), dimensions={}\n  z = f32[] constant(0)\n"
      "  s = f32[] reduce(kk, z), dimensions={0}, to_apply=sum\n"
      "  sb = f32[2] broadcast(s), dimensions={}\n  ROOT r = f32[2] divide(kk, sb)\n}\n";
  auto of = [&](const std::string& value) {
    std::string text = sum;
    return text.replace(text.find("VALUE"), 5, value);
  };
  EquivalenceOptions rounding;
  rounding.rounding = true;
  EXPECT_EQ(Compare(of("1"), of("inf"), rounding).verdict, Verdict::kRefuted);
  EXPECT_NE(Compare(of("inf"), of("1"), rounding).verdict, Verdict::kRefuted);
  EXPECT_NE(Compare(of("1"), of("2"), rounding).verdict, Verdict::kRefuted);
}

Verdict ByRoundings(const std::string& a, const std::string& b) {
  return Compare(std::string(kCombiners) + Entry(a), std::string(kCombiners) + Entry(b),
                 {.rounding = true})
      .verdict;
}

// Nothing narrow hides a wrong constant, sign or count: parameters and constants round nothing.
TEST(Roundings, WrongNumbersAreSeenBesideNarrowTypes) {
  const std::string dot =
      "p = bf16[8,64] parameter(0) q = bf16[64,8] parameter(1) d = f32[8,8] dot(p, q), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0} ";
  auto scaled = [&](const std::string& by) {
    return dot + "c = f32[] constant(" + by +
           ") b = f32[8,8] broadcast(c), dimensions={} ROOT r = f32[8,8] multiply(d, b)";
  };
  EXPECT_EQ(ByRoundings(scaled("1"), scaled("1.001")), Verdict::kRefuted);
  auto mean = [](const std::string& type, const std::string& by) {
    return "p = " + type +
           "[64] parameter(0) w = f32[64] convert(p) q = f32[64] multiply(w, w) z = "
           "f32[] constant(0) s = f32[] reduce(q, z), dimensions={0}, to_apply=sum c = f32[] "
           "constant(" +
           by +
           ") v = f32[] multiply(s, c) e = f32[] constant(0.00001) t = f32[] add(v, e) "
           "ROOT r = f32[] rsqrt(t)";
  };
  EXPECT_EQ(ByRoundings(mean("bf16", "0.015625"), mean("bf16", "0.0166667")), Verdict::kRefuted);
  EXPECT_NE(ByRoundings(mean("bf16", "0.015625"), mean("bf16", "0.015625001")), Verdict::kRefuted);
  const std::string tanh = "p = bf16[64] parameter(0) w = f32[64] convert(p) t = f32[64] tanh(w) ";
  auto times = [&](const std::string& by) {
    return tanh + "c = f32[] constant(" + by +
           ") b = f32[64] broadcast(c), dimensions={} ROOT r = f32[64] multiply(t, b)";
  };
  EXPECT_EQ(ByRoundings(times("1"), times("1.1")), Verdict::kRefuted);
  EXPECT_EQ(ByRoundings("p = f8e5m2[64] parameter(0) ROOT w = f32[64] convert(p)",
                        "p = f8e5m2[64] parameter(0) w = f32[64] convert(p) c = f32[] "
                        "constant(1.4) b = f32[64] broadcast(c), dimensions={} ROOT r = f32[64] "
                        "multiply(w, b)"),
            Verdict::kRefuted);
  EXPECT_EQ(ByRoundings("p = bf16[64] parameter(0) ROOT r = bf16[64] copy(p)",
                        "p = bf16[64] parameter(0) n = bf16[64] negate(p) i = s32[64] iota(), "
                        "iota_dimension=0 k = s32[] constant(5) b = s32[64] broadcast(k), "
                        "dimensions={} c = pred[64] compare(i, b), direction=EQ ROOT r = bf16[64] "
                        "select(c, n, p)"),
            Verdict::kRefuted);
}

// The difference of what is nearly the same has no digits left: whatever it is was not tested, but
// for zeros.
TEST(Roundings, WhatRoundingsMoveTooFarIsUnknown) {
  const std::string constants =
      "i = s16[64] parameter(0) p = f32[64] convert(i) c = f32[] constant(3) cb = f32[64] "
      "broadcast(c), dimensions={} d = f32[] constant(3.0000005) db = f32[64] broadcast(d), "
      "dimensions={} ";
  const ModuleEquivalence result = Compare(
      Entry(constants + "x = f32[64] divide(p, cb) y = f32[64] divide(p, db) ROOT r = f32[64] "
                        "subtract(x, y)"),
      Entry(constants + "n = f32[64] subtract(db, cb) m = f32[64] multiply(db, cb) e = f32[64] "
                        "divide(n, m) ROOT r = f32[64] multiply(p, e)"),
      {.rounding = true});
  EXPECT_EQ(result.verdict, Verdict::kUnknown);
  ASSERT_EQ(result.results.size(), 1U);
  EXPECT_THAT(result.results[0].reason,
              ::testing::HasSubstr("more than a tenth, from subtract r of A"));
}

TEST(Roundings, DigitsAndNumbersMayNotBeLost) {
  const std::string one = "o = f32[] constant(1) b = f32[64] broadcast(o), dimensions={} ";
  const std::string tiny =
      "p = f32[64] parameter(0) c = f32[] constant(1e-6) s = f32[64] "
      "broadcast(c), dimensions={} x = f32[64] multiply(p, s) ";
  EXPECT_EQ(ByRoundings(tiny + "ROOT r = f32[64] log-plus-one(x)",
                        tiny + one + "y = f32[64] add(x, b) ROOT r = f32[64] log(y)"),
            Verdict::kRefuted);
  // exp(104) is NaN in a type without infinities, whatever a compiler could keep in f32.
  const std::string x = "x = f8e4m3fn[] parameter(0) ";
  EXPECT_EQ(ByRoundings(x + "ROOT y = f8e4m3fn[] logistic(x)",
                        x + "o = f8e4m3fn[] constant(1) n = f8e4m3fn[] negate(x) e = f8e4m3fn[] "
                            "exponential(n) d = f8e4m3fn[] add(o, e) ROOT y = f8e4m3fn[] divide(o, "
                            "d)"),
            Verdict::kRefuted);
}

// A reduction by a combiner that rounds is no other number than A's, as far as is known; one that
// takes the wrong term is.
TEST(Roundings, ReductionsWhoseOrderCountsAreComparedInOne) {
  const std::string of = "x = f32[4,400] parameter(0) w = f32[4,400] tanh(x) z = f32[] constant(";
  // In f64, of which every order gives what B's order misses by its roundings.
  const std::string sums =
      of +
      "0) d = f64[4,400] convert(w) e = f64[4,400] exponential(d) n = f64[] constant(0) s = f64[4] "
      "reduce(e, n), dimensions={1}, to_apply=sum64 l = f64[4] log(s) ROOT r = f32[4] convert(l)";
  const std::string sum64 =
      "sum64 { p = f64[] parameter(0) q = f64[] parameter(1) ROOT s = f64[] add(p, q) }\n";
  auto by = [&](const std::string& term) {
    return "HloModule m\nlae { p = f32[] parameter(0) q = f32[] parameter(1) ep = f32[] "
           "exponential(p) eq = f32[] exponential(" +
           term + ") s = f32[] add(ep, eq) ROOT l = f32[] log(s) }\n" +
           Entry(of + "-inf) ROOT r = f32[4] reduce(w, z), dimensions={1}, to_apply=lae");
  };
  auto verdict = [&](const std::string& b) {
    return Compare(sum64 + Entry(sums), b.substr(std::string("HloModule m\n").size()),
                   {.rounding = true})
        .verdict;
  };
  EXPECT_NE(verdict(by("q")), Verdict::kRefuted);
  EXPECT_EQ(verdict(by("p")), Verdict::kRefuted);
}

// Where A is NaN or infinite on all arguments, and sums, it does not test B.
TEST(Roundings, WhatIsNoNumberAnywhereIsNotTested) {
  auto of = [](const std::string& start) {
    return kCombiners + Entry("x = f32[8,16] parameter(0) z = f32[] constant(" + start +
                              ") s = f32[8] reduce(x, z), dimensions={1}, to_apply=sum ROOT r = "
                              "f32[8] negate(s)");
  };
  const ModuleEquivalence result = Compare(of("inf"), of("0"), {.rounding = true});
  EXPECT_EQ(result.results[0].verdict, Verdict::kUnknown);
  EXPECT_THAT(result.results[0].reason, ::testing::HasSubstr("A sums, and is no number"));
}

// A compiled program's result is right in the enclosure of the module, or of the module it was made
// from.
TEST(Roundings, RunsOfProgramsAreHeldAgainstEnclosures) {
  auto module = testing::ParseOrFail(
      "HloModule m\n" + Entry("p = bf16[8,64] parameter(0) q = bf16[64,8] parameter(1) ROOT d = "
                              "f32[8,8] dot(p, q), lhs_contracting_dims={1}, "
                              "rhs_contracting_dims={0}"));
  ASSERT_NE(module, nullptr);
  const hlo::Computation& entry = *module->entry;
  const auto arguments = hlo::MakeArguments(entry, 1, hlo::ArgumentKind::kRounding);
  auto value = hlo::Interpret(entry, arguments);
  ASSERT_TRUE(static_cast<bool>(value));
  auto answer = [&](double factor) {
    hlo::Literal ran = *value;
    ran.SetFloat(0, value->GetFloat(0) * factor);
    const std::vector<const hlo::Literal*> leaves = {&*value}, of_run = {&ran};
    EnclosedPair pair(entry, entry, {});
    pair.Take(arguments, leaves, of_run);
    return pair.JudgeRun(0, 0).answer;
  };
  EXPECT_EQ(answer(1), EnclosedPair::Answer::kWithin);
  EXPECT_EQ(answer(1 + 0x1p-22), EnclosedPair::Answer::kWithin);
  EXPECT_EQ(answer(1.001), EnclosedPair::Answer::kApart);
  EXPECT_EQ(answer(-1), EnclosedPair::Answer::kApart);
}

}  // namespace
}  // namespace affirm::driver
