// The corpus: every module is affirmed, says what it shows, and its PTX assembles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class CorpusTest : public ::testing::TestWithParam<std::string> {};

TEST_P(CorpusTest, IsAffirmed) {
  RunResult run = RunAffirm({"check", GetParam()});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("\nverdict: affirmed"));
}

TEST_P(CorpusTest, IsAffirmedUnderAnotherSeed) {
  RunResult run = RunAffirm({"check", GetParam(), "--seed", "7", "--json"});
  ASSERT_EQ(run.status, 0) << run.out << run.err;
  auto report = llvm::json::parse(run.out);
  ASSERT_TRUE(!!report) << llvm::toString(report.takeError());
  const auto* modules = report->getAsObject()->getArray("modules");
  ASSERT_TRUE(modules);
  for (const auto& module : *modules) {
    EXPECT_EQ(module.getAsObject()->getString("verdict"), "affirmed");
    EXPECT_FALSE(module.getAsObject()->getArray("kernels")->empty());
  }
}

TEST_P(CorpusTest, SaysWhatItShowsAndWhatItsMapsAre) {
  std::string text = ReadFile(GetParam());
  std::string comment = text.substr(0, text.find("HloModule"));
  EXPECT_THAT(comment, StartsWith("// "));
  EXPECT_THAT(comment, ::testing::ContainsRegex("->|maps|map"));
}

TEST_P(CorpusTest, PtxAssembles) {
  if (RunProgram("ptxas", {"--version"}).status != 0) {
    GTEST_SKIP() << "ptxas is not installed; the PTX is not assembled";
  }
  RunResult run = RunAffirm({"emit", GetParam(), "--target", "nvptx", "--stage", "asm", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  auto document = llvm::json::parse(run.out);
  ASSERT_TRUE(!!document) << llvm::toString(document.takeError());
  const auto* kernels = document->getAsObject()->getArray("kernels");
  ASSERT_TRUE(kernels && !kernels->empty());
  for (const auto& kernel : *kernels) {
    TemporaryFile ptx("kernel.ptx", kernel.getAsObject()->getString("text")->str());
    RunResult assembled =
        RunProgram("ptxas", {"-arch=sm_90", ptx.path(), "-o", ptx.path() + ".cubin"});
    EXPECT_EQ(assembled.status, 0) << assembled.out << assembled.err;
  }
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(info.param.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

INSTANTIATE_TEST_SUITE_P(Corpus, CorpusTest, ::testing::ValuesIn(FilesIn("corpus/hlo", ".hlo")),
                         TestName);

}  // namespace
}  // namespace affirm::testing
