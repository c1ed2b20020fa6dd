// affirm simplify --certificate and affirm-check-certificate, as two programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kMaps[] =
    "(d0) -> ((d0 mod 12) floordiv 3), domain: d0 in [0, 99], d0 * 3 in [10, 100]\n\n"
    "(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]\n";

RunResult Check(const std::string& file) { return RunProgram(AFFIRM_CHECK_CERTIFICATE, {file}); }

TEST(CertificatesTest, AreWrittenAndAccepted) {
  TemporaryFile file("c.txt", "");
  RunResult run = RunAffirm({"simplify", "--certificate", file.path(), "-"}, kMaps);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, RunAffirm({"simplify", "-"}, kMaps).out);
  RunResult check = Check(file.path());
  EXPECT_EQ(check.status, 0) << check.out;
  EXPECT_THAT(check.out, HasSubstr("(d0) -> ((d0 floordiv 3) mod 4), domain: d0 in [4, 33]"));
  EXPECT_THAT(check.out, HasSubstr("(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 14]"));
}

TEST(CertificatesTest, AWrongOneIsRejectedByItsLine) {
  TemporaryFile file("c.txt", "");
  ASSERT_EQ(RunAffirm({"simplify", "--certificate", file.path(), "-"}, kMaps).status, 0);
  std::string text = ReadFile(file.path());
  size_t bound = text.find("d0 in [4, 33]");
  ASSERT_NE(bound, std::string::npos);
  TemporaryFile wrong("w.txt", text.replace(bound, 13, "d0 in [4, 34]"));
  RunResult check = Check(wrong.path());
  EXPECT_EQ(check.status, 1);
  EXPECT_THAT(check.out, ::testing::ContainsRegex("rejected: certificate 1, line [0-9]+"));
}

// A rule that is wrong: what the engine makes of it is not certified.
TEST(CertificatesTest, AWrongRuleHasNone) {
  TemporaryFile rules("w.rules",
                      "rule wrong: x mod c => x\n  when c > 0, range(x) within [0, c]\n"
                      "  why  off by one\n");
  TemporaryFile file("c.txt", "");
  RunResult run =
      RunAffirm({"simplify", "--rules", rules.path(), "--certificate", file.path(), "-"},
                "(d0) -> (d0 mod 4), domain: d0 in [0, 4]\n");
  EXPECT_EQ(run.status, 2) << run.out;
  EXPECT_THAT(run.err, HasSubstr("no certificate for wrong at results"));
  EXPECT_EQ(ReadFile(file.path()), "");
}

TEST(CertificatesTest, BadUsage) {
  EXPECT_EQ(RunProgram(AFFIRM_CHECK_CERTIFICATE, {}).status, 3);
  EXPECT_EQ(Check("no_such_file").status, 3);
  EXPECT_EQ(Check("/").status, 3);
  TemporaryFile empty("e.txt", "");
  EXPECT_EQ(Check(empty.path()).status, 1);
}

}  // namespace
}  // namespace affirm::testing
