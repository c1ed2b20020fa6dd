// Answers of simplifiers are judged: what is equal, what kind of fault the others are.
#include <gtest/gtest.h>

#include "driver/oracle/judge.h"

namespace affirm::driver {
namespace {

struct Case {
  const char* map;
  const char* answer;
  FaultKind kind;
};

Judgment JudgeCase(const char* map, const char* answer) {
  return Judge(std::string(map), std::string(answer), DecideOptions());
}

TEST(Judge, FaultsAreTakenForWhatTheyAre) {
  const Case kCases[] = {
      {"(d0) -> (d0), domain: d0 in [0, 9]", "(d0) -> (d0 + 1), domain: d0 in [0, 9]",
       FaultKind::kResultWrong},
      {"()[s0] -> (s0), domain: s0 in [0, 9]", "()[s0] -> (s0), domain: s0 in [0, 8]",
       FaultKind::kResultsLost},
      {"()[s0] -> (s0), domain: s0 in [0, 9]", "()[s0] -> (s0), domain: s0 in [0, 99]",
       FaultKind::kResultsAdded},
      {"(d0) -> (d0), domain: d0 in [0, 9]", "(d0) -> (d0), domain: d0 in [0, 10]",
       FaultKind::kDomainGrown},
      {"(d0) -> (d0), domain: d0 in [0, 9]", "(d0) -> (d0), domain: d0 in [0, 8]",
       FaultKind::kDomainShrunk},
      {"(d0) -> (d0), domain: d0 in [0, 9], d0 mod 4 in [3, 9]",
       "(d0) -> (d0), domain: d0 in [0, 9]", FaultKind::kConstraintDropped},
      {"(d0) -> (d0), domain: d0 in [0, 9]", "KNOWN EMPTY", FaultKind::kDeclaredEmpty},
      {"(d0) -> (d0), domain: d0 in [5, 4]", "(d0) -> (d0), domain: d0 in [4, 5]",
       FaultKind::kDomainGrown},
      {"(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 1]", "(d0) -> (d0), domain: d0 in [0, 9]",
       FaultKind::kVariablesChanged},
      {"(d0) -> (d0), domain: d0 in [0, 9]",
       "(d0){rt0} -> (d0), domain: d0 in [0, 9], rt0 in [0, 1]", FaultKind::kVariablesChanged},
      {"(d0) -> (d0, 0), domain: d0 in [0, 9]", "(d0) -> (d0), domain: d0 in [0, 9]",
       FaultKind::kNumberOfResults},
      {"(d0) -> (d0), domain: d0 in [0, 9]", "undefined", FaultKind::kUndefined},
      {"(d0) -> (d0), domain: d0 in [0, 9]", "(d0) -> (d0), domain: d0 in [0, 9",
       FaultKind::kUnreadable},
      {"(d0) -> (d0), domain: d0 in [0, 9]", "(d0) -> (d0 mod 0), domain: d0 in [0, 9]",
       FaultKind::kUnreadable},
      {"(d0) -> (d0), domain: d0 in [0, 9]",
       "(d0) -> (d0), domain: d0 in [0, 99999999999999999999]", FaultKind::kUnreadable},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.map) + " => " + c.answer);
    Judgment judgment = JudgeCase(c.map, c.answer);
    EXPECT_EQ(judgment.verdict, Judgment::Kind::kFault);
    EXPECT_STREQ(Name(judgment.kind), Name(c.kind));
    EXPECT_EQ(judgment.witness.has_value(),
              c.kind != FaultKind::kUndefined && c.kind != FaultKind::kUnreadable);
  }
}

TEST(Judge, WhatMeansTheSameIsEqual) {
  const std::pair<const char*, const char*> kPairs[] = {
      // Names, space, a bound that a constraint implies.
      {"(d0) -> (d0), domain: d0 in [0, 9], d0 * 2 in [0, 7]",
       "(i)->(i),\r\ndomain:\r\ni in [0, 3]"},
      // Range variables: left out, one more, in another order.
      {"(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 3]",
       "(d0) -> (d0), domain: d0 in [0, 9]"},
      {"(d0) -> (d0), domain: d0 in [0, 9]",
       "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 3]"},
      {"()[s0, s1] -> (s0, s1), domain: s0 in [0, 2], s1 in [0, 3]",
       "()[s0, s1] -> (s1, s0), domain: s0 in [0, 3], s1 in [0, 2]"},
      // Runtime variables that are left out: the first, the second, both.
      {"(){rt0, rt1} -> (rt1), domain: rt0 in [0, 5], rt1 in [0, 7]",
       "(){rt0} -> (rt0), domain: rt0 in [0, 7]"},
      {"(){rt0, rt1} -> (rt0), domain: rt0 in [0, 5], rt1 in [0, 7]",
       "(){rt0} -> (rt0), domain: rt0 in [0, 5]"},
      {"(){rt0, rt1} -> (3), domain: rt0 in [0, 5], rt1 in [0, 7]", "() -> (3)"},
      {"(d0) -> (d0), domain: d0 in [5, 4]", "KNOWN EMPTY"},
      {"KNOWN EMPTY", "(d0, d1) -> (0), domain: d0 in [1, 0], d1 in [0, 9]"},
      {"undefined", "UNDEFINED"},
  };
  for (const auto& [map, answer] : kPairs) {
    SCOPED_TRACE(std::string(map) + " => " + answer);
    Judgment judgment = JudgeCase(map, answer);
    EXPECT_EQ(judgment.verdict, Judgment::Kind::kEqual) << Name(judgment.kind) << judgment.detail;
  }
}

// A runtime variable is left out though the result depends on it, or a point does.
TEST(Judge, RuntimeVariablesThatMatterMayNotGo) {
  EXPECT_EQ(JudgeCase("(){rt0, rt1} -> (rt0 + rt1), domain: rt0 in [0, 5], rt1 in [0, 7]",
                      "(){rt0} -> (rt0), domain: rt0 in [0, 5]")
                .verdict,
            Judgment::Kind::kFault);
  EXPECT_EQ(JudgeCase("(){rt0} -> (1), domain: rt0 in [0, 5], rt0 * 2 in [0, 4]", "() -> (1)").kind,
            FaultKind::kDomainGrown);
}

TEST(Judge, ADivisorThatMayBeZeroIsUnknown) {
  Judgment judgment = JudgeCase("(d0) -> (d0), domain: d0 in [0, 9]",
                                "(d0) -> (d0 floordiv d0), domain: d0 in [0, 9]");
  EXPECT_EQ(judgment.verdict, Judgment::Kind::kUnknown);
  EXPECT_NE(judgment.detail.find("may be zero"), std::string::npos) << judgment.detail;
}

TEST(Judge, TextsAreTheSameUpToSpaceAndComments) {
  EXPECT_TRUE(SameText("(d0) -> (d0),\n  domain: d0 in [0, 1]\n",
                       "// one\n(d0) -> (d0), domain:\r\nd0 in [0, 1]"));
  EXPECT_FALSE(SameText("(d0) -> (d0)", "(d0) -> (d1)"));
}

}  // namespace
}  // namespace affirm::driver
