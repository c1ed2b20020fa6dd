// affirm check --certificates and affirm-check, as two programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> CertificatesBelow(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (file.path().extension() == ".cert") files.push_back(file.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

RunResult CheckAll(std::vector<std::string> files) {
  return RunProgram(AFFIRM_CHECK, std::move(files));
}

constexpr char kModule[] =
    "HloModule m\n\n"
    "f {\n"
    "  p = f32[6,6] parameter(0)\n"
    "  t = f32[6,6] transpose(p), dimensions={1,0}\n"
    "  ROOT a = f32[6,6] add(t, p)\n"
    "}\n\n"
    "ENTRY e {\n"
    "  p = f32[6,6] parameter(0)\n"
    "  ROOT r = f32[6,6] fusion(p), kind=kLoop, calls=f\n"
    "}\n";

TEST(CheckCertificates, EachProvedClaimAboutMapsHasOne) {
  TemporaryFolder folder;
  TemporaryFile hlo("m.hlo", kModule);
  RunResult run = RunAffirm({"check", "-v", "--certificates", folder.path(), hlo.path()});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_THAT(
      run.out,
      HasSubstr("\ncertificates\n    of 6 claims about maps that are proved, 6 have one\n"));
  const std::vector<std::string> files = CertificatesBelow(folder.path());
  EXPECT_EQ(files.size(), 6u);
  RunResult check = CheckAll(files);
  EXPECT_EQ(check.status, 0) << check.out;
  // The maps of the instructions, of the fusion in both directions, and of the threads.
  EXPECT_THAT(check.out, HasSubstr("f.t.0.0.cert: t reads exactly of p:\n"));
  EXPECT_THAT(check.out, HasSubstr("f.a.0.1.cert: a reads exactly of p:\n"));
  EXPECT_THAT(check.out, HasSubstr("e.r.0.0.composed.cert: a reads exactly of p:\n"));
  EXPECT_THAT(check.out, HasSubstr("e.r.0.0.composed.inverse.cert: a reads exactly of p:\n"));
  EXPECT_THAT(check.out, HasSubstr("r.threads0.cert: bijection [6,6]:\n"));
}

TEST(CheckCertificates, JsonCountsThem) {
  TemporaryFolder folder;
  TemporaryFile hlo("m.hlo", kModule);
  RunResult run = RunAffirm({"check", "--json", "--certificates", folder.path(), hlo.path()});
  EXPECT_THAT(run.out, HasSubstr("\"certificates\": {"));
  EXPECT_THAT(run.out, HasSubstr("\"claims\": 6,"));
  EXPECT_THAT(run.out, HasSubstr("\"written\": 6,"));
  EXPECT_THAT(RunAffirm({"check", "--json", hlo.path()}).out, Not(HasSubstr("certificates")));
}

// A claim that the search does not prove to the checker is counted, and stays proved.
TEST(CheckCertificates, AClaimWithoutOneIsCounted) {
  TemporaryFolder folder;
  TemporaryFile hlo("m.hlo",
                    "HloModule m\n\nENTRY e {\n"
                    "  p = f32[4,2]{0,1} parameter(0)\n"
                    "  ROOT r = f32[2,4]{1,0} bitcast(p)\n}\n");
  RunResult run = RunAffirm({"check", "-v", "--certificates", folder.path(), hlo.path()});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr(" without: "));
}

TEST(CheckCertificates, ModulesHaveFoldersOfTheirOwn) {
  TemporaryFolder folder;
  TemporaryFile a("a.hlo", kModule), b("b.hlo", kModule);
  ASSERT_EQ(RunAffirm({"check", "--certificates", folder.path(), a.path(), b.path()}).status, 0);
  std::set<std::string> folders;
  for (const std::string& file : CertificatesBelow(folder.path()))
    folders.insert(std::filesystem::path(file).parent_path().string());
  EXPECT_EQ(folders.size(), 2u);
  EXPECT_EQ(CertificatesBelow(folder.path()).size(), 12u);
}

TEST(CheckCertificates, FormulasForAllSizes) {
  for (const char* op : {"broadcast", "concatenate", "dot", "reduce", "reverse", "transpose"}) {
    TemporaryFolder folder;
    RunResult run =
        RunAffirm({"check", "--symbolic", op, "--rank", "2", "--certificates", folder.path()});
    EXPECT_EQ(run.status, 0) << run.out << run.err;
    const std::vector<std::string> files = CertificatesBelow(folder.path());
    ASSERT_FALSE(files.empty()) << op;
    const std::string count = std::to_string(files.size());
    EXPECT_THAT(run.out, HasSubstr("certificates: " + count + " of " + count + " claims"));
    RunResult check = CheckAll(files);
    EXPECT_EQ(check.status, 0) << op << check.out;
    // The sizes are dims without an upper end.
    EXPECT_THAT(check.out, HasSubstr(", 9223372036854775807]"));
  }
}

TEST(CheckCertificates, WhatCannotBeWrittenIsAnError) {
  TemporaryFile hlo("m.hlo", kModule), file("f", "");
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"check", hlo.path()}, {"check", "--symbolic", "reverse"}}) {
    std::vector<std::string> with = arguments;
    with.insert(with.end(), {"--certificates", file.path() + "/c"});
    RunResult run = RunAffirm(with);
    EXPECT_EQ(run.status, 3) << run.out;
    EXPECT_THAT(run.err, HasSubstr("cannot write the certificates"));
  }
  // The folder of a module cannot be made.
  TemporaryFolder folder;
  const std::string taken = hlo.path();
  std::string name = taken;
  for (char& c : name) c = c == '/' ? '_' : c;
  folder.Add(name, "");
  RunResult run = RunAffirm({"check", "--certificates", folder.path(), taken});
  EXPECT_EQ(run.status, 3) << run.out;
  EXPECT_THAT(run.err, HasSubstr("cannot write the certificate"));
}

TEST(CheckCertificates, ALedgerHasNone) {
  TemporaryFolder folder;
  TemporaryFile hlo("m.hlo", kModule);
  RunResult run = RunAffirm({"check", "--certificates", folder.path(), "--ledger",
                             folder.path() + "/ledger", hlo.path()});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("--ledger"));
}

}  // namespace
}  // namespace affirm::testing
