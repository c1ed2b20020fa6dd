// Everything that fuzzing once found stays found: each file is affirmed, or says why not.
#include <gtest/gtest.h>

#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

// The status that `affirm check` must have: 0, or what a line "// expect: status N, why" says.
int Expected(const std::string& text) {
  constexpr char kMark[] = "// expect: status ";
  size_t at = text.find(kMark);
  return at == std::string::npos ? 0 : text[at + sizeof(kMark) - 1] - '0';
}

TEST(Regressions, EveryModuleIsAsExpected) {
  for (const std::string& file : FilesIn("corpus/regressions", ".hlo")) {
    RunResult result = RunAffirm({"check", file, "--seed", "7"});
    EXPECT_EQ(result.status, Expected(ReadFile(file))) << file << "\n" << result.out << result.err;
  }
}

TEST(Regressions, EveryRuleIsSettled) {
  for (const std::string& file : FilesIn("corpus/regressions", ".rules")) {
    EXPECT_LE(RunAffirm({"audit", file}).status, 1) << file;
  }
}

}  // namespace
}  // namespace affirm::testing
