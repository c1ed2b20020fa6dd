// `affirm audit --program` on the command line: statuses, formats, files, bad input.
#include <gtest/gtest.h>

#include <filesystem>

#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

const std::string kProgram = AFFIRM_SIMPLIFIER_PROGRAM;

RunResult Audit(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), {"audit", "--program"});
  return RunAffirm(arguments, input);
}

TEST(AuditProgramVerb, StatusSaysHowItWent) {
  EXPECT_EQ(Audit({kProgram, "--runs", "50"}).status, 0);
  EXPECT_EQ(Audit({kProgram + " --fault 0", "--runs", "50"}).status, 1);
  EXPECT_EQ(Audit({"sed 's/floordiv 2/floordiv (d0 + 1)/'", "--maps", "-"},
                  "(d0) -> (d0 floordiv 2), domain: d0 in [-1, 1]\n")
                .status,
            2);
  EXPECT_EQ(Audit({"no-such-program", "--runs", "5"}).status, 3);
}

TEST(AuditProgramVerb, BadInputIsToldWithItsPlace) {
  RunResult run = Audit({"cat", "--maps", "-"}, "(d0) -> (d0), domain: d0 in [0, 9]\n\n(d0 -> (\n");
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.err.find("<stdin>:3:5: error:"), std::string::npos) << run.err;
  EXPECT_EQ(Audit({"cat", "--timeout", "0"}).status, 3);
  EXPECT_EQ(Audit({"cat", "--max-time", "nan"}).status, 3);
  EXPECT_EQ(Audit({"cat", "--runs", "-1"}).status, 3);
  EXPECT_EQ(Audit({"cat", "--format", "sarif"}).status, 3);
  EXPECT_EQ(Audit({"cat", "--mutants"}).status, 3);
  EXPECT_EQ(Audit({"cat", "--runs", "0"}).status, 3);
  EXPECT_EQ(Audit({""}).status, 3);
  EXPECT_EQ(RunAffirm({"audit", "--runs", "5"}).status, 3);
  EXPECT_EQ(Audit({kProgram + " --fault 0", "--runs", "50", "--save", "/dev/null/x"}).status, 3);
}

TEST(AuditProgramVerb, JsonHasAnEntryForEachCause) {
  RunResult run = Audit({kProgram + " --fault 0", "--runs", "200", "--format", "json"});
  auto document = llvm::json::parse(run.out);
  ASSERT_TRUE(static_cast<bool>(document)) << llvm::toString(document.takeError());
  const llvm::json::Object& report = *document->getAsObject();
  EXPECT_EQ(report.getInteger("tried"), 200);
  const llvm::json::Array* findings = report.getArray("findings");
  ASSERT_TRUE(findings && !findings->empty());
  for (const llvm::json::Value& value : *findings) {
    const llvm::json::Object& finding = *value.getAsObject();
    EXPECT_TRUE(finding.getString("map"));
    EXPECT_TRUE(finding.getString("answer"));
    EXPECT_TRUE(finding.getString("kind"));
    EXPECT_GE(finding.getInteger("count").value_or(0), 1);
    EXPECT_TRUE(finding.getObject("counterexample"));
  }
}

TEST(AuditProgramVerb, MarkdownHoldsMapAnswerPointAndReplay) {
  RunResult run = Audit({kProgram + " --fault 0", "--format", "markdown", "--maps", "-"},
                        "(d0) -> (d0 floordiv -2), domain: d0 in [0, 1]\n");
  EXPECT_EQ(run.status, 1);
  for (const char* part : {"## result wrong", "(d0) -> (d0 floordiv -2), domain: d0 in [0, 1]",
                           "| at `d0 = 1` | results |", "| the map | `{(-1)}` |",
                           "| the answer | `{(0)}` |", "printf '%s\\n'", "affirm equiv --map-a"}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out;
  }
}

// All of the command gets the map, whatever the shell makes of its parts.
TEST(AuditProgramVerb, ReplaysOfCompoundCommandsShowTheAnswer) {
  TemporaryFile file("maps.txt", "(d0) -> (d0 floordiv -2), domain: d0 in [0, 1]\n");
  const std::string program = kProgram + " --fault 0";
  for (const std::string& command :
       {program, "export X=1; " + program, "true && " + program, "false || " + program,
        "{ " + program + "; }", "(" + program + ")", "if true; then " + program + "; fi",
        "set -- 0\n" + kProgram + " --fault $1", program + " # the program", "cat | " + program,
        "sh -c '" + program + "'", "true & " + program}) {
    RunResult run = Audit({command, "--format", "json", "--maps", file.path()});
    EXPECT_EQ(run.status, 1) << command << run.err;
    auto document = llvm::json::parse(run.out);
    ASSERT_TRUE(static_cast<bool>(document)) << llvm::toString(document.takeError());
    const llvm::json::Object& finding =
        *document->getAsObject()->getArray("findings")->front().getAsObject();
    const RunResult again = RunProgram("/bin/sh", {"-c", finding.getString("replay")->str()},
                                       "(d0) -> (d0), no map of the line");
    EXPECT_EQ(llvm::StringRef(again.out).trim(), finding.getString("answer")) << command;
  }
  // One that needs no shell of its own is shown as it was given.
  RunResult plain = Audit({program, "--maps", file.path()});
  EXPECT_NE(plain.out.find(" | " + program + "\n"), std::string::npos) << plain.out;
}

// A file of a finding shows the finding again.
TEST(AuditProgramVerb, SavedFindingsReplay) {
  TemporaryFile file("maps.txt", "(d0) -> (d0 floordiv -2), domain: d0 in [0, 1]\n");
  const std::string folder = std::filesystem::path(file.path()).parent_path() / "found";
  RunResult run = Audit({kProgram + " --fault 0", "--maps", file.path(), "--save", folder});
  EXPECT_EQ(run.status, 1);
  std::vector<std::string> saved = FilesIn(folder, ".txt");
  ASSERT_EQ(saved.size(), 1u);
  run = Audit({kProgram + " --fault 0", "--maps", saved[0]});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.out.find("1 map tried"), std::string::npos) << run.out;
  EXPECT_EQ(Audit({kProgram, "--maps", saved[0]}).status, 0);
}

TEST(AuditProgramVerb, TheSameSeedGivesTheSameReport) {
  auto report = [](const char* seed, const char* jobs) {
    return Audit({kProgram + " --fault 5", "--runs", "100", "--seed", seed, "-j", jobs}).out;
  };
  EXPECT_EQ(report("3", "1"), report("3", "3"));
  EXPECT_NE(report("3", "1"), report("4", "1"));
}

}  // namespace
}  // namespace affirm::testing
