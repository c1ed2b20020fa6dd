// Undefined contents are not the same in two modules, nor in a module and itself.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/equivalence/compare_modules.h"

namespace affirm::driver {
namespace {

// Undefined contents: what a library leaves in its scratch memory, and an array that is
// allocated and not written. Neither a graph nor terms have values of these.
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
    {"AnUnknownLibrary",
     "u = (s8[4], u8[64]) custom-call(a), custom_call_target=\"__lib$f\" "
     "ROOT r = (s8[4], u8[64]) tuple-of(u)",
     {true, false}},
    {"AHandlerOfOnesOwn",
     "u = (s8[4], u8[64]) custom-call(a), custom_call_target=\"f\" "
     "ROOT r = (s8[4], u8[64]) tuple-of(u)",
     {true, true}},
};

TEST(UndefinedContents, ContentsThatNobodyDefinesAreNotProved) {
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
      EXPECT_EQ(result.results[k].verdict, of.equal[k] ? Verdict::kProved : Verdict::kUnknown)
          << of.name << " result " << k;
      EXPECT_EQ(result.results[k].reason.empty(), of.equal[k]) << of.name;
      all = all && of.equal[k];
    }
    EXPECT_EQ(result.verdict, all ? Verdict::kProved : Verdict::kUnknown) << of.name;
  }
}

TEST(UndefinedContents, ContentsThatNobodyDefinesHaveNoTerms) {
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
    EXPECT_EQ(result.verdict, Verdict::kUnknown) << root;
    EXPECT_NE(result.results[0].reason.find("nobody defines"), std::string::npos)
        << result.results[0].reason;
  }
  // One that is there, and does not matter.
  EXPECT_EQ(Compare(module("ROOT r = s32[4] add(p, p)"),
                    module("k = s32[] constant(2) t = s32[4] broadcast(k), dimensions={} "
                           "ROOT r = s32[4] multiply(p, t)"))
                .verdict,
            Verdict::kProved);
}

// Behind a tuple the type need not say that a size is known at run time only.
TEST(Undefined, SizesThatATupleHides) {
  const std::string start =
      "x = f32[5] parameter(0) n = s32[] parameter(1) s = f32[<=5] set-dimension-size(x, n), "
      "dimensions={0} ";
  const std::string of_x = Entry(start + "ROOT r = s32[] get-dimension-size(x), dimensions={0}");
  for (const char* hidden : {"t = (f32[5]) tuple(s) c = f32[5] get-tuple-element(t), index=0 ",
                             "t = (f32[<=5]) tuple(s) c = f32[5] get-tuple-element(t), index=0 "}) {
    const std::string of_s =
        Entry(start + hidden + "ROOT r = s32[] get-dimension-size(c), dimensions={0}");
    EXPECT_NE(Compare(of_s, of_x).verdict, Verdict::kProved) << hidden;
  }
  EXPECT_EQ(Compare(of_x, Entry("x = f32[5] parameter(0) n = s32[] parameter(1) "
                                "ROOT r = s32[] constant(5)"))
                .verdict,
            Verdict::kProved);
}

// A combiner of another precision than the elements: XLA converts them, which no term says.
TEST(Undefined, ReductionsInTwoPrecisionsHaveNoTerms) {
  const std::string combiners =
      "wide { p = f32[] parameter(0) q = f32[] parameter(1) ROOT r = f32[] multiply(p, q) }\n"
      "narrow { p = bf16[] parameter(0) q = bf16[] parameter(1) ROOT r = bf16[] multiply(p, q) }\n";
  const std::string mixed =
      combiners + Entry(
                      "x = bf16[8] parameter(0) i = f32[] constant(1) "
                      "ROOT r = f32[] reduce(x, i), dimensions={0}, to_apply=wide");
  const std::string as_bf16 =
      combiners +
      Entry(
          "x = bf16[8] parameter(0) i = f32[] constant(1) z = bf16[] constant(1) "
          "s = bf16[] reduce(x, z), dimensions={0}, to_apply=narrow o = bf16[1] reshape(s) "
          "ROOT r = f32[] reduce(o, i), dimensions={0}, to_apply=wide");
  EXPECT_NE(Compare(mixed, as_bf16).verdict, Verdict::kProved);
}

}  // namespace
}  // namespace affirm::driver
