// Numbers of the command line are read as they are written, by every option of every verb.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;

struct IntegerOption {
  std::string verb, name;
};

// All that `--help` shows with a type of INT or UINT.
std::vector<IntegerOption> IntegerOptions() {
  std::vector<IntegerOption> found;
  std::istringstream verbs(RunAffirm({"--help"}).out);
  const std::regex verb_line("^  ([a-z]+) .*"),
      option_line("^  (?:-[a-z],)?(--[a-z-]+)(?:,--[a-z-]+)* U?INT.*");
  std::smatch match;
  for (std::string line; std::getline(verbs, line);) {
    if (!std::regex_match(line, match, verb_line)) continue;
    const std::string verb = match[1];
    std::istringstream help(RunAffirm({verb, "--help"}).out);
    while (std::getline(help, line))
      if (std::regex_match(line, match, option_line)) found.push_back({verb, match[1]});
  }
  return found;
}

TEST(OptionNumbers, EveryIntegerOptionRefusesWhatIsNoDecimalNumber) {
  std::set<std::string> names;
  for (const auto& [verb, name] : IntegerOptions()) {
    names.insert(name);
    for (const char* text : {"", "0x1", "0b1", " 1", "1 ", "+1", "1.0", "1e1", "x", "-", "0-1",
                             "99999999999999999999", "-99999999999999999999"}) {
      if (name == "--shape" && *text == 0) continue;  // of a scalar
      const RunResult run = RunAffirm({verb, name, text});
      EXPECT_EQ(run.status, 3) << verb << " " << name << " " << text;
      EXPECT_EQ(run.out, "") << verb << " " << name << " " << text;
      EXPECT_THAT(run.err, HasSubstr("affirm: error: " + name + ": '" + text + "', expected"))
          << verb;
    }
  }
  // The options were found.
  for (const char* name :
       {"--id", "--jobs", "--max-findings", "--max-tests", "--most-elements", "--partitions",
        "--port", "--rank", "--seed", "--shape", "--threads", "--ulp", "--width"})
    EXPECT_TRUE(names.count(name)) << name;
}

TEST(OptionNumbers, ALeadingZeroIsDecimal) {
  constexpr char kEight[] = "(d0) -> (d0), domain: d0 in [0, 7]",
                 kTen[] = "(d0) -> (d0), domain: d0 in [0, 9]";
  EXPECT_EQ(RunAffirm({"bijection", kTen, "--shape", "010"}).status, 0);
  EXPECT_EQ(RunAffirm({"bijection", kEight, "--shape", "010"}).status, 1);
  EXPECT_THAT(RunAffirm({"width", kEight, "--width", "010"}).out, HasSubstr("i10"));
  EXPECT_THAT(RunAffirm({"fuzz", "maps", "--runs", "01", "--seed", "010"}).out,
              HasSubstr("seed 10: 1 runs"));
}

TEST(OptionNumbers, SizesAreNumbersOfAtLeastZero) {
  constexpr char kNone[] = "(d0) -> (d0), domain: d0 in [3, 2]",
                 kFour[] = "(d0) -> (d0), domain: d0 in [0, 3]";
  for (const char* shape : {"-5", "-9223372036854775808", "99999999999999999999", "4,,8", ",8",
                            "8,", ",", "4, 8", "4,x", "[4]", "4,-1", " "}) {
    const RunResult run = RunAffirm({"bijection", kNone, "--shape", shape});
    EXPECT_EQ(run.status, 3) << shape << run.out;
    EXPECT_EQ(run.out, "") << shape;
    EXPECT_THAT(run.err, HasSubstr("--shape: '")) << shape;
    EXPECT_THAT(run.err, HasSubstr(std::string("'") + shape + "'")) << shape;
  }
  EXPECT_EQ(RunAffirm({"bijection", kNone, "--shape", "0"}).status, 0);
  EXPECT_EQ(RunAffirm({"bijection", kFour, "--shape", "4"}).status, 0);
  EXPECT_EQ(RunAffirm({"bijection", "--shape", "4", kFour}).status, 0);
}

TEST(OptionNumbers, AnEmptyShapeIsAScalar) {
  const RunResult run = RunAffirm({"bijection", "() -> ()", "--shape", "", "--format", "markdown"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("into []"));
  EXPECT_NE(RunAffirm({"bijection", "(d0) -> (d0), domain: d0 in [0, 0]", "--shape", ""}).status,
            0);
  EXPECT_NE(RunAffirm({"bijection", "() -> ()", "--shape", "0"}).status, 0);
}

TEST(OptionNumbers, LimitsAreHeldAtTheirEnds) {
  const TemporaryFile module("m.hlo", "HloModule m\nENTRY e { ROOT p = f32[4] parameter(0) }\n");
  // Above the largest signed number, which is the most that --runs takes.
  const RunResult runs = RunAffirm({"audit", "--program", "cat", "--runs", "9223372036854775808"});
  EXPECT_EQ(runs.status, 3);
  EXPECT_THAT(runs.err, HasSubstr("--runs: '9223372036854775808', expected a number from 0 to "));
  for (const char* target : {"hlo", "maps", "equiv", "rules", "mutants", "xla"})
    EXPECT_EQ(RunAffirm({"fuzz", target, "--runs", "9223372036854775808"}).status, 3) << target;
  const RunResult mutants = RunAffirm({"fuzz", "mutants", "--runs", "9223372036854775807"});
  EXPECT_EQ(mutants.status, 3);
  EXPECT_THAT(mutants.err, HasSubstr("expected a number from 0 to 10000000 for mutants"));
  EXPECT_EQ(RunAffirm({"run", module.path(), "--replicas", "4097"}).status, 3);
  EXPECT_EQ(RunAffirm({"run", module.path(), "--replicas", "0"}).status, 3);
  for (const char* option : {"--max-time", "--max-findings", "--max-ops", "--max-elements"})
    EXPECT_EQ(RunAffirm({"fuzz", "hlo", "--runs", "1", option, "-1"}).status, 3) << option;
  // All 64 bits of a seed come back.
  const RunResult seed =
      RunAffirm({"run", module.path(), "--seed", "18446744073709551615", "--json"});
  EXPECT_EQ(seed.status, 0) << seed.err;
  EXPECT_THAT(seed.out, HasSubstr("18446744073709551615"));
  EXPECT_EQ(RunAffirm({"run", module.path(), "--seed", "18446744073709551616"}).status, 3);
}

TEST(OptionNumbers, SecondsAreDecimal) {
  const TemporaryFile module("m.hlo", "HloModule m\nENTRY e { ROOT p = f32[4] parameter(0) }\n");
  for (const char* text : {"0x10", "", " 5", "5s", "1e400", "inf", "nan", "-1"}) {
    const RunResult run = RunAffirm({"check", module.path(), "--time-limit", text});
    EXPECT_EQ(run.status, 3) << text;
    EXPECT_THAT(run.err, HasSubstr(std::string("--time-limit: '") + text + "'")) << text;
  }
  for (const char* text : {"60", "60.5", "6e1", "010"})
    EXPECT_EQ(RunAffirm({"check", module.path(), "--time-limit", text}).status, 0) << text;
}

}  // namespace
}  // namespace affirm::testing
