// Bad input is refused with its source location and exit status 3, in bounded time and memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kPlace[] = ":[0-9]+:[0-9]+: error: ";

void ExpectRefused(const RunResult& run, const std::string& what) {
  EXPECT_EQ(run.status, 3) << what << "\n" << run.out.substr(0, 500) << run.err.substr(0, 500);
  EXPECT_THAT(run.err.substr(0, 4000), ContainsRegex(kPlace)) << what;
  EXPECT_LT(run.err.size(), 8192u) << what;
}

struct Case {
  std::string name;
  std::string text;
};

class BadModuleTest : public ::testing::TestWithParam<Case> {};

TEST_P(BadModuleTest, IsRefusedByEveryVerb) {
  TemporaryFile file("bad.hlo", GetParam().text);
  const std::vector<std::string> verbs[] = {
      {"check"}, {"indexing"}, {"emit"}, {"run"}, {"width", "--kernels"}};
  for (std::vector<std::string> verb : verbs) {
    verb.push_back(file.path());
    RunResult run = RunAffirm(verb, "", 60);
    ExpectRefused(run, verb[0]);
    EXPECT_THAT(run.err, HasSubstr(file.path() + ":")) << verb[0];
  }
}

std::string Entry(const std::string& body) { return "HloModule m\nENTRY e {\n" + body + "\n}\n"; }

// The callee reads three elements, of two.
const char* const kOtherArgument = R"(HloModule m
f {
  q = f32[3] parameter(0)
  ROOT s = f32[2] slice(q), slice={[1:3]}
}
ENTRY e {
  p = f32[2] parameter(0)
  ROOT r = f32[2] fusion(p), kind=kLoop, calls=f
}
)";

INSTANTIATE_TEST_SUITE_P(
    Modules, BadModuleTest,
    ::testing::Values(
        Case{"Empty", ""}, Case{"Blank", " \n\n  \t\n"}, Case{"OnlyAComment", "// nothing\n"},
        Case{"Truncated",
             "HloModule m\nENTRY e {\n  p0 = f32[4] parameter(0)\n  ROOT r = f32[4] ad"},
        Case{"TruncatedShape", "HloModule m\nENTRY e {\n  p0 = f32[4"},
        Case{"UnknownOpcode",
             Entry("  p0 = f32[4] parameter(0)\n  ROOT r = f32[4] frobnicate(p0)")},
        Case{"UnknownOperand", Entry("  ROOT r = f32[4] negate(p0)")},
        Case{"ShapeThatDoesNotFit",
             Entry("  p0 = f32[4] parameter(0)\n  ROOT r = f32[5] negate(p0)")},
        Case{"ReshapeThatDoesNotFit",
             Entry("  p0 = f32[4,8] parameter(0)\n  ROOT r = f32[31] reshape(p0)")},
        Case{"ArgumentOfAnotherShape", kOtherArgument},
        Case{"NegativeSize", Entry("  ROOT p0 = f32[-4] parameter(0)")},
        Case{"SizePastInt64", Entry("  ROOT p0 = f32[99999999999999999999] parameter(0)")},
        Case{"CountPastInt64",
             Entry("  ROOT p0 = f32[4294967296,4294967296,4294967296] parameter(0)")},
        Case{"NoRoot", "HloModule m\n"}, Case{"NotHlo", "int main() { return 0; }\n"},
        Case{"Binary", std::string("\x7f"
                                   "ELF\x02\x01\x01\0\0\0\xff\xfe\x80",
                                   13)},
        Case{"Nul", std::string("HloModule m\0ENTRY", 17)}),
    [](const auto& info) { return info.param.name; });

TEST(BadInputTest, MissingFileAndFolder) {
  for (std::string verb : {"check", "indexing", "simplify", "emit", "run"}) {
    ExpectRefused(RunAffirm({verb, "/does/not/exist.hlo"}), verb);
    ExpectRefused(RunAffirm({verb, "/tmp"}), verb);
  }
}

TEST(BadInputTest, AHundredMegabytesInALine) {
  for (const std::string& text :
       {std::string(100 << 20, 'x'), std::string(100 << 20, '('),
        "HloModule m\nENTRY e {\n  ROOT r = f32[] negate(" + std::string(100 << 20, '{'),
        std::string(100 << 20, '\0')}) {
    TemporaryFile file("line.hlo", text);
    RunResult run = RunAffirm({"check", file.path()}, "", 60);
    ExpectRefused(run, text.substr(0, 60));
    EXPECT_LT(run.peak_kib, 900 << 10);
  }
  for (char c : {'(', 'x', '1', '-'}) {
    TemporaryFile file("line.map", "(d0) -> (" + std::string(100 << 20, c));
    RunResult run = RunAffirm({"simplify", file.path()}, "", 60);
    ExpectRefused(run, std::string("map of ") + c);
    EXPECT_LT(run.peak_kib, 900 << 10);
  }
}

TEST(BadInputTest, MapErrorsNameTheLineOfTheFile) {
  TemporaryFile file(
      "two.map", "(d0) -> (d0), domain: d0 in [0, 9]\n\n(d0) -> (d0 +),\n domain: d0 in [0, 9]\n");
  RunResult run = RunAffirm({"simplify", file.path()});
  ExpectRefused(run, "second map");
  EXPECT_THAT(run.err, HasSubstr(file.path() + ":3:"));
}

TEST(BadInputTest, DivisionByZeroIsRefusedWhereItStands) {
  ExpectRefused(RunAffirm({"simplify", "-"}, "(d0) -> (d0 floordiv 0), domain: d0 in [0, 9]\n"),
                "/0");
  ExpectRefused(RunAffirm({"simplify", "-"}, "(d0) -> (d0 mod 0), domain: d0 in [0, 9]\n"),
                "mod 0");
}

// Also where opcodes need not be known, and by --utilization and `explore`.
TEST(BadInputTest, ArgumentsHaveTheShapesOfParameters) {
  const TemporaryFile file("bad.hlo", kOtherArgument);
  ExpectRefused(RunAffirm({"indexing", "--all", file.path()}), "--all");
  ExpectRefused(RunAffirm({"indexing", "--utilization", file.path()}), "--utilization");
  ExpectRefused(RunAffirm({"explore", file.path(), "-o", file.path() + ".html"}), "explore");
}

// No format says that a run passed of which some input could not be read, and no baseline does.
TEST(BadInputTest, IsInEveryReport) {
  const std::string right = Entry("  p = f32[2] parameter(0)\n  ROOT r = f32[2] negate(p)");
  const TemporaryFolder folder(
      {{"right.hlo", right}, {"bad.hlo", Entry("  ROOT r = f32[2] negate(q)")}});
  const std::string at = folder.path() + "/", known = at + "known.json";
  auto expect = [&](std::vector<std::string> arguments, const std::string& input) {
    arguments.insert(arguments.end(), {"--report", at + "r.xml", "--report", at + "r.sarif",
                                       "--report", at + "r.json", "--write-baseline", known});
    EXPECT_EQ(RunAffirm(arguments, input).status, 3);
    EXPECT_THAT(ReadFile(at + "r.xml"), HasSubstr("errors=\"1\""));
    EXPECT_THAT(ReadFile(at + "r.sarif"), HasSubstr("\"executionSuccessful\": false"));
    EXPECT_THAT(ReadFile(at + "r.sarif"), HasSubstr("\"exitCode\": 3"));
    EXPECT_EQ(RunAffirm({"merge", at + "r.json", "--format", "markdown"}).status, 3);
    arguments = {arguments.begin(), arguments.end() - 8};
    arguments.insert(arguments.end(), {"--baseline", known, "--report", at + "r.xml"});
    EXPECT_EQ(RunAffirm(arguments, input).status, 3);
    EXPECT_THAT(ReadFile(at + "r.xml"), HasSubstr("errors=\"1\""));
  };
  expect({"check", at + "right.hlo", at + "bad.hlo"}, "");
  expect({"check", at + "bad.hlo"}, "");
  expect({"check", at + "nothing.hlo", at + "right.hlo", "--jobs", "2"}, "");
  const std::string map = "(d0) -> (d0), domain: d0 in [0, 3]";
  expect({"equiv", "--jsonl"}, R"({"id": 1, "lhs": ")" + map + R"(", "rhs": ")" + map +
                                   "\"}\n{\"id\": 2, \"lhs\": \"junk\", \"rhs\": \"x\"}\n");
  expect({"equiv", "--mlir", at + "right.hlo", at + "right.hlo"}, "");
}

// Each verb with reports that reads something else than what it expects. Reports of a run before
// say that all passed.
TEST(BadInputTest, EndsEveryVerbWithAReport) {
  const TemporaryFolder folder(
      {{"right.hlo", Entry("  p = f32[2] parameter(0)\n  ROOT r = f32[2] negate(p)")},
       {"bad.hlo", Entry("  ROOT r = f32[2] negate(q)")},
       {"bad.rules", "rule x\n"},
       {"comments.rules", "// rule a: x  =>  x\n"},
       {"right.rules", "rule one: (x * 2) floordiv 2  =>  x\n  why  a test\n"}});
  const std::string at = folder.path() + "/", right = at + "right.hlo", bad = at + "bad.hlo",
                    junk = "(d0) -> (d0";
  const std::vector<std::string> runs[] = {
      {"equiv", "--hlo", right, bad},
      {"equiv", "--hlo", right, at + "nothing.hlo"},
      {"equiv", "--map-a", junk, "--map-b", "(d0) -> (d0)"},
      {"equiv", right},
      {"audit", at + "right.rules", at + "bad.rules"},
      {"audit", at + "nothing.rules"},
      {"audit", at + "comments.rules"},
      {"audit", at + "right.rules", at + "comments.rules"},
      {"audit", at + "right.rules", "--memory-limit", "1K"},
      {"equiv", "--map-a", "(d0) -> (d0)", "--map-b", "(d0) -> (d0)", "--memory-limit", "none"},
      {"fuzz", "maps", "--runs", "1", "--memory-limit", "1K"},
      {"xla", at + "nothing"},
      {"xla", folder.path(), "--shard", "2/2"},
      {"validate", "--kernel", at + "nothing.ll", "--hlo", right},
      {"bijection", junk, "--shape", "4"},
      {"width", junk},
      {"width", "--kernels", bad},
      {"merge", bad},
      {"merge", at + "nothing.json"},
      {"fuzz", "mutants", "--modules", bad, "--runs", "1"},
      {"check", right, "--certificates", "/dev/null/x"},
      {"check", right, "--baseline", at + "nothing.json"}};
  for (std::vector<std::string> run : runs) {
    const std::string all = llvm::join(run, " ");
    const std::vector<std::string> reports = {"--report",     at + "r.xml", "--report",
                                              at + "r.sarif", "--report",   at + "r.json"};
    std::vector<std::string> passes = {"check", right, "--accept", "executed"};
    passes.insert(passes.end(), reports.begin(), reports.end());
    EXPECT_EQ(RunAffirm(passes).status, 0);
    EXPECT_THAT(ReadFile(at + "r.xml"), HasSubstr("errors=\"0\""));
    run.insert(run.end(), reports.begin(), reports.end());
    EXPECT_EQ(RunAffirm(run).status, 3) << all;
    EXPECT_THAT(ReadFile(at + "r.xml"), HasSubstr("errors=\"1\"")) << all;
    EXPECT_THAT(ReadFile(at + "r.sarif"), HasSubstr("\"executionSuccessful\": false")) << all;
    EXPECT_EQ(RunAffirm({"merge", at + "r.json", "--format", "markdown"}).status, 3) << all;
    run = {run.begin(), run.end() - static_cast<int64_t>(reports.size())};
    run.push_back("--json");
    const RunResult json = RunAffirm(run);
    EXPECT_EQ(json.status, 3) << all;
    auto document = llvm::json::parse(json.out);
    ASSERT_TRUE(static_cast<bool>(document)) << all << json.out;
    const llvm::json::Array* written = document->getAsObject()->getArray("reports");
    ASSERT_NE(written, nullptr) << all;
    EXPECT_EQ((*written)[0].getAsObject()->getInteger("status"), 3) << all;
    EXPECT_EQ((*written)[0].getAsObject()->getString("verb"), run[0]) << all;
  }
}

// A file without a rule proves nothing, whatever stands beside it.
TEST(BadInputTest, RuleFilesHoldRules) {
  const TemporaryFolder folder(
      {{"comments.rules", "// a licence\n\n  // rule a: x  =>  x\n"},
       {"maps.rules", "rule one: (x * 2) floordiv 2  =>  x\n  why  a test\n"},
       {"values.rules", "rule a: -(-x)  =>  x\n  with x : f16\n  class exact\n  why a test\n"},
       {"x.map", "(d0) -> (d0), domain: d0 in [0, 3]\n"}});
  const std::string at = folder.path() + "/", comments = at + "comments.rules";
  const std::vector<std::string> runs[] = {{"audit", comments},
                                           {"audit", at + "maps.rules", comments},
                                           {"audit", comments, at + "values.rules"},
                                           {"audit", "--builtin", comments},
                                           {"audit", "--values", comments},
                                           {"audit", "--coq", comments},
                                           {"audit", "--shard", "1/2", comments},
                                           {"simplify", "--rules", comments, at + "x.map"}};
  for (const std::vector<std::string>& run : runs) {
    const RunResult result = RunAffirm(run);
    ExpectRefused(result, llvm::join(run, " "));
    EXPECT_THAT(result.err, HasSubstr(comments + ":1:1: error: holds no rule, expected a rule"));
  }
}

// Answers are a line each, and known findings stay what they are.
TEST(BadInputTest, AnswersAndBaselinesHaveNoReportOfBadInput) {
  const RunResult lines = RunAffirm({"equiv", "--jsonl", "--json"}, "junk\n");
  EXPECT_EQ(lines.status, 3);
  EXPECT_EQ(std::count(lines.out.begin(), lines.out.end(), '\n'), 1) << lines.out;
  EXPECT_THAT(lines.out, Not(HasSubstr("reports")));
  // A stream without a question answers none.
  for (const char* nothing : {"", "\n \n"}) {
    EXPECT_EQ(RunAffirm({"equiv", "--jsonl"}, nothing).out,
              "{\"id\":null,\"error\":\"<stdin>:1:1: error: holds no question, expected lines {id, "
              "lhs, rhs}\"}\n");
    EXPECT_EQ(RunAffirm({"equiv", "--jsonl", "--shard", "1/2"}, nothing).status, 3);
    const RunResult junit = RunAffirm({"equiv", "--jsonl", "--format", "junit"}, nothing);
    EXPECT_EQ(junit.status, 3);
    EXPECT_THAT(junit.out, HasSubstr("errors=\"1\""));
  }
  const TemporaryFile baseline("known.json", "{}");
  const std::string& known = baseline.path();
  EXPECT_EQ(RunAffirm({"bijection", "junk", "--shape", "4", "--write-baseline", known}).status, 3);
  EXPECT_EQ(ReadFile(known), "{}");
}

TEST(BadInputTest, UsageErrors) {
  EXPECT_EQ(RunAffirm({"frobnicate"}).status, 3);
  EXPECT_EQ(RunAffirm({"indexing"}).status, 3);
  EXPECT_EQ(RunAffirm({"indexing", "-", "--direction", "sideways"}).status, 3);
  EXPECT_EQ(RunAffirm({"bijection", "(d0) -> (d0), domain: d0 in [0, 3]", "--shape", "x"}).status,
            3);
  EXPECT_EQ(RunAffirm({"equiv", "--map-a", "() -> ()"}).status, 3);
  ExpectRefused(RunAffirm({"indexing", "corpus/hlo/softmax.hlo", "--instr", "nobody"}), "--instr");
  ExpectRefused(RunAffirm({"indexing", "corpus/hlo/softmax.hlo", "--id", "5"}), "--id");
}

// HLO has no order of complex numbers that its producers and compilers agree on.
TEST(BadInputTest, ExtremaOfComplexNumbersSayWhyTheyHaveNoValue) {
  for (const std::string op : {"maximum(p, q)", "minimum(p, q)", "clamp(p, q, p)"}) {
    const RunResult run = RunAffirm(
        {"run", "-"},
        "ENTRY e {\n  p = c64[2] parameter(0)\n  q = c64[2] parameter(1)\n  ROOT r = c64[2] " + op +
            "\n}\n");
    EXPECT_EQ(run.status, 3) << op;
    EXPECT_THAT(run.err, HasSubstr("has no meaning on c64: StableHLO orders complex numbers by the "
                                   "real and then the imaginary part, XLA:CPU by the real part"))
        << op;
  }
}

TEST(BadInputTest, ProtosInTextFormatAreNamed) {
  for (const char* text : {"hlo_module {\n  name: \"jit_f\"\n}\n", "name: \"jit_f\"\nid: 3\n"}) {
    const RunResult run = RunAffirm({"check", "-"}, text);
    EXPECT_EQ(run.status, 3);
    EXPECT_THAT(run.err, HasSubstr("<stdin>:1:1: error: is a proto in text format, expected the "
                                   "binary proto, or HLO text"));
  }
}

TEST(BadInputTest, HelpIsNoError) {
  EXPECT_EQ(RunAffirm({"--help"}).status, 0);
  for (std::string verb :
       {"check", "indexing", "simplify", "equiv", "audit", "bijection", "emit", "run", "rules"}) {
    RunResult run = RunAffirm({verb, "--help"});
    EXPECT_EQ(run.status, 0) << verb;
    EXPECT_THAT(run.out, HasSubstr("Example:")) << verb;
    EXPECT_THAT(run.out, HasSubstr("affirm " + verb)) << verb;
    EXPECT_THAT(run.out, HasSubstr("--json")) << verb;
  }
}

}  // namespace
}  // namespace affirm::testing
