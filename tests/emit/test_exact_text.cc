// `exact` as text spells it.
#include <gtest/gtest.h>

#include "emit/transforms/exact_text.h"

namespace affirm::emit {
namespace {

TEST(ExactTextTest, TheFlagBecomesAnAttribute) {
  EXPECT_EQ(ExactAsAttribute("%1 = arith.index_cast %0 exact : i8 to index"),
            "%1 = arith.index_cast %0 {exact} : i8 to index");
  EXPECT_EQ(ExactAsAttribute("arith.index_castui  %a#1  exact{a.b}: i8 to index"),
            "arith.index_castui  %a#1  {exact, a.b}: i8 to index");
  EXPECT_EQ(ExactAsAttribute("arith.index_cast %0 exact { } : i8 to index"),
            "arith.index_cast %0 {exact } : i8 to index");
}

TEST(ExactTextTest, NothingElseChanges) {
  for (const char* text : {
           "",
           "%0 = arith.divui %a, %b exact : i8",
           "arith.index_cast %0 : i8 to index",
           "// arith.index_cast %0 exact : i8 to index\n",
           "// no end",
           "\"arith.index_cast %0 exact : i8\"",
           "\"\\\" arith.index_cast %0 exact\"",
           "\"no end",
           "arith.index_cast %0 exactly : i8 to index",
           "my.arith.index_cast %0 exact",
           "arith.index_casts %0 exact",
           "arith.index_cast",
           "arith.index_cast %",
           "\"\\",
       }) {
    EXPECT_EQ(ExactAsAttribute(text), text);
  }
}

}  // namespace
}  // namespace affirm::emit
