// A short run of every target of the tool; the verbs fuzz, reduce and merge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;

// AFFIRM_FUZZ_RUNS makes the runs longer.
std::string Runs(int standard) {
  const char* runs = std::getenv("AFFIRM_FUZZ_RUNS");
  return runs ? runs : std::to_string(standard);
}

class FuzzShort : public ::testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(FuzzShort, FindsNothingTwiceAlike) {
  auto [target, runs] = GetParam();
  TemporaryFile folder("out", "");
  std::vector<std::string> arguments = {"fuzz",   target,     "--seed", "7",
                                        "--runs", Runs(runs), "--out",  folder.path() + ".d"};
  RunResult first = RunAffirm(arguments);
  // Among many runs some may end at a solver's limit; among these few none does.
  const bool is_longer = std::getenv("AFFIRM_FUZZ_RUNS") != nullptr;
  EXPECT_TRUE(first.status == 0 || (is_longer && first.status == 2)) << first.status << "\n"
                                                                     << first.out << first.err;
  EXPECT_EQ(first.out, RunAffirm(arguments).out);
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzShort,
                         ::testing::Values(std::pair("hlo", 40), std::pair("maps", 200),
                                           std::pair("equiv", 60), std::pair("rules", 8)),
                         [](const auto& info) { return std::string(info.param.first); });

TEST(ReduceVerb, KeepsTheLineThatTheCommandLooksFor) {
  RunResult result =
      RunAffirm({"reduce", "corpus/hlo/softmax.hlo", "--check", "grep -q exponential {}"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("exponential"));
  EXPECT_LE(std::count(result.out.begin(), result.out.end(), '\n'), 7) << result.out;
}

TEST(ReduceVerb, RefusesWhatItCannotDo) {
  EXPECT_EQ(RunAffirm({"reduce", "corpus/hlo/softmax.hlo", "--check", "false {}"}).status, 3);
  EXPECT_EQ(RunAffirm({"reduce", "corpus/hlo/softmax.hlo", "--check", "true"}).status, 3);
  EXPECT_EQ(RunAffirm({"reduce", "-", "--check", "true {}"}, "HloModule").status, 3);
}

TEST(FuzzVerb, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(RunAffirm({"fuzz", "nothing"}).status, 3);
  EXPECT_EQ(RunAffirm({"fuzz", "hlo", "--ops", "frobnicate"}).status, 3);
  EXPECT_EQ(RunAffirm({"fuzz", "hlo", "--types", "f31"}).status, 3);
  EXPECT_EQ(RunAffirm({"fuzz", "hlo", "--shard", "3/3"}).status, 3);
}

}  // namespace
}  // namespace affirm::testing
