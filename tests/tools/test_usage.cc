// The command line as people meet it: help, version, names with a mistake, errors with the line
// they are about.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;

TEST(Usage, AloneItPrintsHelp) {
  const RunResult run = RunAffirm({});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, HasSubstr("Subcommands:"));
}

TEST(Usage, TheVersionHasBuildFacts) {
  const RunResult run = RunAffirm({"--version"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, ::testing::ContainsRegex("^affirm [0-9]+\\.[0-9]+\\.[0-9]+\nLLVM and MLIR "
                                                "[0-9.]+, Z3 [0-9.]+, isl.*\nbuilt by "));
}

TEST(Usage, NamesWithAMistakeGetASuggestion) {
  auto error = [](const std::vector<std::string>& arguments) {
    const RunResult run = RunAffirm(arguments);
    EXPECT_EQ(run.status, 3);
    EXPECT_EQ(run.out, "");
    return run.err;
  };
  EXPECT_THAT(error({"chekc", "m.hlo"}), HasSubstr("no verb 'chekc', did you mean 'check'?"));
  EXPECT_THAT(error({"xyzzy"}), HasSubstr("no verb 'xyzzy'\n"));
  EXPECT_THAT(error({"check", "--sede=3"}),
              HasSubstr("no option '--sede' of check, did you mean '--seed'?"));
  EXPECT_THAT(error({"check", "--qqqqqqqqq"}), HasSubstr("no option '--qqqqqqqqq' of check\n"));
  EXPECT_THAT(error({"--sede"}), HasSubstr("--sede"));
}

TEST(Usage, ErrorsShowTheLine) {
  const std::string module =
      "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n\tROOT n = f32[5] negate(p)\n}\n";
  EXPECT_THAT(RunAffirm({"check", "-"}, module).err,
              HasSubstr("<stdin>:4:7: error: expected the shape f32[4] for negate, found f32[5]\n"
                        "   ROOT n = f32[5] negate(p)\n"
                        "        ^\n"));
  EXPECT_THAT(RunAffirm({"simplify", "-"}, "(d0) -> (d0 moo 4), domain: d0 in [0, 7]").err,
              HasSubstr("<stdin>:1:13: error: expected ')' after the results\n"
                        "  (d0) -> (d0 moo 4), domain: d0 in [0, 7]\n"
                        "              ^\n"));
  EXPECT_THAT(RunAffirm({"equiv", "--map-a", "(d0) -> (d1)", "--map-b", "(d0) -> (d0)"}).err,
              HasSubstr("  (d0) -> (d1)\n           ^\n"));
  // Of a long line what is around the place; characters of several bytes are one column.
  const std::string sum = "(d0) -> (" + std::string(5000, '(') + "d0";
  const std::string error = RunAffirm({"simplify", "-"}, sum).err;
  EXPECT_LT(error.size(), 400u) << error;
}

}  // namespace
}  // namespace affirm::testing
