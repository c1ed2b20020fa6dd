// Certificates of affirm and affirm-check, as two programs.
#ifndef AFFIRM_TESTS_TOOLS_CERTIFICATES_H_
#define AFFIRM_TESTS_TOOLS_CERTIFICATES_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/run_affirm.h"

namespace affirm::testing {

class MapCertificates : public ::testing::Test {
 protected:
  // The certificate that two maps are equal (or that the first covers the second).
  static std::string CertificateOf(const std::string& a, const std::string& b,
                                   const std::string& relation = "equal") {
    TemporaryFolder folder;
    RunResult run = RunAffirm({"equiv", "--relation", relation, "--certificates", folder.path(),
                               "--map-a", a, "--map-b", b});
    EXPECT_EQ(run.err, "");
    const std::string path = folder.path() + "/" + relation + ".cert";
    return std::filesystem::exists(path) ? ReadFile(path) : "";
  }
  static RunResult Check(const std::string& certificate) {
    TemporaryFile file("c.cert", certificate);
    return RunProgram(AFFIRM_CHECK, {file.path()});
  }
  // Whether affirm's certificate is accepted, and prints the maps back.
  static void ExpectCertified(const std::string& a, const std::string& b,
                              const std::string& relation = "equal") {
    RunResult check = Check(CertificateOf(a, b, relation));
    EXPECT_EQ(check.status, 0) << a << "\n" << b << "\n" << check.out;
    EXPECT_THAT(check.out, ::testing::HasSubstr("\n  " + a + "\n  " + b + "\n"));
  }
  static std::string Replaced(std::string text, const std::string& from, const std::string& to) {
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  }
  static void ExpectRejected(const std::string& certificate, const std::string& why) {
    RunResult check = Check(certificate);
    EXPECT_EQ(check.status, 1) << check.out << check.err;
    EXPECT_THAT(check.out, ::testing::StartsWith("rejected: "));
    EXPECT_THAT(check.out, ::testing::HasSubstr(why));
  }
  // Expects that the text is refused once `to` stands in the place of `from`.
  static auto RejecterOf(std::string text) {
    return [text = std::move(text)](const std::string& from, const std::string& to,
                                    const std::string& why) {
      ExpectRejected(Replaced(text, from, to), why);
    };
  }
};

class ReadsCertificates : public MapCertificates {
 protected:
  // The certificates of an instruction of the module, by the number of the operand.
  static std::vector<std::string> CertificatesOf(const std::string& body, const std::string& name,
                                                 const std::string& flag = "--exact") {
    TemporaryFolder folder;
    TemporaryFile hlo("m.hlo", "HloModule m\n\n" + body);
    RunResult run =
        RunAffirm({"indexing", hlo.path(), "--instr", name, flag, "--certificates", folder.path()});
    EXPECT_EQ(run.status, 0) << run.err;
    std::vector<std::string> paths, texts;
    for (const auto& file : std::filesystem::directory_iterator(folder.path()))
      paths.push_back(file.path().string());
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) texts.push_back(ReadFile(path));
    return texts;
  }
  static void ExpectStatement(const std::string& certificate, const std::string& statement) {
    RunResult check = Check(certificate);
    EXPECT_EQ(check.status, 0) << certificate << check.out << check.err;
    EXPECT_THAT(check.out, ::testing::HasSubstr(statement));
  }
};

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_TOOLS_CERTIFICATES_H_
