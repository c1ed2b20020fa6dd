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

// A verdict that nobody can read is no success; in verbs with a worker and without.
TEST(Usage, OutputThatCannotBeWrittenIsAnError) {
  const TemporaryFile module("m.hlo",
                             "HloModule m\nENTRY e { p = f32[4] parameter(0) ROOT n = f32[4] "
                             "negate(p) }\n");
  const TemporaryFile maps("maps.txt", "(d0) -> (d0 + 0),\ndomain:\nd0 in [0, 3]\n");
  for (const std::string& verb :
       {"check " + module.path(), "equiv --json --hlo " + module.path() + " " + module.path(),
        "indexing " + module.path(), "simplify " + maps.path(), std::string("rules")}) {
    const std::string command = "exec " + AffirmPath() + " " + verb;
    EXPECT_EQ(RunProgram("/bin/sh", {"-c", command}).status, 0) << verb;
    const RunResult r = RunProgram("/bin/sh", {"-c", command + " > /dev/full"});
    EXPECT_EQ(r.status, 3) << verb << r.err;
    EXPECT_NE(r.err.find("cannot write the output"), std::string::npos) << verb << r.err;
  }
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
  // A long line is shown around the place; characters of several bytes are one column.
  const std::string sum = "(d0) -> (" + std::string(5000, '(') + "d0";
  const std::string error = RunAffirm({"simplify", "-"}, sum).err;
  EXPECT_LT(error.size(), 400u) << error;
}

TEST(Usage, NumbersBelowZeroDoNotWrap) {
  const std::vector<std::vector<std::string>> lines = {{"fuzz", "maps", "--seed", "-1"},
                                                       {"check", "m.hlo", "--seed=-1"},
                                                       {"audit", "--seed", "-3"},
                                                       {"xla", "dump", "--seed", "-1"}};
  for (const std::vector<std::string>& line : lines) {
    const RunResult run = RunAffirm(line);
    EXPECT_EQ(run.status, 3) << line[0];
    EXPECT_THAT(run.err, HasSubstr("--seed: '-")) << line[0];
    EXPECT_THAT(run.err, HasSubstr("expected a number of at least 0")) << line[0];
  }
}

TEST(Usage, ADumpIsAFolder) {
  TemporaryFile file("m.hlo", "HloModule m\n");
  const RunResult of_file = RunAffirm({"xla", file.path()}),
                  of_nothing = RunAffirm({"xla", "/none"});
  EXPECT_EQ(of_file.status, 3);
  EXPECT_THAT(of_file.err, HasSubstr("' is a file, expected a folder that XLA has dumped to"));
  EXPECT_THAT(of_file.err, ::testing::Not(HasSubstr("^")));
  EXPECT_EQ(of_nothing.status, 3);
  EXPECT_THAT(of_nothing.err, HasSubstr("'/none' is not there, expected a folder"));
}

TEST(Usage, AReportHasAFolderBeforeTheWorkBegins) {
  const RunResult run = RunAffirm({"check", "-", "--report", "/none/report.json"}, "no module");
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("cannot write '/none/report.json': there is no folder '/none'"));
}

TEST(Usage, MapsNeedABlankLineBetweenThem) {
  const std::string map =
      "(d0, d1)[s0] -> (d0 + s0), domain: d0 in [0, 7], d1 in [0, 1], s0 in [0, 1]";
  for (const std::string& first : {map, std::string("() -> ()")}) {
    const RunResult run = RunAffirm({"simplify", "-"}, first + "\n" + map + "\n");
    EXPECT_EQ(run.status, 3);
    EXPECT_THAT(run.err, HasSubstr("<stdin>:2:1: error: another map begins here; expected a blank "
                                   "line between two maps\n  (d0, d1)"));
  }
  EXPECT_EQ(RunAffirm({"simplify", "-"}, map + "\n\n" + map + "\n").status, 0);
  // A constraint may stand in a line of its own, and in parentheses.
  const std::string lines = "(d0) -> (d0), domain: d0 in [0, 7]\n(d0) * 2 in [0, 6]\n";
  EXPECT_EQ(RunAffirm({"simplify", "-"}, lines).status, 0);
}

TEST(Usage, MapsOfOtherDimensionsAreNotCompared) {
  const RunResult run =
      RunAffirm({"equiv", "--map-a", "(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 3]",
                 "--map-b", "(d0) -> (d0), domain: d0 in [0, 3]"});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("the first map has 2 dimensions and the second 1"));
  // Range variables are no arguments.
  EXPECT_EQ(RunAffirm({"equiv", "--map-a", "(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 3]",
                       "--map-b", "(d0) -> (d0), domain: d0 in [0, 3]"})
                .status,
            0);
}

TEST(Usage, ExpressionsNeedNoSpaces) {
  const RunResult run = RunAffirm({"simplify", "-"}, "(d0)->((5*d0+3)mod 4),domain:d0 in[0,9]");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("mod 4), domain: d0 in [0, 9]"));
  EXPECT_THAT(RunAffirm({"simplify", "-"}, "(d0) -> (d0mod4), domain: d0 in [0, 9]").err,
              HasSubstr("1:10: error: unknown variable 'd0mod4'\n"));
}

}  // namespace
}  // namespace affirm::testing
