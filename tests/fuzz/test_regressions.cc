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

// Whether a line "// expect: kernels proved" says that no claim about a kernel may be left to runs.
bool AreKernelsProved(const std::string& text) {
  return text.find("// expect: kernels proved") != std::string::npos;
}

TEST(Regressions, EveryModuleIsAsExpected) {
  const std::vector<std::string> files = FilesIn("corpus/regressions", ".hlo");
  EXPECT_FALSE(files.empty());
  for (const std::string& file : files) {
    RunResult result = RunAffirm({"check", file, "--seed", "7"});
    const std::string text = ReadFile(file);
    EXPECT_EQ(result.status, Expected(text)) << file << "\n" << result.out << result.err;
    if (!AreKernelsProved(text)) continue;
    EXPECT_NE(result.out.find("are proved, all claims about their LLVM IR"), std::string::npos)
        << file << "\n"
        << result.out;
  }
}

}  // namespace
}  // namespace affirm::testing
