// Pairs of modules that are proved equal, each with a neighbour that differs and is seen to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/hlo/text.h"
#include "driver/equivalence/equivalence.h"
#include "tests/parse_module.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/prove.h"

namespace affirm::driver {
namespace {

using How = ResultEquivalence::How;

std::string Entry(const std::string& body) { return "ENTRY e {\n" + body + "\n}\n"; }

// Computations that entries below may call.
const char* const kCombiners = R"(
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
isum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
most { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
)";

ModuleEquivalence Compare(const std::string& a, const std::string& b,
                          const EquivalenceOptions& options = {}) {
  auto of_a = testing::ParseOrFail(a), of_b = testing::ParseOrFail(b);
  if (!of_a || !of_b) return {};
  auto result = CompareModules(*of_a, *of_b, options);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  return std::move(*result);
}

struct Triple {
  const char* name;
  const char* a;
  const char* same;   // proved equal to a
  const char* other;  // differs from a, and execution shows it
};

const Triple kTriples[] = {
    {"TransposeOfTranspose", "p = f32[3,4] parameter(0) ROOT r = f32[3,4] copy(p)",
     "p = f32[3,4] parameter(0) t = f32[4,3] transpose(p), dimensions={1,0} "
     "ROOT r = f32[3,4] transpose(t), dimensions={1,0}",
     "p = f32[3,4] parameter(0) t = f32[4,3] reshape(p) "
     "ROOT r = f32[3,4] transpose(t), dimensions={1,0}"},
    {"SliceOfConcatenate",
     "p = f32[4] parameter(0) q = f32[6] parameter(1) c = f32[10] concatenate(p, q), "
     "dimensions={0} "
     "ROOT r = f32[3] slice(c), slice={[5:8]}",
     "p = f32[4] parameter(0) q = f32[6] parameter(1) ROOT r = f32[3] slice(q), slice={[1:4]}",
     "p = f32[4] parameter(0) q = f32[6] parameter(1) ROOT r = f32[3] slice(q), slice={[2:5]}"},
    {"PadIsConcatenate",
     "p = f32[4] parameter(0) z = f32[] constant(0) ROOT r = f32[7] pad(p, z), padding=1_2",
     "p = f32[4] parameter(0) z = f32[1] constant({0}) y = f32[2] constant({0, 0}) "
     "ROOT r = f32[7] concatenate(z, p, y), dimensions={0}",
     "p = f32[4] parameter(0) z = f32[1] constant({0}) y = f32[2] constant({0, 0}) "
     "ROOT r = f32[7] concatenate(y, p, z), dimensions={0}"},
    {"ReduceOfReshape",
     "p = f32[4,6] parameter(0) z = f32[] constant(0) v = f32[24] reshape(p) "
     "ROOT r = f32[] reduce(v, z), dimensions={0}, to_apply=sum",
     "p = f32[4,6] parameter(0) z = f32[] constant(0) "
     "ROOT r = f32[] reduce(p, z), dimensions={0,1}, to_apply=sum",
     "p = f32[4,6] parameter(0) z = f32[] constant(0) s = f32[4,5] slice(p), slice={[0:4],[0:5]} "
     "ROOT r = f32[] reduce(s, z), dimensions={0,1}, to_apply=sum"},
    {"ReduceOfReduce",
     "p = f32[4,6] parameter(0) z = f32[] constant(-inf) "
     "v = f32[4] reduce(p, z), dimensions={1}, to_apply=most "
     "ROOT r = f32[] reduce(v, z), dimensions={0}, to_apply=most",
     "p = f32[4,6] parameter(0) z = f32[] constant(-inf) "
     "t = f32[6,4] transpose(p), dimensions={1,0} "
     "ROOT r = f32[] reduce(t, z), dimensions={0,1}, to_apply=most",
     "p = f32[4,6] parameter(0) z = f32[] constant(1e30) "
     "t = f32[6,4] transpose(p), dimensions={1,0} "
     "ROOT r = f32[] reduce(t, z), dimensions={0,1}, to_apply=most"},
    {"SumOfIntegers",
     "p = s32[9,5] parameter(0) z = s32[] constant(3) "
     "ROOT r = s32[9] reduce(p, z), dimensions={1}, to_apply=isum",
     "p = s32[9,5] parameter(0) z = s32[] constant(3) t = s32[5,9] transpose(p), dimensions={1,0} "
     "ROOT r = s32[9] reduce(t, z), dimensions={0}, to_apply=isum",
     "p = s32[9,5] parameter(0) z = s32[] constant(4) t = s32[5,9] transpose(p), dimensions={1,0} "
     "ROOT r = s32[9] reduce(t, z), dimensions={0}, to_apply=isum"},
    {"DotIsReduce",
     "p = f32[3,5] parameter(0) q = f32[5,4] parameter(1) ROOT r = f32[3,4] dot(p, q), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "p = f32[3,5] parameter(0) q = f32[5,4] parameter(1) z = f32[] constant(0) "
     "a = f32[3,5,4] broadcast(p), dimensions={0,1} b = f32[3,5,4] broadcast(q), dimensions={1,2} "
     "m = f32[3,5,4] multiply(a, b) ROOT r = f32[3,4] reduce(m, z), dimensions={1}, to_apply=sum",
     "p = f32[3,5] parameter(0) q = f32[5,4] parameter(1) z = f32[] constant(0) "
     "a = f32[3,5,4] broadcast(p), dimensions={0,1} b = f32[3,5,4] broadcast(q), dimensions={1,2} "
     "m = f32[3,5,4] add(a, b) ROOT r = f32[3,4] reduce(m, z), dimensions={1}, to_apply=sum"},
    {"DivisionByAPowerOfTwo",
     "p = f32[5] parameter(0) c = f32[] constant(4) b = f32[5] broadcast(c), dimensions={} "
     "ROOT r = f32[5] divide(p, b)",
     "p = f32[5] parameter(0) c = f32[] constant(0.25) b = f32[5] broadcast(c), dimensions={} "
     "ROOT r = f32[5] multiply(p, b)",
     "p = f32[5] parameter(0) c = f32[] constant(0.5) b = f32[5] broadcast(c), dimensions={} "
     "ROOT r = f32[5] multiply(p, b)"},
    {"NarrowSum", "p = bf16[5] parameter(0) q = bf16[5] parameter(1) ROOT r = bf16[5] add(p, q)",
     "p = bf16[5] parameter(0) q = bf16[5] parameter(1) x = f32[5] convert(p) y = f32[5] "
     "convert(q) "
     "s = f32[5] add(x, y) ROOT r = bf16[5] convert(s)",
     "p = bf16[5] parameter(0) q = bf16[5] parameter(1) x = f32[5] convert(p) y = f32[5] "
     "convert(q) "
     "s = f32[5] subtract(x, y) ROOT r = bf16[5] convert(s)"},
    {"Rank0", "p = s32[] parameter(0) c = s32[] constant(2) ROOT r = s32[] multiply(p, c)",
     "p = s32[] parameter(0) ROOT r = s32[] add(p, p)",
     "p = s32[] parameter(0) c = s32[] constant(1) s = s32[] add(p, c) ROOT r = s32[] add(p, s)"},
};

class Triples : public ::testing::TestWithParam<Triple> {};

TEST_P(Triples, OneIsProvedAndItsNeighbourIsNot) {
  const Triple& t = GetParam();
  const std::string a = kCombiners + Entry(t.a);
  ModuleEquivalence same = Compare(a, kCombiners + Entry(t.same));
  EXPECT_EQ(same.verdict, EquivalenceVerdict::kEqual)
      << (same.results.empty() ? "" : same.results[0].reason);
  ModuleEquivalence other = Compare(a, kCombiners + Entry(t.other));
  EXPECT_EQ(other.verdict, EquivalenceVerdict::kDifferent);
  ASSERT_TRUE(other.difference);
  EXPECT_NE(other.difference->a, other.difference->b);
  EXPECT_EQ(other.difference->note, "");
  for (const ResultEquivalence& of : other.results) EXPECT_EQ(of.how, How::kDifferent);
}

INSTANTIATE_TEST_SUITE_P(Equivalence, Triples, ::testing::ValuesIn(kTriples),
                         [](const auto& info) { return info.param.name; });

// Sums of zeros alone have the sign of the zero that they start with, which shows in a quotient.
TEST(Equivalence, SignsOfZerosInSumsAreNotTakenForOne) {
  // Of three elements, which are written out, or of more than are.
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
    EXPECT_EQ(verdict(a, a), EquivalenceVerdict::kEqual);
    EXPECT_NE(verdict(a, b), EquivalenceVerdict::kEqual) << a << b;
    EXPECT_NE(verdict(b, a), EquivalenceVerdict::kEqual) << a << b;
    ModuleEquivalence by_law = Compare(a, b, {.allowed_laws = {"add.zero"}, .execute = false});
    EXPECT_EQ(by_law.verdict, EquivalenceVerdict::kEqual) << a << b;
    EXPECT_THAT(by_law.laws, ::testing::Contains("add.zero"));
  }
}

TEST(Equivalence, ArgumentsThatDoNotFitAreErrors) {
  const std::string neg = "neg { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) } ";
  auto module = [&](const std::string& argument) {
    return neg + Entry("p = f32[2] parameter(0) q = f32[3,1] parameter(1) ROOT r = f32[2] fusion(" +
                       argument + "), kind=kLoop, calls=neg");
  };
  auto a = hlo::ParseModule(module("p"), "a"), b = hlo::ParseModule(module("q"), "b");
  ASSERT_TRUE(a && b);
  auto equivalence = CompareModules(**a, **b, {});
  ASSERT_FALSE(equivalence);
  EXPECT_THAT(llvm::toString(equivalence.takeError()), ::testing::HasSubstr("parameter 0 of neg"));
}

TEST(Equivalence, AModuleAndItselfAreTheSameGraphWhateverIsInIt) {
  const std::string text = Entry(
      "p = f32[4] parameter(0) c = f32[4] custom-call(p), custom_call_target=\"anything\" "
      "ROOT r = (f32[4], f32[4]) tuple(c, p)");
  ModuleEquivalence same = Compare(text, text);
  EXPECT_EQ(same.verdict, EquivalenceVerdict::kEqual);
  EXPECT_EQ(same.results.at(0).how, How::kSameGraph);
  std::string other = text;
  other.replace(other.find("anything"), 8, "nothing ");
  EXPECT_EQ(Compare(text, other).verdict, EquivalenceVerdict::kUnknown);
}

TEST(Equivalence, ResultsOfTuplesAreJudgedOneByOne) {
  const std::string a = Entry(
      "p = (f32[3], s32[2]) parameter(0) a = f32[3] get-tuple-element(p), index=0 "
      "b = s32[2] get-tuple-element(p), index=1 ROOT r = (s32[2], f32[3]) tuple(b, a)");
  const std::string b = Entry(
      "p = (f32[3], s32[2]) parameter(0) a = f32[3] get-tuple-element(p), index=0 "
      "b = s32[2] get-tuple-element(p), index=1 n = s32[2] negate(b) m = s32[2] negate(n) "
      "f = f32[3] reverse(a), dimensions={0} ROOT r = (s32[2], f32[3]) tuple(m, f)");
  ModuleEquivalence result = Compare(a, b);
  EXPECT_EQ(result.verdict, EquivalenceVerdict::kDifferent);
  ASSERT_EQ(result.results.size(), 2u);
  EXPECT_EQ(result.results[0].how, How::kProved);
  EXPECT_EQ(result.results[1].how, How::kDifferent);
  EXPECT_EQ(result.difference->leaf, 1);
}

TEST(Equivalence, ArraysWithoutElementsAreEqual) {
  const std::string a = Entry("p = f32[0,3] parameter(0) ROOT r = f32[0,3] negate(p)");
  const std::string b = Entry("p = f32[0,3] parameter(0) ROOT r = f32[0,3] exponential(p)");
  EXPECT_EQ(Compare(a, b).verdict, EquivalenceVerdict::kEqual);
  // A reduction of nothing is the initial value.
  const std::string c =
      kCombiners + Entry(
                       "p = f32[0,3] parameter(0) z = f32[] constant(5) "
                       "ROOT r = f32[3] reduce(p, z), dimensions={0}, to_apply=sum");
  const std::string d = kCombiners + Entry(
                                         "p = f32[0,3] parameter(0) z = f32[] constant(5) "
                                         "ROOT r = f32[3] broadcast(z), dimensions={}");
  const std::string e = kCombiners + Entry(
                                         "p = f32[0,3] parameter(0) z = f32[] constant(0) "
                                         "ROOT r = f32[3] broadcast(z), dimensions={}");
  EXPECT_EQ(Compare(c, d).verdict, EquivalenceVerdict::kEqual);
  EXPECT_EQ(Compare(c, e).verdict, EquivalenceVerdict::kDifferent);
}

TEST(Equivalence, SizesOfRunTimeAreNotProved) {
  const std::string a = Entry(
      "p = f32[5] parameter(0) n = s32[] parameter(1) s = f32[<=5] set-dimension-size(p, n), "
      "dimensions={0} ROOT r = f32[<=5] negate(s)");
  const std::string b = Entry(
      "p = f32[5] parameter(0) n = s32[] parameter(1) m = f32[5] negate(p) "
      "ROOT s = f32[<=5] set-dimension-size(m, n), dimensions={0}");
  ModuleEquivalence result = Compare(a, b);
  EXPECT_EQ(result.verdict, EquivalenceVerdict::kUnknown);
  EXPECT_EQ(result.results.at(0).how, How::kExecuted);
  EXPECT_NE(result.results.at(0).reason, "");
}

TEST(Equivalence, OtherSignaturesAreErrors) {
  auto error = [](const std::string& a, const std::string& b) {
    auto of_a = testing::ParseOrFail(a), of_b = testing::ParseOrFail(b);
    auto result = CompareModules(*of_a, *of_b, {});
    return result ? std::string("no error") : llvm::toString(result.takeError());
  };
  const std::string four = Entry("p = f32[4] parameter(0) ROOT r = f32[4] negate(p)");
  EXPECT_EQ(error(four, Entry("p = f32[5] parameter(0) ROOT r = f32[5] negate(p)")),
            "parameter 0 is f32[4] and f32[5], expected one shape");
  EXPECT_EQ(error(four, Entry("p = f32[4] parameter(0) q = f32[4] parameter(1) "
                              "ROOT r = f32[4] add(p, q)")),
            "there are 1 parameters and 2, expected as many");
  EXPECT_EQ(error(four, Entry("p = f32[4] parameter(0) ROOT r = f32[2,2] reshape(p)")),
            "the result is f32[4] and f32[2,2], expected one shape");
  EXPECT_EQ(error(four, Entry("p = f32[4] parameter(0) ROOT r = f64[4] convert(p)")),
            "the result is f32[4] and f64[4], expected one shape");
}

// Combiners of one name and two meanings.
TEST(Equivalence, CombinersAreKnownByWhatTheyCompute) {
  auto with = [](const std::string& name, const std::string& direction) {
    return name +
           " { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) "
           "j = s32[] parameter(3) c = pred[] compare(a, b), direction=" +
           direction +
           " v = f32[] select(c, a, b) k = s32[] select(c, i, j) "
           "ROOT r = (f32[], s32[]) tuple(v, k) }\n" +
           Entry(
               "p = f32[4,7] parameter(0) z = f32[] constant(0) n = s32[] constant(0) "
               "i = s32[4,7] iota(), iota_dimension=1 ROOT r = (f32[4], s32[4]) "
               "reduce(p, i, z, n), dimensions={1}, to_apply=" +
               name);
  };
  // Not the same graph: one module has a copy.
  auto copied = [&](const std::string& name, const std::string& direction) {
    std::string text = with(name, direction);
    const std::string old = "p = f32[4,7] parameter(0)";
    return text.replace(text.find(old), old.size(),
                        "q = f32[4,7] parameter(0) p = f32[4,7] copy(q)");
  };
  EXPECT_EQ(Compare(with("pick", "GT"), copied("choose", "GT")).verdict,
            EquivalenceVerdict::kEqual);
  EXPECT_EQ(Compare(with("pick", "GT"), copied("pick", "LT")).verdict,
            EquivalenceVerdict::kDifferent);
}

// Operations without value terms are functions of their operands, and of what they call.
TEST(Equivalence, LoopsAndSortsAreFunctions) {
  auto loop = [](const std::string& body, const std::string& start) {
    return "body { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
           "x = f32[4] get-tuple-element(s), index=1 one = s32[] constant(1) "
           "j = s32[] add(i, one) " +
           body +
           " ROOT t = (s32[], f32[4]) tuple(j, y) }\n"
           "more { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
           "n = s32[] constant(3) ROOT c = pred[] compare(i, n), direction=LT }\n" +
           Entry("p = f32[4] parameter(0) z = s32[] constant(0) " + start +
                 " t = (s32[], f32[4]) tuple(z, q) w = (s32[], f32[4]) while(t), condition=more, "
                 "body=body ROOT r = f32[4] get-tuple-element(w), index=1");
  };
  const std::string a = loop("y = f32[4] negate(x)", "q = f32[4] copy(p)");
  EXPECT_EQ(
      Compare(a, loop("c = f32[4] copy(x) y = f32[4] negate(c)", "q = f32[4] reshape(p)")).verdict,
      EquivalenceVerdict::kEqual);
  EXPECT_EQ(Compare(a, loop("y = f32[4] abs(x)", "q = f32[4] copy(p)")).verdict,
            EquivalenceVerdict::kDifferent);
  EXPECT_EQ(
      Compare(a, loop("y = f32[4] negate(x)", "q = f32[4] reverse(p), dimensions={0}")).verdict,
      EquivalenceVerdict::kDifferent);
}

// A library call inside of a call is the same as outside of it, on the same operands.
TEST(Equivalence, CallsAreInlined) {
  auto outside = [](const std::string& operand) {
    return Entry("p = f32[4] parameter(0) n = f32[4] negate(p) c = f32[4] custom-call(" + operand +
                 "), custom_call_target=\"f\" ROOT r = f32[4] abs(c)");
  };
  const std::string inside =
      "inner { q = f32[4] parameter(0) ROOT c = f32[4] custom-call(q), custom_call_target=\"f\" "
      "}\n" +
      Entry(
          "p = f32[4] parameter(0) n = f32[4] negate(p) c = f32[4] call(n), to_apply=inner "
          "ROOT r = f32[4] abs(c)");
  EXPECT_EQ(Compare(inside, outside("n")).verdict, EquivalenceVerdict::kEqual);
  EXPECT_EQ(Compare(inside, outside("p")).verdict, EquivalenceVerdict::kUnknown);
}

// What has no value and no meaning here is not compared.
TEST(Equivalence, LibraryCallsWithAnEffectAreUnknown) {
  auto call = [](const std::string& more) {
    return Entry("p = f32[4] parameter(0) q = f32[4] copy(p) c = f32[4] custom-call(" + more +
                 "), custom_call_target=\"f\", custom_call_has_side_effect=true "
                 "ROOT r = f32[4] negate(c)");
  };
  ModuleEquivalence result = Compare(call("p"), call("q"));
  EXPECT_EQ(result.verdict, EquivalenceVerdict::kUnknown);
  EXPECT_NE(result.not_executed, "");
}

TEST(Equivalence, WhatIsSentIsNoResult) {
  auto module = [](const std::string& sent, const std::string& root) {
    return Entry(
        "p = f32[4] parameter(0) n = f32[4] negate(p) t = token[] after-all() o = token[] "
        "outfeed(" +
        sent + ", t) ROOT r = " + root);
  };
  const std::string token = "(token[]) tuple(o)", value = "f32[4] copy(p)";
  EXPECT_EQ(Compare(module("p", token), module("n", token)).verdict, EquivalenceVerdict::kUnknown);
  EXPECT_EQ(Compare(module("p", value), module("n", value)).verdict, EquivalenceVerdict::kUnknown);
  EXPECT_NE(Compare(module("p", value), module("n", value)).effect, "");
  EXPECT_EQ(Compare(module("p", token), module("p", token)).verdict, EquivalenceVerdict::kEqual);
}

// Two draws are two values, however they are wrapped.
TEST(Equivalence, RandomNumbersAreDrawnEachTime) {
  auto fused = [](const std::string& other) {
    return "draw { a = s32[] constant(0) b = s32[] constant(9) ROOT r = s32[4] rng(a, b), "
           "distribution=rng_uniform }\n" +
           Entry(
               "x = s32[4] fusion(), kind=kLoop, calls=draw "
               "y = s32[4] fusion(), kind=kLoop, calls=draw ROOT d = s32[4] subtract(x, " +
               other + ")");
  };
  EXPECT_EQ(Compare(fused("y"), fused("x")).verdict, EquivalenceVerdict::kUnknown);
  auto branches = [](const std::string& other) {
    return "draw { p = s32[] parameter(0) b = s32[] constant(9) ROOT r = s32[4] rng(p, b), "
           "distribution=rng_uniform }\n" +
           Entry(
               "c = pred[] parameter(0) z = s32[] constant(0) "
               "x = s32[4] conditional(c, z, z), true_computation=draw, false_computation=draw "
               "y = s32[4] conditional(c, z, z), true_computation=draw, false_computation=draw "
               "ROOT d = s32[4] subtract(x, " +
               other + ")");
  };
  EXPECT_EQ(Compare(branches("y"), branches("x")).verdict, EquivalenceVerdict::kUnknown);
}

// Contents that nobody defines: what a library leaves in its scratch memory, and an array that is
// allocated and not written. One graph says nothing of these, and so do terms.
std::string WithScratch(const std::string& root, const std::string& more = "") {
  return more +
         Entry(
             "a = f32[8,12] parameter(0) b = f32[12,16] parameter(1) q = pred[] parameter(2) "
             "c = (f32[8,16], s8[64]) custom-call(a, b), custom_call_target=\"__cublas$gemm\", "
             "backend_config={\"gemm_backend_config\":{\"dot_dimension_numbers\":"
             "{\"lhs_contracting_dimensions\":[\"1\"],\"rhs_contracting_dimensions\":[\"0\"]}}} "
             "g = f32[8,16] get-tuple-element(c), index=0 "
             "s = s8[64] get-tuple-element(c), index=1 "
             "z = s8[64] custom-call(), custom_call_target=\"AllocateBuffer\" " +
             root);
}

struct OfContents {
  const char* name;
  const char* root;
  std::vector<bool> equal;  // of each result
  const char* more = "";    // computations
};

const OfContents kOfContents[] = {
    {"TheProduct", "ROOT r = f32[8,16] negate(g)", {true}},
    {"TheScratch", "ROOT r = s8[64] copy(s)", {false}},
    {"Both", "ROOT r = (s8[64], f32[8,16]) tuple(s, g)", {false, true}},
    {"TheCall", "ROOT r = (f32[8,16], s8[64]) opt-barrier(c)", {true, false}},
    {"NoValueOfIt", "n = s8[64] subtract(z, z) ROOT r = s8[64] add(n, s)", {false}},
    {"ItsSize", "n = s32[] get-dimension-size(z), dimensions={0} ROOT r = s32[] negate(n)", {true}},
    {"ACallOfIt",
     "ROOT r = (s8[64], s8[64]) call(s, z), to_apply=pair",
     {false, false},
     "pair { x = s8[64] parameter(0) y = s8[64] parameter(1) "
     "ROOT t = (s8[64], s8[64]) tuple(x, y) }\n"},
    {"WithinACall",
     "ROOT r = (f32[8,16], s8[4]) call(g), to_apply=f",
     {true, false},
     "f { x = f32[8,16] parameter(0) w = s8[4] custom-call(), "
     "custom_call_target=\"AllocateBuffer\" ROOT t = (f32[8,16], s8[4]) tuple(x, w) }\n"},
    {"ABranchHasIt",
     "t = s8[64] negate(z) ROOT r = s8[64] conditional(q, z, t), "
     "true_computation=same, false_computation=zero",
     {false},
     "same { x = s8[64] parameter(0) ROOT r = s8[64] copy(x) }\n"
     "zero { x = s8[64] parameter(0) n = s8[] constant(0) "
     "ROOT r = s8[64] broadcast(n), dimensions={} }\n"},
    {"NoBranchHasIt",
     "ROOT r = s8[64] conditional(q, z, s), "
     "true_computation=zero, false_computation=zero",
     {true},
     "zero { x = s8[64] parameter(0) n = s8[] constant(0) "
     "ROOT r = s8[64] broadcast(n), dimensions={} }\n"},
    // Through one leaf of what is carried to another, trip by trip.
    {"ALoopHandsItOn",
     "n = s32[] constant(0) k = s8[] constant(0) "
     "e = s8[64] broadcast(k), dimensions={} t = (s32[], s8[64], s8[64], s8[64]) "
     "tuple(n, e, e, s) ROOT r = (s32[], s8[64], s8[64], s8[64]) while(t), condition=less, "
     "body=shift",
     {true, false, false, false},
     "less { p = (s32[], s8[64], s8[64], s8[64]) parameter(0) n = s32[] get-tuple-element(p), "
     "index=0 m = s32[] constant(5) ROOT l = pred[] compare(n, m), direction=LT }\n"
     "shift { p = (s32[], s8[64], s8[64], s8[64]) parameter(0) n = s32[] get-tuple-element(p), "
     "index=0 one = s32[] constant(1) next = s32[] add(n, one) "
     "b = s8[64] get-tuple-element(p), index=2 c = s8[64] get-tuple-element(p), index=3 "
     "ROOT t = (s32[], s8[64], s8[64], s8[64]) tuple(next, b, c, c) }\n"},
    {"ALoopRunsByIt",
     "i = s8[1] slice(s), slice={[0:1]} j = s8[] reshape(i) "
     "k = s32[] convert(j) n = s32[] constant(0) t = (s32[], s32[]) tuple(n, k) "
     "ROOT r = (s32[], s32[]) while(t), condition=less, body=next",
     {false, false},
     "less { p = (s32[], s32[]) parameter(0) n = s32[] get-tuple-element(p), index=0 "
     "m = s32[] get-tuple-element(p), index=1 ROOT l = pred[] compare(n, m), direction=LT }\n"
     "next { p = (s32[], s32[]) parameter(0) n = s32[] get-tuple-element(p), index=0 "
     "m = s32[] get-tuple-element(p), index=1 one = s32[] constant(1) "
     "i = s32[] add(n, one) ROOT t = (s32[], s32[]) tuple(i, m) }\n"},
    {"ACopyOfIt",
     "t = (s8[64], s8[64], u32[]) copy-start(z) ROOT r = s8[64] copy-done(t)",
     {false}},
    {"ACopy",
     "h = f32[8,16] negate(g) t = (f32[8,16], f32[8,16], u32[]) copy-start(h) "
     "ROOT r = f32[8,16] copy-done(t)",
     {true}},
    {"TheContextOfACopy",
     "t = (f32[8,16], f32[8,16], u32[]) copy-start(g) "
     "ROOT r = u32[] get-tuple-element(t), index=2",
     {false}},
    {"AnUnknownLibrary",
     "u = (s8[4], u8[64]) custom-call(a), custom_call_target=\"__lib$f\" "
     "ROOT r = (s8[4], u8[64]) tuple-of(u)",
     {true, false}},
    {"AHandlerOfOnesOwn",
     "u = (s8[4], u8[64]) custom-call(a), custom_call_target=\"f\" "
     "ROOT r = (s8[4], u8[64]) tuple-of(u)",
     {true, true}},
};

TEST(Equivalence, ContentsThatNobodyDefinesAreNotProved) {
  for (const OfContents& of : kOfContents) {
    std::string root = of.root;
    const size_t at = root.find("tuple-of(u)");
    if (at != std::string::npos) root.replace(at, 11, "opt-barrier(u)");
    const std::string text = WithScratch(root, of.more);
    // The same graph, and one that is the same by terms: another operation on what has contents.
    const ModuleEquivalence result = Compare(text, text);
    ASSERT_EQ(result.results.size(), of.equal.size()) << of.name;
    bool all = true;
    for (size_t k = 0; k < of.equal.size(); ++k) {
      EXPECT_EQ(result.results[k].how, of.equal[k] ? How::kSameGraph : How::kUnknown)
          << of.name << " result " << k;
      EXPECT_EQ(result.results[k].reason.empty(), of.equal[k]) << of.name;
      all = all && of.equal[k];
    }
    EXPECT_EQ(result.verdict, all ? EquivalenceVerdict::kEqual : EquivalenceVerdict::kUnknown)
        << of.name;
  }
}

TEST(Equivalence, ContentsThatNobodyDefinesHaveNoTerms) {
  auto module = [](const std::string& root) {
    return Entry(
        "p = s32[4] parameter(0) x = s32[4] custom-call(), custom_call_target=\"AllocateBuffer\" "
        "y = s32[4] custom-call(), custom_call_target=\"AllocateBuffer\" " +
        root);
  };
  const std::string zero = "k = s32[] constant(0) z = s32[4] broadcast(k), dimensions={} ";
  for (const char* root : {"d = s32[4] subtract(x, y) ROOT r = s32[4] add(p, d)",
                           "d = s32[4] subtract(x, x) ROOT r = s32[4] add(p, d)"}) {
    const ModuleEquivalence result =
        Compare(module(root), module(zero + "ROOT r = s32[4] add(p, z)"));
    EXPECT_EQ(result.verdict, EquivalenceVerdict::kUnknown) << root;
    EXPECT_NE(result.results[0].reason.find("nobody defines"), std::string::npos)
        << result.results[0].reason;
  }
  // One that is there, and does not matter.
  EXPECT_EQ(Compare(module("ROOT r = s32[4] add(p, p)"),
                    module("k = s32[] constant(2) t = s32[4] broadcast(k), dimensions={} "
                           "ROOT r = s32[4] multiply(p, t)"))
                .verdict,
            EquivalenceVerdict::kEqual);
}

TEST(Equivalence, ALargeReductionIsNotWrittenOut) {
  const std::string a =
      kCombiners + Entry(
                       "p = f32[100,3000] parameter(0) z = f32[] constant(0) "
                       "ROOT r = f32[100] reduce(p, z), dimensions={1}, to_apply=sum");
  const std::string b =
      kCombiners +
      Entry(
          "p = f32[100,3000] parameter(0) z = f32[] constant(0) q = f32[100,60,50] reshape(p) "
          "v = f32[100,60] reduce(q, z), dimensions={2}, to_apply=sum "
          "ROOT r = f32[100] reduce(v, z), dimensions={1}, to_apply=sum");
  EXPECT_EQ(Compare(a, b).verdict, EquivalenceVerdict::kEqual);
}

TEST(Equivalence, AToleranceIsAskedFor) {
  const std::string a = Entry(
      "p = f32[64] parameter(0) c = f32[] constant(3) b = f32[64] broadcast(c), dimensions={} "
      "ROOT r = f32[64] divide(p, b)");
  const std::string b = Entry(
      "p = f32[64] parameter(0) c = f32[] constant(0.333333343) b = f32[64] broadcast(c), "
      "dimensions={} ROOT r = f32[64] multiply(p, b)");
  EXPECT_EQ(Compare(a, b).verdict, EquivalenceVerdict::kDifferent);
  EquivalenceOptions near;
  near.ulp = 1;
  ModuleEquivalence result = Compare(a, b, near);
  EXPECT_EQ(result.verdict, EquivalenceVerdict::kUnknown);
  EXPECT_EQ(result.largest_ulp, 1);
  EquivalenceOptions rounding;
  rounding.rounding = true;
  EXPECT_EQ(Compare(a, b, rounding).verdict, EquivalenceVerdict::kUnknown);
  EquivalenceOptions law;
  law.allowed_laws = {"divide.as_reciprocal"};
  EXPECT_EQ(Compare(a, b, law).verdict, EquivalenceVerdict::kEqual);
}

// What a pass says of indices, and the module before it did not, has to hold: of constants that is
// seen, of arguments it is not proved where no execution shows that it is false.
TEST(Equivalence, PromisesOfIndicesAreNotTakenForGranted) {
  auto scatter = [](const char* indices, const char* promise) {
    return std::string(R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  x = f32[10] parameter(0)
  i = s32[2,1] parameter(1)
  u = f32[2] parameter(2)
  k = s32[2,1] constant({{1},{1}})
  low = s32[2,1] and(i, k)
  c = s32[2,1] constant({{2},{7}})
  j = s32[2,1] )") +
           indices + R"(
  ROOT g = f32[10] scatter(x, j, u), update_window_dims={}, inserted_window_dims={0}, )" +
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1" + promise + ", to_apply=add\n}\n";
  };
  const char *unique = ", unique_indices=true", *sorted = ", indices_are_sorted=true";
  for (const char* promise : {unique, sorted}) {
    auto verdict = [&](const char* indices, const char* before, bool execute) {
      EquivalenceOptions options;
      options.execute = execute;
      return Compare(scatter(indices, before), scatter(indices, promise), options).verdict;
    };
    const char *argument = "copy(i)", *apart = "constant({{2},{7}})";
    const char* wrong = promise == unique ? "constant({{2},{2}})" : "constant({{7},{2}})";
    EXPECT_EQ(verdict(argument, "", true), EquivalenceVerdict::kDifferent);
    EXPECT_EQ(verdict(argument, "", false), EquivalenceVerdict::kUnknown);
    EXPECT_EQ(verdict(argument, promise, true), EquivalenceVerdict::kEqual);
    EXPECT_EQ(verdict(apart, "", true), EquivalenceVerdict::kEqual);
    EXPECT_EQ(verdict(apart, "", false), EquivalenceVerdict::kUnknown);
    EXPECT_EQ(verdict("add(low, c)", "", true), EquivalenceVerdict::kUnknown);
    EXPECT_EQ(verdict(wrong, "", true), EquivalenceVerdict::kDifferent);
  }
}

// A branch that no execution takes says nothing of the constant indices in it.
TEST(Equivalence, PromisesInBranchesAreNotDecidedByOneRun) {
  auto branch = [](const char* promise) {
    return std::string(R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
rare {
  x = f32[10] parameter(0)
  one = f32[] constant(1)
  u = f32[2] broadcast(one), dimensions={}
  j = s32[2,1] constant({{2},{2}})
  ROOT g = f32[10] scatter(x, j, u), update_window_dims={}, inserted_window_dims={0}, )") +
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1" + promise +
           R"(, to_apply=add
}
usual {
  x = f32[10] parameter(0)
  ROOT n = f32[10] negate(x)
}
ENTRY e {
  x = f32[10] parameter(0)
  i = s32[] parameter(1)
  k = s32[] constant(123456789)
  p = pred[] compare(i, k), direction=EQ
  no = pred[] constant(false)
  q = pred[] and(p, no)
  ROOT r = f32[10] conditional(q, x, x), true_computation=rare, false_computation=usual
}
)";
  };
  EXPECT_EQ(Compare(branch(""), branch(", unique_indices=true"), {}).verdict,
            EquivalenceVerdict::kUnknown);
}

// A pass may leave out a rounding to bf16, by which integers that are rounded from it change by
// one; other changes of theirs are seen.
TEST(Equivalence, IntegersMayMoveByNarrowRoundings) {
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
  EXPECT_NE(Compare(quantized("w", "3"), quantized("x", "3"), options).verdict,
            EquivalenceVerdict::kDifferent);
  EXPECT_EQ(Compare(quantized("w", "3"), quantized("x", "4"), options).verdict,
            EquivalenceVerdict::kDifferent);
}

// A few places of a type of two bits are more than any value: what a fault changes is seen all the
// same, and a result that is not computed from such a type has none of its places.
TEST(Equivalence, RoundingsOfTinyFloatsDoNotHideADifference) {
  const std::string values =
      "p = f32[64] parameter(0) q = f8e5m2[64] convert(p) w = f32[64] convert(q) "
      "c = f32[] constant(1.25) b = f32[64] broadcast(c), dimensions={} ";
  EquivalenceOptions rounding;
  rounding.rounding = true;
  auto verdict = [&](const std::string& a, const std::string& b) {
    return Compare(Entry(values + a), Entry(values + b), rounding).verdict;
  };
  EXPECT_EQ(verdict("ROOT r = f32[64] sine(w)", "n = f32[64] negate(w) ROOT r = f32[64] sine(n)"),
            EquivalenceVerdict::kDifferent);
  EXPECT_EQ(verdict("s = f32[64] sine(p) ROOT t = (f8e5m2[64], f32[64]) tuple(q, s)",
                    "m = f32[64] multiply(p, b) s = f32[64] sine(m) "
                    "ROOT t = (f8e5m2[64], f32[64]) tuple(q, s)"),
            EquivalenceVerdict::kDifferent);
}

// What becomes of the quotient of two infinities excuses nobody who has made them of numbers. A
// module that has NaN itself may be answered with it.
TEST(Equivalence, APassThatMakesNanOfNumbersIsWrong) {
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
  EXPECT_EQ(Compare(of("1"), of("inf"), rounding).verdict, EquivalenceVerdict::kDifferent);
  EXPECT_NE(Compare(of("inf"), of("1"), rounding).verdict, EquivalenceVerdict::kDifferent);
  EXPECT_NE(Compare(of("1"), of("2"), rounding).verdict, EquivalenceVerdict::kDifferent);
}

TEST(Equivalence, AnswersAreTheSameTwice) {
  const std::string a = Entry("p = s32[7] parameter(0) ROOT r = s32[7] negate(p)");
  const std::string b = Entry("p = s32[7] parameter(0) ROOT r = s32[7] abs(p)");
  ModuleEquivalence one = Compare(a, b), other = Compare(a, b);
  ASSERT_TRUE(one.difference && other.difference);
  EXPECT_EQ(one.difference->index, other.difference->index);
  EXPECT_EQ(one.difference->arguments, other.difference->arguments);
}

// What a bitcast gives depends on how its operand lies in memory: in a computation that is called
// that is what the parameter says, and equal arrays that lie in memory in two ways are two.
TEST(Equivalence, LayoutsThatBitcastsReadAreKept) {
  const std::string in_called =
      "inner { x = f32[4,6]{0,1} parameter(0) ROOT b = f32[24]{0} bitcast(x) }\n" +
      Entry(
          "p = f32[4,6]{1,0} parameter(0) n = f32[4,6]{1,0} negate(p) "
          "ROOT r = f32[24]{0} call(n), to_apply=inner");
  const std::string as_given = Entry(
      "p = f32[4,6]{1,0} parameter(0) n = f32[4,6]{1,0} negate(p) "
      "ROOT r = f32[24]{0} bitcast(n)");
  const std::string as_taken = Entry(
      "p = f32[4,6]{1,0} parameter(0) n = f32[4,6]{0,1} negate(p) "
      "ROOT r = f32[24]{0} bitcast(n)");
  const ModuleEquivalence other = Compare(in_called, as_given);
  EXPECT_EQ(other.verdict, EquivalenceVerdict::kDifferent);
  ASSERT_TRUE(other.difference);
  EXPECT_EQ(other.difference->note, "");  // the terms say nothing else
  const ModuleEquivalence same = Compare(in_called, as_taken);
  EXPECT_EQ(same.verdict, EquivalenceVerdict::kEqual);

  auto two = testing::ParseOrFail(
      Entry("p = f32[4,6]{1,0} parameter(0) n = f32[4,6]{1,0} negate(p) "
            "m = f32[4,6]{0,1} negate(p) b = f32[24]{0} bitcast(n) c = f32[24]{0} bitcast(m) "
            "ROOT r = f32[24]{0} subtract(b, c)"));
  auto one =
      testing::ParseOrFail(Entry("p = f32[4,6]{1,0} parameter(0) n = f32[4,6]{1,0} negate(p) "
                                 "b = f32[24]{0} bitcast(n) ROOT r = f32[24]{0} subtract(b, b)"));
  ASSERT_TRUE(two && one);
  EXPECT_FALSE(equivalence::ProveEquivalent(*equivalence::Flattened(*two->entry),
                                            *equivalence::Flattened(*one->entry), {})
                   .proved());
}

// An element of a tuple that is made at once is that of which the tuple is made, but for how it
// says to lie in memory: here a loop transposes, or does nothing.
TEST(Equivalence, LayoutsOfElementsOfTuplesAreKept) {
  auto loop = [](const std::string& layout) {
    return "HloModule m\n"
           "end { s = (s32[], f32[2,2]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
           "k = s32[] constant(3) ROOT c = pred[] compare(i, k), direction=LT }\n"
           "step { s = (s32[], f32[2,2]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
           "x = f32[2,2] get-tuple-element(s), index=1 one = s32[] constant(1) "
           "j = s32[] add(i, one) n = f32[2,2] negate(x) q = (f32[2,2]) tuple(n) "
           "g = f32[2,2]" +
           layout +
           " get-tuple-element(q), index=0 b = f32[2,2]{1,0} bitcast(g) "
           "ROOT t = (s32[], f32[2,2]) tuple(j, b) }\n"
           "ENTRY e { p = f32[2,2] parameter(0) z = s32[] parameter(1) "
           "t = (s32[], f32[2,2]) tuple(z, p) "
           "w = (s32[], f32[2,2]) while(t), condition=end, body=step "
           "ROOT r = f32[2,2] get-tuple-element(w), index=1 }";
  };
  const ModuleEquivalence other = Compare(loop("{0,1}"), loop("{1,0}"));
  ASSERT_EQ(other.results.size(), 1u);
  EXPECT_NE(other.results[0].how, How::kSameGraph);
  EXPECT_NE(other.results[0].how, How::kProved);
  EXPECT_EQ(Compare(loop("{0,1}"), loop("{0,1}")).verdict, EquivalenceVerdict::kEqual);
}

}  // namespace
}  // namespace affirm::driver
