// Text that documentation has and dumps do not: bare expressions, maps without a domain, domains of
// several lines, and short forms of ops.
#include <gtest/gtest.h>

#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

TEST(ShortForms, CanonicalFormsOfLines) {
  RunResult run = RunAffirm({"canonicalize", "-"},
                            "d0 floordiv 1\n"
                            "d0 mod 1 // nothing is left\n\n"
                            "(d0*4) floorDiv 2\n"
                            "max(min(d0,5),7)\n"
                            "(d0 + 1) - 1\n"
                            "(a, b)[c] -> (100a + c mod 1, b ceilDiv 1)\n");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "d0\n0\nd0 * 2\n7\nd0\n(d0, d1)[s0] -> (d0 * 100, d1)\n");
  run = RunAffirm({"canonicalize", "--trace", "-"}, "d0 floordiv 1\n");
  EXPECT_NE(run.out.find("// floordiv.one"), std::string::npos) << run.out;
  run = RunAffirm({"canonicalize", "--json", "-"}, "d0 floordiv 1\n");
  EXPECT_NE(run.out.find(R"("before":"d0 floordiv 1","after":"d0","steps":1)"), std::string::npos)
      << run.out;
}

TEST(ShortForms, WhatIsNoExpressionIsBadInput) {
  for (auto [line, place] : std::initializer_list<std::pair<const char*, const char*>>{
           {"d0 + x", ":2:6: error: "},
           {"d0 d1", ":2:4: error: "},
           {"d0 mod 0", ":2:8: error: "},
           {"d123456789", ":2:1: error: "},
           {"d00", ":2:1: error: "},
           {"(d0) -> (d1)", ":2:10: error: "},
           {"8x", ":2:2: error: "}}) {
    RunResult run = RunAffirm({"canonicalize", "-"}, "d0\n" + std::string(line) + "\n");
    EXPECT_EQ(run.status, 3) << line;
    EXPECT_EQ(run.out, "d0\n") << line;
    EXPECT_NE(run.err.find(place), std::string::npos) << line << run.err;
  }
}

TEST(ShortForms, ADomainOfSeveralLines) {
  const std::string map = "(d0)[s0] ->\n  (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]\n";
  EXPECT_EQ(RunAffirm({"simplify", "--multi-line", "-"}, map).out,
            "(d0)[s0] -> (d0 + s0),\ndomain:\nd0 in [0, 3],\ns0 in [0, 1]\n");
  RunResult run =
      RunAffirm({"indexing", "--multi-line", "-"}, "ROOT r = f32[4] negate(f32[4] x)\n");
  EXPECT_NE(run.out.find("(d0) -> (d0),\ndomain:\nd0 in [0, 3]\n"), std::string::npos)
      << run.out << run.err;
}

// The listing of iota, as it stands in the documentation.
TEST(ShortForms, Iota) {
  RunResult run = RunAffirm({"indexing", "-"}, "iota = f32[2,4] iota(), dimensions={1}\n");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find(":1:25: note: dimensions of iota is read as iota_dimension"),
            std::string::npos)
      << run.err;
  EXPECT_EQ(RunAffirm({"indexing", "-"}, "i = f32[2,4] iota(), dimensions={0,1}\n").status, 3);
  EXPECT_EQ(RunAffirm({"indexing", "-"}, "i = f32[2,4] iota(), dimensions={2}\n").status, 3);
  EXPECT_EQ(RunAffirm({"indexing", "-"}, "i = f32[2,4] iota(), iota_dimension=0, dimensions={1}\n")
                .status,
            3);
}

// The listings of reductions: `max` is no computation.
TEST(ShortForms, Reductions) {
  RunResult run = RunAffirm({"check", "-"},
                            "p0 = f32[256,10] parameter(0)\n"
                            "p0_init = f32[] constant(-inf)\n"
                            "p1 = s32[256,10] parameter(1)\n"
                            "p1_init = s32[] constant(0)\n"
                            "out = (f32[10], s32[10]) reduce(p0, p1, p0_init, p1_init),\n"
                            "  dimensions={0}, to_apply=max\n");
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_NE(
      run.err.find(":6:28: note: no computation is called 'max', it is read as one of maximum"),
      std::string::npos)
      << run.err;
  run = RunAffirm({"indexing", "-"},
                  "c_inf = f32[] constant(-inf)\n"
                  "p0 = f32[1024, 514] parameter(0)\n"
                  "outpu = f32[1024, 3] reduce-window(p0, c_inf),\n"
                  "  window={size=1x512 pad=0_0x0_0}, to_apply=max\n");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("(d0, d1)[s0] -> (d0, d1 + s0)"), std::string::npos) << run.out;
}

TEST(ShortForms, OtherNamesStayUnknown) {
  RunResult run = RunAffirm({"check", "-"},
                            "p = f32[8] parameter(0)\nz = f32[] constant(0)\n"
                            "r = f32[] reduce(p, z), dimensions={0}, to_apply=maxx\n");
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.err.find("expected the name of a computation"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace affirm::testing
