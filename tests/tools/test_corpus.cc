// The corpus: every module is affirmed and says what it shows. (tests/tools/test_corpus_machines.cc
// runs its kernels under another seed and takes them to every machine.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class CorpusTest : public ::testing::TestWithParam<std::string> {};

TEST_P(CorpusTest, IsAffirmed) {
  RunResult run = RunAffirm({"check", "-v", GetParam()});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("\nverdict: affirmed"));
  EXPECT_THAT(run.out, HasSubstr("emitter, "));
}

TEST_P(CorpusTest, SaysWhatItShowsAndWhatItsMapsAre) {
  std::string text = ReadFile(GetParam());
  std::string comment = text.substr(0, text.find("HloModule"));
  EXPECT_THAT(comment, StartsWith("// "));
  EXPECT_THAT(comment, ::testing::ContainsRegex("->|maps|[Mm]ap"));
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(info.param.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

INSTANTIATE_TEST_SUITE_P(Corpus, CorpusTest, ::testing::ValuesIn(FilesIn("corpus/hlo", ".hlo")),
                         TestName);

}  // namespace
}  // namespace affirm::testing
