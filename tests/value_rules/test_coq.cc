// Rules about integers as propositions of Coq: what is printed, and what is left out. tests/coq
// gives them to Coq.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/value_rules/coq.h"

namespace affirm::value_rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CoqPropositions PropositionsOf(llvm::StringRef text) {
  auto rules = ParseValueRules(text, "test.rules");
  if (!rules) {
    ADD_FAILURE() << llvm::toString(rules.takeError());
    return {};
  }
  return CoqDefinitions(*rules);
}

TEST(CoqValueRulesTest, WidthsAndSignsAreVariables) {
  EXPECT_EQ(PropositionsOf("rule a.b: max(x, 3)  =>  x\n"
                           "  with  x : T for T in {s8, u64, f32}\n  when  x > 3\n"
                           "  class exact\n  why   an example\n")
                .definitions,
            "Definition rule_a_b : Prop :=\n"
            "  forall (w : Z) (s : bool) (x' : Z),\n"
            "    8 <= w ->\n"
            "    is_int w x' ->\n"
            "    (int_lt w s (wrap w (3)) x') = true ->\n"
            "    (int_maximum w s x' (wrap w (3))) = x'.\n");
}

TEST(CoqValueRulesTest, SignsOfUnsignedTypesAreFixed) {
  EXPECT_THAT(PropositionsOf("rule a: x / 200  =>  x\n  with  x : T for T in {u8, u16}\n"
                             "  class exact\n  why   an example\n")
                  .definitions,
              HasSubstr("(int_divide w false x' (wrap w (200))) = x'"));
}

TEST(CoqValueRulesTest, NamedTypesHaveTheirWidth) {
  EXPECT_THAT(PropositionsOf("rule a: convert(x, s32)  =>  70000\n  with  x : u16\n"
                             "  class exact\n  why   an example\n")
                  .definitions,
              HasSubstr("forall (x' : Z),\n    is_int 16 x' ->\n"
                        "    (int_convert 16 false 32 x') = (wrap 32 (70000)).\n"));
}

TEST(CoqValueRulesTest, PredicatesAreBooleans) {
  EXPECT_THAT(PropositionsOf("rule a: select(p && !q, x, y)  =>  x\n"
                             "  with  p : pred, q : pred, x, y : s8\n  class exact\n"
                             "  why   an example\n")
                  .definitions,
              HasSubstr("(if (andb p' (negb q')) then x' else y') = x'"));
}

TEST(CoqValueRulesTest, WhatCannotBeSaidIsLeftOut) {
  const CoqPropositions all = PropositionsOf(
      "rule a: x + 0.0  =>  x\n  with  x : T for T in {f32}\n  class exact\n  why   a\n"
      "rule b: x + 200  =>  x\n  with  x : T for T in {s8, u8}\n  class exact\n  why   a\n"
      "rule c: popcnt(x)  =>  x\n  with  x : s32\n  class exact\n  why   a\n"
      "rule d: x  =>  y\n  with  x, y : s32\n  class licensed\n  why   a\n"
      "rule e: convert(x, f32) == 0.0  =>  x == 0\n  with  x : s32\n  class exact\n  why   a\n"
      "rule f: x + 0.5  =>  x\n  with  x : s32\n  class exact\n  why   a\n"
      "rule i: x  =>  x\n  with  x : T for T in {s4, s8}\n  class exact\n  why   a\n"
      "rule j: x  =>  x\n  with  x : T for T in {pred, s8}\n  class exact\n  why   a\n"
      "rule g.h: x  =>  x\n  with  x : s32\n  class exact\n  why   a\n"
      "rule g_h: x  =>  x\n  with  x : s32\n  class exact\n  why   a\n");
  EXPECT_THAT(
      all.left_out,
      ElementsAre("a: T has no integers", "b: 200 is beyond 8 bits", "c: popcnt of integers",
                  "d: it claims no equality", "e: f32 is no type of integers",
                  "f: 0.5 is no integer", "i: T has integers of fewer than 8 bits",
                  "j: T has predicates", "g_h: another rule has its name in Coq"));
  EXPECT_EQ(llvm::StringRef(all.definitions).count("Definition"), 1U);
}

}  // namespace
}  // namespace affirm::value_rules
