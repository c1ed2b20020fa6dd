// Rules as propositions of Coq: what is printed, and what is refused. tests/coq gives them to Coq.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/simplify/rule_table.h"
#include "tests/rules/rule_files.h"
#include "verify/rules/coq.h"
#include "verify/rules/coq_attempts.h"

namespace affirm::rules {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string DefinitionsOf(llvm::StringRef text) {
  auto definitions = CoqDefinitions(Parse(text));
  return definitions ? *definitions : llvm::toString(definitions.takeError());
}

TEST(CoqDefinitionsTest, ConditionsAreHypotheses) {
  EXPECT_THAT(
      DefinitionsOf("rule r.s: (x + k) mod m  =>  x ceildiv c - 1\n"
                    "  when m > 1, c divides k - 2, let k = abs(m), range(x) within [-inf, m]\n"
                    "  why  an example\n"),
      HasSubstr("Definition rule_r_s : Prop :=\n"
                "  forall c k m x : Z,\n"
                "    0 < m ->\n"
                "    m > 1 ->\n"
                "    c <> 0 ->\n"
                "    Z.divide c (k - 2) ->\n"
                "    k = (Z.abs m) ->\n"
                "    x <= m ->\n"
                "    ((x + k) mod m) = ((- ((- x) / c)) - 1).\n"
                "Definition defined_r_s : Prop :=\n"));
}

TEST(CoqDefinitionsTest, DivisorsOfTheRightSideMustBeShown) {
  EXPECT_THAT(
      DefinitionsOf("rule r: x floordiv a  =>  (x floordiv b) mod (a - b)\n  why  an example\n"),
      HasSubstr("Definition defined_r : Prop :=\n"
                "  forall a b x : Z,\n"
                "    a <> 0 ->\n"
                "    b <> 0 /\\ (0 < (a - b)).\n"));
}

// A range of x floordiv y says nothing where y is zero.
TEST(CoqDefinitionsTest, DivisorsWithExpressionsMustBeShownBeforeTheCondition) {
  EXPECT_THAT(
      DefinitionsOf("rule r: x  =>  x floordiv y\n"
                    "  when a > 0, range(x floordiv y) within [a, inf]\n  why  an example\n"),
      HasSubstr("Definition defined_r : Prop :=\n"
                "  forall a x y : Z,\n"
                "    a > 0 ->\n"
                "    y <> 0 /\\ (a <= (x / y) ->\n"
                "    True).\n"));
}

TEST(CoqDefinitionsTest, LetWithTheEndOfARangeLeavesItsNameFree) {
  std::string text = DefinitionsOf(
      "rule r: x  =>  c\n  when let c = lower(x), range(x) within [c, c]\n  why  an example\n");
  EXPECT_THAT(text, HasSubstr("forall c x : Z,\n    c <= x ->\n    x <= c ->\n    x = c.\n"));
}

TEST(CoqDefinitionsTest, EndsOfRangesAreConstants) {
  std::string text =
      DefinitionsOf("rule r: x  =>  c\n  when lower(x) == c, upper(x) == c\n  why  an example\n");
  EXPECT_THAT(text, HasSubstr("    lower2'' = c ->\n    upper3'' = c ->\n"
                              "    lower2'' <= x ->\n    x <= upper3'' ->\n"));
}

TEST(CoqDefinitionsTest, ConstraintRulesAreEquivalences) {
  EXPECT_THAT(DefinitionsOf("rule r: x in [l, h] and y in [-inf, inf]  =>  x in [l, inf]\n"
                            "  why  an example\n"),
              HasSubstr("    (l <= x /\\ x <= h) <->\n    (l <= x).\n"));
  EXPECT_THAT(DefinitionsOf("rule r: x in [l, h]  =>  false\n  why  an example\n"),
              HasSubstr("    ~ (l <= x /\\ x <= h).\n"));
  EXPECT_THAT(DefinitionsOf("rule r: x in [l, inf]  =>  true\n  why  an example\n"),
              HasSubstr("    (l <= x).\n"));
}

TEST(CoqDefinitionsTest, NamesAreNoWordsOfCoq) {
  std::string text = DefinitionsOf("rule r: x + forall + Z + a1 + _  =>  x\n  why  an example\n");
  EXPECT_THAT(text, HasSubstr("forall Z' _' a1 forall' x : Z,"));
}

TEST(CoqDefinitionsTest, WhatCannotBeSaidIsRefused) {
  EXPECT_THAT(DefinitionsOf("rule r: x + k.l  =>  x\n  why  an example\n"),
              HasSubstr("test.rules:1: error: rule 'r' can't be printed for Coq: the name 'k.l'"));
  EXPECT_THAT(DefinitionsOf("rule a.b: x + 0  =>  x\n  why  an example\n"
                            "rule a_b: x + 0  =>  x\n  why  an example\n"),
              HasSubstr("rule 'a_b' has the name of another one in Coq"));
  Rule end = Parse("rule r: x  =>  c\n  why  an example\n").front();
  end.rhs = Term::Node(TermKind::kFloorDiv, {end.lhs});
  EXPECT_THAT(llvm::toString(CoqDefinitions({end}).takeError()), HasSubstr("number of operands"));
  end.rhs = Term::Node(TermKind::kMin, {});
  EXPECT_THAT(llvm::toString(CoqDefinitions({end}).takeError()), HasSubstr("number of operands"));
  end.rhs = Term();
  end.rhs.kind = TermKind::kMetavariable;
  end.rhs.metavariable = 7;
  EXPECT_THAT(llvm::toString(CoqDefinitions({end}).takeError()), HasSubstr("metavariable"));
  end.rhs = end.lhs;
  end.name = "r) Axiom a : False. (";
  EXPECT_THAT(llvm::toString(CoqDefinitions({end}).takeError()), HasSubstr("more than letters"));
}

// The reason may be any text, and is not printed.
TEST(CoqDefinitionsTest, TheReasonIsLeftOut) {
  EXPECT_THAT(DefinitionsOf("rule r: x  =>  x\n  why  *) Axiom a : False. (*\n"),
              Not(HasSubstr("Axiom")));
}

TEST(CoqAttemptsTest, EachPropositionHasAnAttempt) {
  auto text = CoqAttempts(RuleTable::Builtin().rules());
  ASSERT_TRUE(static_cast<bool>(text));
  for (const Rule& rule : RuleTable::Builtin().rules()) {
    EXPECT_THAT(*text, HasSubstr("attempt \"rule_" + CoqName(rule) + "\"."));
    EXPECT_THAT(*text, HasSubstr("attempt \"defined_" + CoqName(rule) + "\"."));
  }
}

}  // namespace
}  // namespace affirm::rules
