// affirm equiv --certificates and affirm-check, as two programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/tools/certificates.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kA[] =
    "(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]";
constexpr char kB[] = "(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 14]";

TEST_F(MapCertificates, AreAcceptedAndPrintTheStatement) {
  ExpectCertified(kA, kB);
  ExpectCertified(kB, kA, "covers");
  ExpectCertified("(d0) -> (d0 floordiv -3), domain: d0 in [0, 9]",
                  "(d0) -> (-((d0 + 2) floordiv 3)), domain: d0 in [0, 9]");
  ExpectCertified("(d0) -> (min(d0, 5)), domain: d0 in [0, 5]",
                  "(d0) -> (d0), domain: d0 in [0, 5]");
}

TEST_F(MapCertificates, AreTheoremsOfCoq) {
  TemporaryFile file("c.cert", CertificateOf("(d0) -> (d0 mod 4), domain: d0 in [0, 3]",
                                             "(d0) -> (d0), domain: d0 in [0, 3]"));
  RunResult run = RunProgram(AFFIRM_CHECK, {"--coq", file.path()});
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("\nTheorem certificate_1 : true_claim (Equal 0%nat 1%nat "
                                 "[(Map 0%nat 1%nat 0%nat [(Fact (Var 0%nat) (Some (0)%Z) (Some "
                                 "(3)%Z))] [(Mod (Var 0%nat) (Const (4)%Z))])] [(Map "));
  EXPECT_THAT(run.out, HasSubstr("\nProof. apply (check_sound _ [(Evidence [(Entry Quotient [("));
  EXPECT_THAT(run.out, HasSubstr("vm_compute. reflexivity. Qed.\n"));
  EXPECT_EQ(RunProgram(AFFIRM_CHECK, {"--coq"}).status, 3);
  EXPECT_EQ(RunProgram(AFFIRM_CHECK, {"--coq", "--hlo", file.path(), file.path()}).status, 3);
}

TEST_F(MapCertificates, InfiniteBounds) {
  const std::string all = "d0 in [-9223372036854775808, 9223372036854775807]";
  ExpectCertified("(d0) -> ((d0 * 4 + 3) floordiv 4), domain: " + all,
                  "(d0) -> (d0), domain: " + all);
  ExpectCertified("(d0) -> (-d0 + d0 mod 4), domain: d0 in [0, 9223372036854775807]",
                  "(d0) -> ((d0 floordiv 4) * -4), domain: d0 in [0, 9223372036854775807]");
}

TEST_F(MapCertificates, EmptyMaps) {
  const std::string map = "(d0) -> (d0), domain: d0 in [0, 9], d0 * 2 in [3, 3]";
  RunResult check = Check(CertificateOf(map, "KNOWN EMPTY"));
  EXPECT_EQ(check.status, 0) << check.out;
  EXPECT_THAT(check.out, HasSubstr("  " + map + "\n  KNOWN EMPTY\n"));
}

TEST_F(MapCertificates, SymbolicDivisors) {
  ExpectCertified("(d0){rt0} -> (d0 mod rt0), domain: d0 in [0, 3], rt0 in [4, 9]",
                  "(d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [4, 9]");
}

// The statement is altered and the proof kept.
TEST_F(MapCertificates, AFalseStatementIsRejected) {
  const std::string good = CertificateOf(kA, kB);
  const std::string why = "the proof does not show the claim";
  ExpectRejected(Replaced(good, "-> (d0, d1)", "-> (d1, d0)"), why);
  ExpectRejected(Replaced(good, "d1 in [0, 14]", "d1 in [0, 16]"), why);
  ExpectRejected(Replaced(good, "d1 in [0, 14]", "d1 in [0, 9223372036854775807]"), why);
  ExpectRejected(Replaced(good, "d1 in [0, 14]", "d1 in [5, 4]"), why);
  ExpectRejected(Replaced(good, "floordiv 16", "floordiv 0"), why);
  ExpectRejected(Replaced(good, "floordiv 16", "floordiv -16"), why);
  ExpectRejected(Replaced(good, "(d0, d1) -> (d0, d1)", "(d0, d1)[s0] -> (d0, d1)"), "");
  ExpectRejected(Replaced(good, "map (d0, d1) -> (d0, d1)", "map (d0)[d1] -> (d0, d1)"), why);
  ExpectRejected(Replaced(good, std::string("map ") + kB, "map KNOWN EMPTY"), "");
}

TEST_F(MapCertificates, TextThatIsNoCertificateIsRejected) {
  const std::string good = CertificateOf(kA, kB);
  ExpectRejected("", "expected another line");
  ExpectRejected(good + "more\n", "expected 'affirm certificate 2'");
  ExpectRejected(Replaced(good, "d1 mod 16", "d2 mod 16"), "'d2' is no variable of the map");
  ExpectRejected(Replaced(good, "(d0, d1) ->", "(d0, d0) ->"), "two variables have one name");
  ExpectRejected(Replaced(good, "[0, 14]", "[0, 9223372036854775808]"), "more than 64 bits");
  ExpectRejected(Replaced(good, "d1 in [0,", "d1 in [-9223372036854775809,"), "more than 64 bits");
  ExpectRejected(Replaced(good, "(d0, d1) ->", "(d0, 3) ->"), "expected the name of a variable");
  ExpectRejected(Replaced(good, "evidence", "evidence\nc 0 1@1"), "expected a positive divisor");
  ExpectRejected(Replaced(good, "evidence", "evidence\nc 1 " + std::string(300, '9') + "@1"),
                 "expected an integer");
  EXPECT_EQ(Check(good + good).status, 0);
}

TEST_F(MapCertificates, NumbersOfEvidenceAreReadWhole) {
  const std::string good = CertificateOf(kA, kB);
  for (const char* line : {"c 1x 1@1", "c -1 1@1", "c 0 1@1", "c", "c 1 1@-1", "c 1 1@0", "c 1 1@",
                           "c 1 @1", "c 1 1", "c 1 1@99999999999", "c 1 1@+1", "use 1 1@1"})
    ExpectRejected(Replaced(good, "evidence", std::string("evidence\n") + line), "");
}

// A result without a value at some point of the domain is no result, even of equal texts.
TEST_F(MapCertificates, DivisorsThatMayBeZero) {
  const auto map = [](const std::string& term, const std::string& domain) {
    return "(d0, d1) -> (" + term + "), domain: d0 in [0, 9], " + domain;
  };
  for (const char* term : {"d0 floordiv d1", "d0 ceildiv d1", "d0 mod d1", "d0 mod (d1 * 2)"}) {
    const std::string good = CertificateOf(map(term, "d1 in [1, 3]"), map(term, "d1 in [1, 3]"));
    EXPECT_EQ(Check(good).status, 0) << term;
    for (const char* wider : {"d1 in [0, 3]", "d1 in [-1, 3]"}) {
      const std::string forged =
          Replaced(Replaced(good, "d1 in [1, 3]", wider), "d1 in [1, 3]", wider);
      ExpectRejected(forged, "does not show");
    }
  }
  const std::string negative = map("d0 floordiv d1", "d1 in [-3, -1]");
  const std::string good = CertificateOf(negative, negative);
  EXPECT_EQ(Check(good).status, 0);
  ExpectRejected(Replaced(Replaced(good, "floordiv", "mod"), "floordiv", "mod"), "does not show");
}

// A proof that would take long, or much stack, ends with a message.
// The map that covers has a value at the witness: its divisor is a goal, which `facts` shows.
TEST_F(MapCertificates, ACoveringMapHasAValueAtItsWitness) {
  const auto certificate = [](const std::string& low, const std::string& facts) {
    return "affirm certificate 2\nclaim covers\n"
           "map (d0, d1) -> (d0 + (d0 floordiv d1) - (d0 floordiv d1)), domain: d0 in [0, 3], "
           "d1 in [" +
           low + ", 1]\nand\nmap (d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [" + low +
           ", 1]\nevidence\natom / 1*1 ; 1*2\nc 1\n= 5 5\ndone 0 " + facts + "1 2 3 4 6\nend\n";
  };
  ExpectRejected(certificate("0", ""), "does not show");
  ExpectRejected(certificate("0", "3 3 "), "does not show");
  ExpectRejected(certificate("1", ""), "does not show");
  EXPECT_EQ(Check(certificate("1", "3 3 ")).status, 0);
}

TEST_F(MapCertificates, LimitsHold) {
  const std::string good = CertificateOf(kA, kB);
  const std::string open(100000, '('), close(100000, ')');
  ExpectRejected(Replaced(good, "d1 mod 16", open + "d1" + close + " mod 16"), "nested too deep");
  ExpectRejected(Replaced(good, "d1 mod 16", std::string(100000, '-') + "d1 mod 16"), "");
  std::string squares = "evidence\n";
  for (int k = 0; k < 60; ++k)
    squares += "p " + std::to_string(k + 4) + " " + std::to_string(k + 4) + "\n";
  ExpectRejected(Replaced(good, "evidence\n", squares), "");
  std::string splits;
  for (int k = 0; k < 100000; ++k) splits += "split 1*1\n";
  ExpectRejected(Replaced(good, "done", splits + "done"), "too many splits");
  std::string sum = "d0";
  for (int k = 0; k < 200000; ++k) sum += " + d0";
  RunResult check = Check(Replaced(good, "d1 mod 16", sum));
  EXPECT_EQ(check.status, 1) << check.out << check.err;
}

TEST_F(MapCertificates, TimesAreSaidAtTheEnd) {
  TemporaryFile file("c.cert", CertificateOf("(d0) -> (d0 mod 4), domain: d0 in [0, 3]",
                                             "(d0) -> (d0), domain: d0 in [0, 3]"));
  RunResult run = RunProgram(AFFIRM_CHECK, {"--times", file.path(), file.path()});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, ::testing::MatchesRegex("accepted: (.|\n)*\n2 certificates: median "
                                               "[0-9.]+ ms, largest [0-9.]+ ms\n"));
  EXPECT_EQ(RunProgram(AFFIRM_CHECK, {"--coq", "--times", file.path()}).status, 3);
  EXPECT_EQ(RunProgram(AFFIRM_CHECK, {"--times"}).status, 3);
}

TEST_F(MapCertificates, BadUsage) {
  EXPECT_EQ(RunProgram(AFFIRM_CHECK, {}).status, 3);
  EXPECT_EQ(RunProgram(AFFIRM_CHECK, {"no_such_file"}).status, 3);
  EXPECT_EQ(RunProgram(AFFIRM_CHECK, {"/"}).status, 3);
  EXPECT_EQ(RunProgram(AFFIRM_CHECK, {"--help"}).status, 0);
}

TEST_F(MapCertificates, Bijections) {
  TemporaryFolder folder;
  for (auto [map, shape] : std::vector<std::pair<std::string, std::string>>{
           {"(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]", "4,8"},
           {"(d0, d1)[s0] -> (d1 floordiv 4, (d1 mod 4) * 256 + s0 * 128 + d0), domain: "
            "d0 in [0, 127], d1 in [0, 31], s0 in [0, 1]",
            "8,1024"},
           {"(d0, d1) -> ((d1 * 128 + d0) floordiv 20, (d1 * 128 + d0) mod 20), domain: d0 in [0, "
            "127], d1 in [0, 1], d1 * 128 + d0 in [0, 199]",
            "10,20"},
           {"(d0){rt0} -> (-d0 + 5), domain: d0 in [0, 5], rt0 in [0, 3]", "6"}}) {
    RunResult run =
        RunAffirm({"bijection", map, "--shape", shape, "--certificates", folder.path()});
    EXPECT_EQ(run.status, 0) << run.out;
    EXPECT_EQ(run.err, "") << map;
    const std::string good = ReadFile(folder.path() + "/bijection.cert");
    RunResult check = Check(good);
    EXPECT_EQ(check.status, 0) << check.out;
    EXPECT_THAT(check.out, HasSubstr("bijection [" + shape + "]:\n  "));
    // A row more, a row less, and a variable of which nothing depends.
    const std::string rest = shape.substr(1);
    ExpectRejected(Replaced(good, "shape " + shape, "shape 9" + rest), "does not show");
    ExpectRejected(Replaced(good, "shape " + shape, "shape 3" + rest), "does not show");
    ExpectRejected(Replaced(good, "d0 in [0, ", "d0 in [-1, "), "does not show");
  }
}

TEST_F(MapCertificates, OfSimplifications) {
  TemporaryFolder folder;
  RunResult run = RunAffirm({"simplify", "--certificates", folder.path(), "-"},
                            std::string(kA) + "\n\n(d0) -> (d0 mod 4), domain: d0 in [0, 3]\n");
  EXPECT_EQ(run.status, 0) << run.err;
  RunResult check =
      RunProgram(AFFIRM_CHECK, {folder.path() + "/map1.cert", folder.path() + "/map2.cert"});
  EXPECT_EQ(check.status, 0) << check.out;
  EXPECT_THAT(check.out, HasSubstr(std::string("  ") + kA + "\n  " + kB + "\n"));
  EXPECT_THAT(check.out, HasSubstr("  (d0) -> (d0), domain: d0 in [0, 3]\n"));
}

// The engine follows a rule that is wrong; its result has no certificate.
TEST_F(MapCertificates, AWrongRuleHasNone) {
  TemporaryFolder folder;
  TemporaryFile rules("w.rules",
                      "rule wrong: x mod c => x\n  when c > 0, range(x) within [0, c]\n"
                      "  why  off by one\n");
  RunResult run =
      RunAffirm({"simplify", "--rules", rules.path(), "--certificates", folder.path(), "-"},
                "(d0) -> (d0 mod 4), domain: d0 in [0, 4]\n\n"
                "(d0) -> (d0 mod 4), domain: d0 in [0, 3]\n");
  EXPECT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/map1.cert"));
}

TEST_F(MapCertificates, OfMapsInMlir) {
  TemporaryFolder folder;
  TemporaryFile a("a.mlir",
                  "#m = #xla.indexing_map<\"(d0) -> (d0 mod 4), domain: d0 in [0, 3]\">\n");
  TemporaryFile b("b.mlir", "#m = #xla.indexing_map<\"(d0) -> (d0), domain: d0 in [0, 3]\">\n");
  RunResult run =
      RunAffirm({"equiv", "--mlir", a.path(), b.path(), "--certificates", folder.path()});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  std::vector<std::string> files = FilesIn(folder.path(), ".cert");
  ASSERT_EQ(files.size(), 1u) << run.err;
  EXPECT_EQ(RunProgram(AFFIRM_CHECK, {files[0]}).status, 0);
}

// A claim without a certificate is said in one line.
TEST_F(MapCertificates, WhatHasNoneIsSaid) {
  TemporaryFolder folder;
  RunResult run = RunAffirm({"equiv", "--certificates", folder.path(), "--map-a",
                             "(d0)[s0] -> ((s0 * s0) mod 3), domain: d0 in [0, 1], s0 in [0, 5]",
                             "--map-b", "(d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 1]"});
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_THAT(run.err, HasSubstr("equal: note: no certificate: found no proof that"));
  EXPECT_TRUE(FilesIn(folder.path(), ".cert").empty());
}

// The printed statement was checked: sizes belong to claims about arrays, and none is missing.
TEST_F(MapCertificates, StatementsAreWhatIsChecked) {
  const std::string equal = CertificateOf("(d0) -> (d0 mod 4), domain: d0 in [0, 3]",
                                          "(d0) -> (d0), domain: d0 in [0, 3]");
  EXPECT_EQ(Check(equal).status, 0);
  EXPECT_EQ(Check(Replaced(equal, "claim equal", "claim equal shape 4")).status, 1);
  TemporaryFolder folder;
  ASSERT_EQ(RunAffirm({"bijection", "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]",
                       "--shape", "4,8", "--certificates", folder.path()})
                .status,
            0);
  const std::string written = ReadFile(folder.path() + "/bijection.cert");
  EXPECT_EQ(Check(written).status, 0);
  for (const char* sizes : {"4,,8", ",4,8", "4,8,", "4,9", "8,4", "4", "+4,8"})
    EXPECT_EQ(Check(Replaced(written, "shape 4,8", "shape " + std::string(sizes))).status, 1)
        << sizes;
}

TEST_F(MapCertificates, AFolderThatCannotBeWritten) {
  TemporaryFile file("f", "");
  const std::string map = "(d0) -> (d0), domain: d0 in [0, 3]";
  const std::string folder = file.path() + "/c";
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"equiv", "--map-a", map, "--map-b", map, "--certificates", folder},
           {"bijection", map, "--shape", "4", "--certificates", folder}}) {
    const RunResult run = RunAffirm(arguments);
    EXPECT_EQ(run.status, 3) << run.out;
    EXPECT_THAT(run.err, HasSubstr("cannot write the certificate"));
  }
  // A folder that is not there is made.
  TemporaryFolder there;
  EXPECT_EQ(
      RunAffirm({"equiv", "--map-a", map, "--map-b", map, "--certificates", there.path() + "/a/b"})
          .status,
      0);
  EXPECT_TRUE(std::filesystem::exists(there.path() + "/a/b/equal.cert"));
}

}  // namespace
}  // namespace affirm::testing
