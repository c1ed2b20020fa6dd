// Verdicts say which lemmas they rest on, and --lemmas keeps these in a folder.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "llvm/ADT/StringRef.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

// |p| of f32, by a mask of its bits.
constexpr const char* kByMask = R"(HloModule m
ENTRY e {
  p = f32[8] parameter(0)
  b = u32[8] bitcast-convert(p)
  m = u32[] constant(MASK)
  ms = u32[8] broadcast(m), dimensions={}
  a = u32[8] and(b, ms)
  ROOT r = f32[8] bitcast-convert(a)
}
)";
constexpr const char* kAbs = R"(HloModule m
ENTRY e {
  p = f32[8] parameter(0)
  ROOT r = f32[8] abs(p)
}
)";

std::string ByMask(const std::string& mask) {
  std::string text = kByMask;
  return text.replace(text.find("MASK"), 4, mask);
}

std::vector<std::filesystem::path> FilesIn(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    files.push_back(entry.path());
  return files;
}

TEST(LemmaOption, KeepsLemmasOfModules) {
  const TemporaryFolder folder({{"a.hlo", ByMask("2147483647")}, {"b.hlo", kAbs}});
  const std::string lemmas = folder.path() + "/kept/lemmas";
  const std::vector<std::string> command = {
      "equiv", "--hlo", folder.path() + "/a.hlo", folder.path() + "/b.hlo", "--lemmas", lemmas};
  const RunResult first = RunAffirm(command);
  EXPECT_EQ(first.status, 0) << first.out << first.err;
  EXPECT_TRUE(
      llvm::StringRef(first.out).contains("verdict: equal (rests on exhaustion over 2^32 values)"))
      << first.out;
  ASSERT_EQ(FilesIn(lemmas).size(), 1u);
  const RunResult again = RunAffirm(command);
  EXPECT_EQ(again.status, 0);
  EXPECT_TRUE(llvm::StringRef(again.out).contains("rests on exhaustion over 2^32 values"));
  // A file that does not fit is proved anew, and written over.
  std::ofstream(FilesIn(lemmas)[0]) << "affirm lemma\n";
  EXPECT_EQ(RunAffirm(command).status, 0);
  std::stringstream kept;
  kept << std::ifstream(FilesIn(lemmas)[0]).rdbuf();
  EXPECT_TRUE(llvm::StringRef(kept.str()).contains("x0 f32\n"));
}

TEST(LemmaOption, KeepsNothingThatIsFalse) {
  const TemporaryFolder folder({{"a.hlo", ByMask("2147483646")}, {"b.hlo", kAbs}});
  const std::string lemmas = folder.path() + "/lemmas";
  const RunResult result = RunAffirm(
      {"equiv", "--hlo", folder.path() + "/a.hlo", folder.path() + "/b.hlo", "--lemmas", lemmas});
  EXPECT_NE(result.status, 0) << result.out;
  EXPECT_TRUE(FilesIn(lemmas).empty());
}

TEST(LemmaOption, IsOfModulesAlone) {
  const RunResult result = RunAffirm(
      {"equiv", "--lemmas", "lemmas", "--map-a", "(d0) -> (d0)", "--map-b", "(d0) -> (d0)"});
  EXPECT_EQ(result.status, 3) << result.out;
}

TEST(LemmaOption, JsonSaysWhatAVerdictRestsOn) {
  const TemporaryFolder folder({{"a.hlo", ByMask("2147483647")}, {"b.hlo", kAbs}});
  const RunResult result =
      RunAffirm({"equiv", "--hlo", "--json", folder.path() + "/a.hlo", folder.path() + "/b.hlo"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(llvm::StringRef(result.out).contains(R"("rests_on":"exhaustion over 2^32 values")"))
      << result.out;
}

}  // namespace
}  // namespace affirm::testing
