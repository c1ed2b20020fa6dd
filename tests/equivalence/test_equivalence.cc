// Pairs of modules that are proved equal, each with a neighbour that differs and is seen to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/hlo/text.h"
#include "tests/equivalence/compare_modules.h"

namespace affirm::driver {
namespace {

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
    // B may write the order that A leaves open.
    {"ReductionIsWrittenOut",
     "p = f32[3] parameter(0) z = f32[] constant(-0) "
     "r = f32[] reduce(p, z), dimensions={0}, to_apply=sum ROOT o = f32[1] reshape(r)",
     "p = f32[3] parameter(0) a = f32[1] slice(p), slice={[0:1]} b = f32[1] slice(p), "
     "slice={[1:2]} c = f32[1] slice(p), slice={[2:3]} s = f32[1] add(b, c) "
     "ROOT r = f32[1] add(s, a)",
     "p = f32[3] parameter(0) a = f32[1] slice(p), slice={[0:1]} b = f32[1] slice(p), "
     "slice={[1:2]} s = f32[1] add(b, a) ROOT r = f32[1] add(s, a)"},
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
     "p = s32[9,5] parameter(0) z = s32[] constant(0) "
     "ROOT r = s32[9] reduce(p, z), dimensions={1}, to_apply=isum",
     "p = s32[9,5] parameter(0) z = s32[] constant(0) t = s32[5,9] transpose(p), dimensions={1,0} "
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
  EXPECT_EQ(same.verdict, Verdict::kProved) << (same.results.empty() ? "" : same.results[0].reason);
  ModuleEquivalence other = Compare(a, kCombiners + Entry(t.other));
  EXPECT_EQ(other.verdict, Verdict::kRefuted);
  ASSERT_TRUE(other.difference);
  EXPECT_NE(other.difference->a, other.difference->b);
  EXPECT_EQ(other.difference->note.find("fault"), std::string::npos);
  for (const ResultEquivalence& of : other.results) EXPECT_EQ(of.verdict, Verdict::kRefuted);
}

INSTANTIATE_TEST_SUITE_P(Equivalence, Triples, ::testing::ValuesIn(kTriples),
                         [](const auto& info) { return info.param.name; });

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
  EXPECT_EQ(same.verdict, Verdict::kProved);
  EXPECT_TRUE(same.results.at(0).same_graph);
  std::string other = text;
  other.replace(other.find("anything"), 8, "nothing ");
  EXPECT_EQ(Compare(text, other).verdict, Verdict::kUnknown);
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
  EXPECT_EQ(result.verdict, Verdict::kRefuted);
  ASSERT_EQ(result.results.size(), 2u);
  EXPECT_EQ(result.results[0].verdict, Verdict::kProved);
  EXPECT_EQ(result.results[1].verdict, Verdict::kRefuted);
  EXPECT_EQ(result.difference->leaf, 1);
}

TEST(Equivalence, ArraysWithoutElementsAreEqual) {
  const std::string a = Entry("p = f32[0,3] parameter(0) ROOT r = f32[0,3] negate(p)");
  const std::string b = Entry("p = f32[0,3] parameter(0) ROOT r = f32[0,3] exponential(p)");
  EXPECT_EQ(Compare(a, b).verdict, Verdict::kProved);
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
  EXPECT_EQ(Compare(c, d).verdict, Verdict::kProved);
  EXPECT_EQ(Compare(c, e).verdict, Verdict::kRefuted);
}

TEST(Equivalence, SizesOfRunTimeAreNotProved) {
  const std::string a = Entry(
      "p = f32[5] parameter(0) n = s32[] parameter(1) s = f32[<=5] set-dimension-size(p, n), "
      "dimensions={0} ROOT r = f32[<=5] negate(s)");
  const std::string b = Entry(
      "p = f32[5] parameter(0) n = s32[] parameter(1) m = f32[5] negate(p) "
      "ROOT s = f32[<=5] set-dimension-size(m, n), dimensions={0}");
  ModuleEquivalence result = Compare(a, b);
  EXPECT_EQ(result.verdict, Verdict::kExecuted);
  EXPECT_EQ(result.results.at(0).verdict, Verdict::kExecuted);
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
  EXPECT_EQ(Compare(with("pick", "GT"), copied("choose", "GT")).verdict, Verdict::kProved);
  EXPECT_EQ(Compare(with("pick", "GT"), copied("pick", "LT")).verdict, Verdict::kRefuted);
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
      Verdict::kProved);
  EXPECT_EQ(Compare(a, loop("y = f32[4] abs(x)", "q = f32[4] copy(p)")).verdict, Verdict::kRefuted);
  EXPECT_EQ(
      Compare(a, loop("y = f32[4] negate(x)", "q = f32[4] reverse(p), dimensions={0}")).verdict,
      Verdict::kRefuted);
}

// A library call inside of a call is the same as outside of it, on the same operands.
// The bits of a NaN that an element holds are those of memory: another NaN in its place is seen.
TEST(Equivalence, BitsOfNansAreNotOne) {
  for (const std::string type : {"f16", "bf16", "f8e5m2"}) {
    const std::string bits = type == "f8e5m2" ? "u8" : "u16";
    auto cast = [&](const std::string& value) {
      return Entry(
          "p = " + type + "[8] parameter(0) n = " + type + "[] constant(nan) nb = " + type +
          "[8] broadcast(n), dimensions={} c = pred[8] compare(p, p), direction=NE s = " + type +
          "[8] select(c, nb, p) ROOT r = " + bits + "[8] bitcast-convert(" + value + ")");
    };
    EXPECT_NE(Compare(cast("s"), cast("p")).verdict, Verdict::kProved) << type;
    // A total order has NaNs of both signs at its ends.
    auto compared = [&](const std::string& value) {
      return Entry(
          "p = " + type + "[8] parameter(0) n = " + type + "[] constant(nan) nb = " + type +
          "[8] broadcast(n), dimensions={} c = pred[8] compare(p, p), direction=NE s = " + type +
          "[8] select(c, nb, p) i = " + type + "[] constant(-inf) ib = " + type +
          "[8] broadcast(i), dimensions={} ROOT r = pred[8] compare(ib, " + value +
          "), direction=LT, type=TOTALORDER");
    };
    EXPECT_NE(Compare(compared("s"), compared("p")).verdict, Verdict::kProved) << type;
    auto value = [&](const std::string& of) {
      return Entry(
          "p = " + type + "[8] parameter(0) n = " + type + "[] constant(nan) nb = " + type +
          "[8] broadcast(n), dimensions={} c = pred[8] compare(p, p), direction=NE s = " + type +
          "[8] select(c, nb, p) ROOT r = " + type + "[8] negate(" + of + ")");
    };
    EXPECT_EQ(Compare(value("s"), value("p")).verdict, Verdict::kProved) << type;
  }
}

// Loops of few trips, branches, and scatters whose windows are apart have terms, so that they are
// compared with what is written otherwise.
TEST(Equivalence, LoopsBranchesAndUpdatesAreWrittenOut) {
  auto verdict = [](const std::string& a, const std::string& b) { return Compare(a, b).verdict; };
  auto loop = [](int trips) {
    return "body { p = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(p), index=0 v = "
           "f32[4] get-tuple-element(p), index=1 o = s32[] constant(1) n = s32[] add(i, o) f = "
           "f32[] convert(i) b = f32[4] broadcast(f), dimensions={} w = f32[4] multiply(v, b) "
           "ROOT r = (s32[], f32[4]) tuple(n, w) }\ncond { p = (s32[], f32[4]) parameter(0) i = "
           "s32[] get-tuple-element(p), index=0 u = s32[] constant(" +
           std::to_string(trips + 2) + ") ROOT c = pred[] compare(i, u), direction=LT }\n" +
           Entry(
               "x = f32[4] parameter(0) z = s32[] constant(2) t = (s32[], f32[4]) tuple(z, x) w "
               "= (s32[], f32[4]) while(t), condition=cond, body=body ROOT r = f32[4] "
               "get-tuple-element(w), index=1");
  };
  const std::string products = Entry(
      "x = f32[4] parameter(0) a = f32[] constant(2) b = f32[] constant(3) ab = f32[4] "
      "broadcast(a), dimensions={} bb = f32[4] broadcast(b), dimensions={} y = f32[4] multiply(x, "
      "ab) ROOT z = f32[4] multiply(y, bb)");
  EXPECT_EQ(verdict(loop(2), products), Verdict::kProved);
  EXPECT_EQ(verdict(loop(3), products), Verdict::kRefuted);

  const std::string branches =
      "f { p = f32[4] parameter(0) ROOT n = f32[4] negate(p) }\ng { p = f32[4] parameter(0) ROOT n "
      "= f32[4] abs(p) }\n";
  auto chosen = [&](const std::string& root) {
    return branches + Entry(
                          "x = f32[4] parameter(0) c = pred[] parameter(1) n = f32[4] negate(x) "
                          "a = f32[4] abs(x) b = pred[4] broadcast(c), dimensions={} ROOT r = "
                          "f32[4] " +
                          root);
  };
  const std::string conditional =
      chosen("conditional(c, x, x), true_computation=f, false_computation=g");
  EXPECT_EQ(verdict(conditional, chosen("select(b, n, a)")), Verdict::kProved);
  EXPECT_EQ(verdict(conditional, chosen("select(b, a, n)")), Verdict::kRefuted);

  auto scatter = [](int at) {
    return "set { a = f32[] parameter(0) ROOT b = f32[] parameter(1) }\n" +
           Entry("x = f32[8] parameter(0) u = f32[1] parameter(1) i = s32[1] constant({" +
                 std::to_string(at) +
                 "}) ROOT s = f32[8] scatter(x, i, u), update_window_dims={0}, "
                 "inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, "
                 "to_apply=set");
  };
  const std::string update = Entry(
      "x = f32[8] parameter(0) u = f32[1] parameter(1) i = s32[] constant(7) ROOT s = f32[8] "
      "dynamic-update-slice(x, u, i)");
  EXPECT_EQ(verdict(scatter(7), update), Verdict::kProved);
  EXPECT_EQ(verdict(scatter(6), update), Verdict::kRefuted);
  EXPECT_EQ(verdict(scatter(8), update), Verdict::kRefuted);  // which a scatter leaves out
}

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
  EXPECT_EQ(Compare(inside, outside("n")).verdict, Verdict::kProved);
  EXPECT_EQ(Compare(inside, outside("p")).verdict, Verdict::kUnknown);
}

// A call without a value and a meaning is not compared.
TEST(Equivalence, LibraryCallsWithAnEffectAreUnknown) {
  auto call = [](const std::string& more) {
    return Entry("p = f32[4] parameter(0) q = f32[4] copy(p) c = f32[4] custom-call(" + more +
                 "), custom_call_target=\"f\", custom_call_has_side_effect=true "
                 "ROOT r = f32[4] negate(c)");
  };
  ModuleEquivalence result = Compare(call("p"), call("q"));
  EXPECT_EQ(result.verdict, Verdict::kUnknown);
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
  EXPECT_EQ(Compare(module("p", token), module("n", token)).verdict, Verdict::kUnknown);
  EXPECT_EQ(Compare(module("p", value), module("n", value)).verdict, Verdict::kUnknown);
  EXPECT_NE(Compare(module("p", value), module("n", value)).effect, "");
  EXPECT_EQ(Compare(module("p", token), module("p", token)).verdict, Verdict::kProved);
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
  EXPECT_EQ(Compare(fused("y"), fused("x")).verdict, Verdict::kUnknown);
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
  EXPECT_EQ(Compare(branches("y"), branches("x")).verdict, Verdict::kUnknown);
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
  EXPECT_EQ(Compare(a, b).verdict, Verdict::kProved);
}

// XLA runs a loop as often as is claimed. An execution runs it as often as its condition says, also
// where it has all arguments.
TEST(Equivalence, AllArgumentsAreNoProofOfAClaimedNumberOfTrips) {
  auto loop = [](const std::string& claim) {
    return R"(
c { s = (s32[], u8[]) parameter(0) k = s32[] get-tuple-element(s), index=0 n = s32[] constant(3)
    ROOT x = pred[] compare(k, n), direction=LT }
b { s = (s32[], u8[]) parameter(0) k = s32[] get-tuple-element(s), index=0
    v = u8[] get-tuple-element(s), index=1 w = u8[] add(v, v) one = s32[] constant(1)
    k1 = s32[] add(k, one) ROOT y = (s32[], u8[]) tuple(k1, w) })" +
           Entry(
               "p = u8[] parameter(0) z = s32[] constant(0) i = (s32[], u8[]) tuple(z, p) "
               "l = (s32[], u8[]) while(i), condition=c, body=b" +
               claim + " ROOT r = u8[] get-tuple-element(l), index=1");
  };
  auto claimed = [&](const std::string& n) {
    return loop(R"(, backend_config={"known_trip_count":{"n":")" + n + "\"}}");
  };
  const std::string unrolled =
      Entry("p = u8[] parameter(0) c = u8[] constant(8) ROOT m = u8[] multiply(p, c)");
  for (const std::string& a : {loop(""), unrolled}) {
    EXPECT_EQ(Compare(a, claimed("3")).verdict, Verdict::kProved);
    EXPECT_NE(Compare(a, claimed("2")).verdict, Verdict::kProved);
    EXPECT_NE(Compare(claimed("2"), a).verdict, Verdict::kProved);
  }
}

TEST(Equivalence, AnswersAreTheSameTwice) {
  const std::string a = Entry("p = s32[7] parameter(0) ROOT r = s32[7] negate(p)");
  const std::string b = Entry("p = s32[7] parameter(0) ROOT r = s32[7] abs(p)");
  ModuleEquivalence one = Compare(a, b), other = Compare(a, b);
  ASSERT_TRUE(one.difference && other.difference);
  EXPECT_EQ(one.difference->index, other.difference->index);
  EXPECT_EQ(one.difference->arguments, other.difference->arguments);
}

}  // namespace
}  // namespace affirm::driver
