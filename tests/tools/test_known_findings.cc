// A baseline knows findings of the claim that was asked about, and not those of a claim that other
// options make of the same files.
#include <gtest/gtest.h>

#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using Arguments = std::vector<std::string>;

Arguments With(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// Both have findings; a baseline of `asked` knows those of `asked` alone.
void ExpectKnownAlone(const Arguments& asked, const Arguments& other, const std::string& input = "",
                      const std::string& other_input = "") {
  const TemporaryFolder folder;
  const std::string known = folder.path() + "/known.json";
  const int status = RunAffirm(With(asked, {"--write-baseline", known}), input).status;
  ASSERT_TRUE(status == 1 || status == 2) << status;
  const RunResult again = RunAffirm(With(asked, {"--baseline", known}), input);
  EXPECT_EQ(again.status, 0) << again.out << again.err;
  const int bare = RunAffirm(other, other_input).status;
  ASSERT_TRUE(bare == 1 || bare == 2) << bare;
  const RunResult next = RunAffirm(With(other, {"--baseline", known}), other_input);
  EXPECT_EQ(next.status, bare) << next.out << next.err;
}

TEST(KnownFindings, OfAShape) {
  const std::string map = "(d0) -> (d0), domain: d0 in [0, 7]";
  ExpectKnownAlone({"bijection", map, "--shape", "9"}, {"bijection", map, "--shape", "10"});
  ExpectKnownAlone({"bijection", map, "--shape", "9"}, {"bijection", map, "--shape", "7"});
}

std::string Unary(const std::string& op) {
  return "HloModule m\nENTRY e { p = f32[4] parameter(0) ROOT n = f32[4] " + op + "(p) }\n";
}

TEST(KnownFindings, OfAPairOfModules) {
  const TemporaryFile a("a.hlo", Unary("negate")), b("b.hlo", Unary("abs")),
      c("c.hlo", Unary("cosine"));
  const Arguments against_a = {"equiv", "--hlo", a.path(), c.path()};
  ExpectKnownAlone(against_a, {"equiv", "--hlo", b.path(), c.path()});
  ExpectKnownAlone(against_a, With(against_a, {"--ulp", "4"}));
  ExpectKnownAlone(against_a, With(against_a, {"--rounding"}));
  ExpectKnownAlone(against_a, With(against_a, {"--allow", "add.reassociate"}));
}

TEST(KnownFindings, OfAPairOfMapsOfAStream) {
  const std::string a = "(d0) -> (d0), domain: d0 in [0, 7]",
                    b = "(d0) -> (d0 + 1), domain: d0 in [0, 7]",
                    c = "(d0) -> (d0 + 2), domain: d0 in [0, 7]";
  auto line = [](const std::string& lhs, const std::string& rhs) {
    return R"({"id": 1, "lhs": ")" + lhs + R"(", "rhs": ")" + rhs + "\"}\n";
  };
  ExpectKnownAlone({"equiv", "--jsonl"}, {"equiv", "--jsonl"}, line(a, b), line(a, c));
}

// Pairs of files are told apart by what they say, wherever it stands.
TEST(KnownFindings, OfMapsInMlir) {
  auto text = [](const std::string& factor) {
    return "func.func @f() attributes {m = affine_map<(d0) -> (d0 * " + factor + ")>} { return }\n";
  };
  const TemporaryFolder folder({{"a.mlir", text("2")}, {"b.mlir", text("3")}});
  const std::string a = folder.path() + "/a.mlir", b = folder.path() + "/b.mlir",
                    known = folder.path() + "/known.json";
  auto status = [&] { return RunAffirm({"equiv", "--mlir", a, b, "--baseline", known}).status; };
  EXPECT_EQ(RunAffirm({"equiv", "--mlir", a, b, "--write-baseline", known}).status, 1);
  EXPECT_EQ(status(), 0);
  folder.Add("b.mlir", "// a line\n" + text("3"));
  EXPECT_EQ(status(), 0);
  folder.Add("b.mlir", text("5"));
  EXPECT_EQ(status(), 1);
  // And lines of --jsonl that have no names.
  const std::string line =
      "{\"lhs\": \"(d0) -> (d0), domain: d0 in [0, 3]\", "
      "\"rhs\": \"(d0) -> (d0 + 1), domain: d0 in [0, 3]\"}\n";
  const Arguments stream = {"equiv", "--jsonl"};
  EXPECT_EQ(RunAffirm(With(stream, {"--write-baseline", known}), line).status, 1);
  EXPECT_EQ(RunAffirm(With(stream, {"--baseline", known}), "\n" + line).status, 0);
}

// A file that is written again holds another map.
TEST(KnownFindings, OfMapsInFiles) {
  const std::string a = "(d0) -> (d0 * 3000000000), domain: d0 in [0, 3]",
                    spaced = "// a line\n(d0) ->\n  (d0 * 3000000000),\n  domain: d0 in [0, 3]",
                    b = "(d0) -> (d0 * 4000000000 + 5), domain: d0 in [0, 3]";
  const TemporaryFolder folder;
  const std::string map = folder.path() + "/x.map", known = folder.path() + "/known.json";
  const Arguments runs[] = {{"equiv", "(d0) -> (d0), domain: d0 in [0, 3]"},
                            {"equiv", "--map-b", "(d0) -> (d0), domain: d0 in [0, 3]"},
                            {"bijection", "--shape", "4"},
                            {"width", "--width", "32"},
                            {"width", "--unsigned", "--width", "16"}};
  for (const Arguments& run : runs) {
    // By its name, and from standard input, which has one name.
    for (const std::string& name : {map, std::string("-")}) {
      auto status = [&](const char* option, const std::string& text) {
        folder.Add("x.map", text + "\n");
        return RunAffirm(With(With(run, {name}), {option, known}), text).status;
      };
      EXPECT_EQ(status("--write-baseline", a), 1) << run[0] << name;
      EXPECT_EQ(status("--baseline", a), 0) << run[0] << name;
      EXPECT_EQ(status("--baseline", spaced), 0) << run[0] << name;
      EXPECT_EQ(status("--baseline", b), 1) << run[0] << name;
    }
  }
}

// Standard input is gone: the command that shows a finding again has the map that was read.
TEST(Replays, HaveTheMapOfStandardInput) {
  const std::string map = "(d0) -> (d0 * 3000000000), domain: d0 in [0, 3]",
                    other = "(d0) -> (d0), domain: d0 in [0, 3]";
  auto replay = [&](const Arguments& run) {
    const std::string out = RunAffirm(With(run, {"--format", "markdown"}), map + "\n").out;
    const size_t at = out.find("\naffirm ");
    return at == std::string::npos ? out : out.substr(at + 1, out.find('\n', at + 1) - at - 1);
  };
  EXPECT_EQ(replay({"equiv", "-", other}),
            "affirm equiv --relation equal --map-a '" + map + "' --map-b '" + other + "'");
  EXPECT_EQ(replay({"equiv", "--map-a", other, "-"}),
            "affirm equiv --relation equal --map-a '" + other + "' --map-b '" + map + "'");
  EXPECT_EQ(replay({"bijection", "-", "--shape", "4"}), "affirm bijection '" + map + "' --shape 4");
  EXPECT_EQ(replay({"width", "-", "--width", "32"}), "affirm width --width 32 '" + map + "'");
}

TEST(KnownFindings, OfAKernelAndItsLaunch) {
  auto emit = [](const std::string& module, const Arguments& options) {
    return RunAffirm(With({"emit", "-"}, options), module).out;
  };
  const TemporaryFile module("m.hlo", Unary("negate"));
  const TemporaryFile abs("abs.ll", emit(Unary("abs"), {"--stage", "llvm"})),
      also("also.ll", emit(Unary("abs"), {"--stage", "llvm"})),
      negate("negate.ll", emit(Unary("negate"), {"--stage", "llvm"})),
      launch("k.json", emit(Unary("abs"), {"--launch"})),
      other("l.json", emit(Unary("abs"), {"--launch"}));
  auto of = [&](const TemporaryFile& kernel, const TemporaryFile& how) {
    return Arguments{"validate", "--kernel", kernel.path(), "--launch", how.path()};
  };
  const Arguments hlo = {"--hlo", module.path()}, against = {"--against", negate.path()};
  ExpectKnownAlone(With(of(abs, launch), hlo), With(of(also, launch), hlo));
  ExpectKnownAlone(With(of(abs, launch), hlo), With(of(abs, other), hlo));
  ExpectKnownAlone(With(of(abs, launch), against), With(of(abs, other), against));
  const TemporaryFile cosine("cosine.ll", emit(Unary("floor"), {"--stage", "llvm"}));
  ExpectKnownAlone(With(of(abs, launch), against),
                   With(of(abs, launch), {"--against", cosine.path()}));
}

// The command that shows a finding again has the options that it rests on.
TEST(Replays, HaveTheOptionsOfTheClaim) {
  const TemporaryFile meaning("mine.hlo", Unary("negate")),
      module("m.hlo",
             "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n"
             "  c = f32[4] custom-call(p), custom_call_target=\"mine\"\n"
             "  ROOT d = f32[4] custom-call(c), custom_call_target=\"other\"\n}\n");
  const std::string option = " --meaning mine=" + meaning.path();
  const RunResult check =
      RunAffirm({"check", module.path(), "--meaning", "mine=" + meaning.path()});
  EXPECT_EQ(check.status, 2) << check.err;
  EXPECT_NE(check.out.find("affirm check " + module.path() + " --seed 0" + option),
            std::string::npos)
      << check.out;
  const RunResult fuzz = RunAffirm({"fuzz", "hlo", "--runs", "1", "--ops", "add,negate", "--types",
                                    "s32", "--max-elements", "9", "--plain", "--json"});
  EXPECT_EQ(fuzz.status, 0) << fuzz.err;
  EXPECT_NE(fuzz.out.find(" --ops add,negate --types s32 --max-elements 9 --plain"),
            std::string::npos)
      << fuzz.out;
}

// A rule about values has a finding for each choice of types, and none is known by its number.
TEST(KnownFindings, OfTheTypesOfARule) {
  const TemporaryFile rules(
      "r.rules",
      "rule wrong.sum: x + y  =>  x - y\n"
      "  with  x, y : T for T in {f16, bf16}\n  class exact\n  why   a test\n");
  const RunResult run = RunAffirm({"audit", rules.path(), "--json"});
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_NE(run.out.find("\"fingerprint\""), std::string::npos);
  EXPECT_EQ(run.out.find("-2\","), std::string::npos) << run.out;
}

}  // namespace
}  // namespace affirm::testing
