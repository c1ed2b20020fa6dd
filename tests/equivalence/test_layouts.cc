// How arrays lie in memory, where a bitcast reads them.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/equivalence/compare_modules.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/prove.h"

namespace affirm::driver {
namespace {

// A bitcast depends on the layout of its operand. In a called computation the parameter states the
// layout, and equal arrays in two layouts are two arrays.
TEST(Layouts, LayoutsThatBitcastsReadAreKept) {
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
  EXPECT_EQ(other.verdict, Verdict::kRefuted);
  ASSERT_TRUE(other.difference);
  EXPECT_EQ(other.difference->note, "");  // the terms say nothing else
  const ModuleEquivalence same = Compare(in_called, as_taken);
  EXPECT_EQ(same.verdict, Verdict::kProved);

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

// Tiles and packed elements are an arrangement, and memory spaces are none.
TEST(Layouts, TilesThatBitcastsReadAreKept) {
  const auto of = [](const std::string& annotations) {
    return Entry("p = f32[4,4]{1,0} parameter(0) n = f32[4,4]{1,0" + annotations +
                 "} negate(p) ROOT r = f32[16]{0} bitcast(n)");
  };
  EXPECT_EQ(Compare(of(":T(2,2)"), of(":T(2,2)")).verdict, Verdict::kProved);
  EXPECT_EQ(Compare(of(""), of(":S(5)")).verdict, Verdict::kProved);
  EXPECT_EQ(Compare(of(":T(2,2)"), of(":T(2,2)S(1)")).verdict, Verdict::kProved);
  EXPECT_EQ(Compare(of(""), of(":T(2,2)")).verdict, Verdict::kRefuted);
  EXPECT_EQ(Compare(of(":T(2,4)"), of(":T(2,2)")).verdict, Verdict::kRefuted);
}

// An element of a tuple that is made at once is that of which the tuple is made, but for how it
// says to lie in memory: here a loop transposes, or does nothing.
// A host feeds and takes bytes, in the layout that it was told.
TEST(Layouts, LayoutsOfTransfersWithTheHostAreKept) {
  const auto infeed = [](const std::string& layout) {
    return "HloModule m\n" + Entry("t = token[] after-all() i = (f32[2,3]" + layout +
                                   ", token[]) infeed(t) x = f32[2,3]" + layout +
                                   " get-tuple-element(i), index=0 ROOT r = f32[2,3]{1,0} copy(x)");
  };
  const auto outfeed = [](const std::string& layout) {
    return "HloModule m\n" + Entry("x = f32[2,3]{1,0} parameter(0) y = f32[2,3]" + layout +
                                   " copy(x) t = token[] after-all() "
                                   "ROOT o = token[] outfeed(y, t)");
  };
  for (const auto& module : {std::function<std::string(std::string)>(infeed), {outfeed}}) {
    EXPECT_EQ(Compare(module("{1,0}"), module("{1,0}")).verdict, Verdict::kProved);
    EXPECT_NE(Compare(module("{1,0}"), module("{0,1}")).verdict, Verdict::kProved);
  }
}

TEST(Layouts, LayoutsOfElementsOfTuplesAreKept) {
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
  EXPECT_NE(other.results[0].verdict, Verdict::kProved);
  EXPECT_EQ(Compare(loop("{0,1}"), loop("{0,1}")).verdict, Verdict::kProved);
}

}  // namespace
}  // namespace affirm::driver
