// The same input gives the same output: on a second run, and on any number of threads. Times aside.
#include <gtest/gtest.h>

#include <regex>

#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

std::string WithoutTimes(const std::string& text) {
  static const std::regex times(
      R"re("(run_)?ms": ?[0-9.e+-]+|[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)? m?s\b)re");
  return std::regex_replace(text, times, "T");
}

void ExpectSame(std::vector<std::string> arguments, const std::string& input = "") {
  RunResult first = RunAffirm(arguments, input), second = RunAffirm(arguments, input);
  EXPECT_EQ(WithoutTimes(first.out), WithoutTimes(second.out));
  EXPECT_EQ(first.err, second.err);
  arguments.insert(arguments.end(), {"-j", "2"});
  RunResult parallel = RunAffirm(arguments, input);
  EXPECT_EQ(WithoutTimes(first.out), WithoutTimes(parallel.out));
  EXPECT_EQ(first.err, parallel.err);
  EXPECT_EQ(first.status, parallel.status);
  EXPECT_FALSE(first.out.empty());
}

std::string Queries() {
  std::string lines;
  for (int i = 0; i < 120; ++i) {
    std::string n = std::to_string(i), size = std::to_string(7 * i + 5);
    lines += "{\"id\": " + n + ", \"lhs\": \"(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, " + size +
             "], s0 in [0, 3]\", \"rhs\": \"(d0)[s0] -> (d0 * 4 + 3 - s0), domain: d0 in [0, " +
             (i % 3 ? size : n) + "], s0 in [0, 3]\"}\n";
    if (i % 40 == 7) lines += "not json\n\n";
  }
  return lines;
}

TEST(Jobs, Equiv) { ExpectSame({"equiv", "--jsonl"}, Queries()); }

TEST(Jobs, Audit) { ExpectSame({"audit", "corpus/rules/wrong/quotients.rules"}); }

TEST(Jobs, Indexing) {
  ExpectSame({"indexing", "--all", "--json", "corpus/hlo/softmax.hlo"});
  ExpectSame({"indexing", "--all", "corpus/hlo/layer_norm.hlo"});
}

TEST(Jobs, Check) {
  ExpectSame({"check", "corpus/hlo/reshape_expand.hlo", "corpus/hlo/iota.hlo",
              "corpus/hlo/transpose.hlo"});
  ExpectSame({"check", "--json", "corpus/hlo/reshape_collapse.hlo", "corpus/hlo/iota.hlo"});
}

TEST(Jobs, SymbolicSizes) {
  ExpectSame({"check", "--symbolic", "reverse", "--rank", "2"});
  ExpectSame({"check", "--symbolic", "reduce", "--rank", "2", "--json"});
}

}  // namespace
}  // namespace affirm::testing
