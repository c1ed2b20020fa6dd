// The command line as other programs use it: JSON shapes, streams, exit statuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;
namespace json = llvm::json;

json::Value Parse(const std::string& text) {
  auto value = json::parse(text);
  EXPECT_TRUE(!!value) << text;
  return value ? std::move(*value) : (llvm::consumeError(value.takeError()), json::Value(nullptr));
}

std::vector<json::Value> ParseLines(const std::string& text) {
  std::vector<json::Value> values;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', -1, false);
  for (llvm::StringRef line : lines) values.push_back(Parse(line.str()));
  return values;
}

std::string Line(const std::string& id, const std::string& lhs, const std::string& rhs) {
  return "{\"id\": \"" + id + "\", \"lhs\": \"" + lhs + "\", \"rhs\": \"" + rhs + "\"}\n";
}

constexpr char kMod[] = "(d0) -> (d0 mod 4), domain: d0 in [0, 7]";
constexpr char kSame[] = "(d0) -> (d0 - (d0 floordiv 4) * 4), domain: d0 in [0, 7]";
constexpr char kPlain[] = "(d0) -> (d0), domain: d0 in [0, 7]";

TEST(EquivTest, AnswersLinesInOrder) {
  std::string input =
      Line("a", kMod, kSame) + Line("b", kMod, kPlain) + "\n" + Line("c", kMod, kMod);
  RunResult run = RunAffirm({"equiv", "--jsonl"}, input);
  EXPECT_EQ(run.status, 1);
  auto lines = ParseLines(run.out);
  ASSERT_EQ(lines.size(), 3u);
  const json::Object& a = *lines[0].getAsObject();
  const json::Object& b = *lines[1].getAsObject();
  EXPECT_EQ(a.getString("id"), "a");
  EXPECT_EQ(a.getString("verdict"), "equal");
  EXPECT_TRUE(a.getString("engine") && a.getNumber("ms"));
  EXPECT_EQ(b.getString("verdict"), "different");
  const json::Object* counterexample = b.getObject("counterexample");
  ASSERT_TRUE(counterexample);
  ASSERT_EQ(counterexample->getArray("dims")->size(), 1u);
  int64_t d0 = *(*counterexample->getArray("dims"))[0].getAsInteger();
  EXPECT_GE(d0, 4);
  EXPECT_EQ(*counterexample->getArray("lhs"), json::Array({json::Array({d0 % 4})}));
  EXPECT_EQ(*counterexample->getArray("rhs"), json::Array({json::Array({d0})}));
  EXPECT_EQ(lines[2].getAsObject()->getString("id"), "c");
}

TEST(EquivTest, ABadLineDoesNotEndTheRun) {
  std::string input = "not json\n" + Line("a", "(d0) -> (", kMod) + "{\"id\": 3}\n" +
                      std::string(100000, '[') + "\n[1]\n" + Line("b", kMod, kSame);
  RunResult run = RunAffirm({"equiv", "--jsonl"}, input);
  EXPECT_EQ(run.status, 3);
  auto lines = ParseLines(run.out);
  ASSERT_EQ(lines.size(), 6u);
  for (int i = 0; i < 5; ++i) {
    auto error = lines[i].getAsObject()->getString("error");
    ASSERT_TRUE(error) << i;
    EXPECT_THAT(error->str(),
                ::testing::ContainsRegex("<stdin>:" + std::to_string(i + 1) + ":.*error: "));
  }
  EXPECT_EQ(lines[1].getAsObject()->getString("id"), "a");
  EXPECT_EQ(lines[2].getAsObject()->getInteger("id"), 3);
  EXPECT_EQ(lines[5].getAsObject()->getString("verdict"), "equal");
}

TEST(EquivTest, RelationsFilesAndTexts) {
  TemporaryFile a("a.map", "(d0)[s0] ->\n (d0 + s0),\n domain: d0 in [0, 3], s0 in [0, 1]\n");
  TemporaryFile b("b.map", "(d0) -> (d0), domain: d0 in [0, 3]\n");
  EXPECT_EQ(RunAffirm({"equiv", a.path(), b.path()}).status, 1);
  EXPECT_EQ(RunAffirm({"equiv", a.path(), b.path(), "--relation", "covers"}).status, 0);
  EXPECT_EQ(RunAffirm({"equiv", b.path(), a.path(), "--relation", "covers"}).status, 1);
  EXPECT_EQ(RunAffirm({"equiv", "--map-a", kMod, "--map-b", kSame}).status, 0);
  RunResult run =
      RunAffirm({"equiv", a.path(), "-", "--json"}, "(d0) -> (d0), domain: d0 in [0, 3]");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(Parse(run.out).getAsObject()->getString("verdict"), "different");
}

TEST(SimplifyTest, MapsInMapsOut) {
  std::string input =
      "// the examples of the seed's section on the simplifier\n\n"
      "(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16),\n domain:\n d0 in [0, 6],\n d1 in [0, "
      "14]\n\n\n"
      "(d0, d1) -> (-((d0 * -11 - d1 + 109) floordiv 11) + 9), domain: d0 in [0, 9], d1 in [0, "
      "10]\n";
  RunResult run = RunAffirm({"simplify", "-"}, input);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 14]\n\n"
            "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 10]\n");
  RunResult traced = RunAffirm({"simplify", "-", "--trace"}, input);
  EXPECT_THAT(traced.out, HasSubstr("// floordiv"));
  RunResult again = RunAffirm({"simplify", "-"}, traced.out);
  EXPECT_EQ(again.out, run.out);
  auto lines = ParseLines(RunAffirm({"simplify", "-", "--trace", "--json"}, input).out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(static_cast<int64_t>(lines[0].getAsObject()->getArray("trace")->size()),
            lines[0].getAsObject()->getInteger("steps"));
}

TEST(SimplifyTest, RulesOfAFile) {
  TemporaryFile rules("one.rules", "rule one: x floordiv 1 => x\n  why it is so\n");
  RunResult run = RunAffirm({"simplify", "-", "--rules", rules.path()},
                            "(d0) -> (d0 floordiv 16), domain: d0 in [0, 6]\n");
  EXPECT_EQ(run.out, "(d0) -> (d0 floordiv 16), domain: d0 in [0, 6]\n") << run.err;
}

// Terms that grow under a rule that lowers no order: the rule is named, whatever the machine has.
TEST(SimplifyTest, RulesThatDoNotEndAreErrors) {
  const char* growing[] = {
      "rule grow: x mod m => (2 * x - x mod (m * 2)) mod m + 0 * x\n  when m > 1\n  why  wrong\n",
      "rule grow: x floordiv m => (x * x + x) floordiv m\n  when m > 1\n  why  wrong\n",
      "rule grow: min(x, y) => min(x + min(x, y), y + max(x, y))\n  why  wrong\n",
      "rule grow: x mod m => (x + 1) mod m\n  when m > 1\n  why  wrong\n"};
  for (const char* text : growing) {
    TemporaryFile rules("grow.rules", text);
    RunResult run = RunAffirm({"simplify", "-", "--rules", rules.path()},
                              "(d0) -> (d0 mod 5, d0 floordiv 7, min(d0 * d0, 3)), "
                              "domain: d0 in [0, 100]\n");
    EXPECT_EQ(run.status, 3) << text << run.out;
    EXPECT_THAT(run.err, HasSubstr("simplification does not end"));
    if (std::string(text).find("(x + 1)") == std::string::npos) {
      EXPECT_THAT(run.err, HasSubstr("the rule 'grow' does not lower the reduction order"));
    }
  }
}

TEST(BijectionTest, Verdicts) {
  constexpr char kTiles[] = "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]";
  EXPECT_EQ(RunAffirm({"bijection", kTiles, "--shape", "4,8"}).status, 0);
  EXPECT_EQ(RunAffirm({"bijection", kTiles, "--shape", "5,8"}).status, 1);
  RunResult run = RunAffirm({"bijection", kMod, "--shape", "4", "--json"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(Parse(run.out).getAsObject()->getString("verdict"), "refuted");
}

TEST(IndexingTest, JsonHasTheShapeOfTheContract) {
  RunResult run = RunAffirm({"indexing", "corpus/hlo/p0_plus_transpose.hlo", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  json::Value value = Parse(run.out);
  const json::Object& document = *value.getAsObject();
  EXPECT_EQ(document.getString("instruction"), "fusion");
  EXPECT_EQ(document.getString("direction"), "output-to-input");
  EXPECT_EQ(document.getInteger("id"), 0);
  const json::Object& operand = *(*document.getArray("operands"))[0].getAsObject();
  EXPECT_EQ(operand.getInteger("id"), 0);
  ASSERT_EQ(operand.getArray("maps")->size(), 2u);
  const json::Object& map = *(*operand.getArray("maps"))[0].getAsObject();
  EXPECT_EQ(map.getString("map"), "(d0, d1) -> (d0, d1), domain: d0 in [0, 999], d1 in [0, 999]");
  EXPECT_EQ(map.getString("exactness"), "exact");
  EXPECT_TRUE(map.getArray("runtime_variables")->empty());
}

TEST(IndexingTest, SummaryCountsEveryInstruction) {
  RunResult run =
      RunAffirm({"indexing", "corpus/hlo/elementwise.hlo", "--all", "--summary", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Parse(run.out), json::Value(json::Object{{"instructions", 3},
                                                     {"maps", 2},
                                                     {"exact", 2},
                                                     {"over_approximate", 0},
                                                     {"unknown", json::Object{}}}));
}

TEST(IndexingTest, RuntimeVariablesNameTheirProducer) {
  constexpr char kDynamicSlice[] = R"(HloModule m
ENTRY e {
  src = s32[2,2,258] parameter(0)
  of1 = s32[] parameter(1)
  of2 = s32[] parameter(2)
  of3 = s32[] parameter(3)
  ROOT ds = s32[1,2,32] dynamic-slice(src, of1, of2, of3), dynamic_slice_sizes={1,2,32}
}
)";
  RunResult run = RunAffirm({"indexing", "-", "--json"}, kDynamicSlice);
  ASSERT_EQ(run.status, 0) << run.err;
  json::Value value = Parse(run.out);
  const json::Object& operand = *(*value.getAsObject()->getArray("operands"))[0].getAsObject();
  const json::Object& map = *(*operand.getArray("maps"))[0].getAsObject();
  const json::Array& variables = *map.getArray("runtime_variables");
  ASSERT_FALSE(variables.empty());
  EXPECT_EQ(variables[0].getAsObject()->getString("name"), "rt0");
  EXPECT_EQ(variables[0].getAsObject()->getString("producer"), "of1");
  EXPECT_TRUE(variables[0].getAsObject()->getString("map"));
}

TEST(RunTest, HostAgreesWithTheReference) {
  TemporaryFile x("x.txt", "{1, -7, -2147483648}"), y("y.txt", "{0, 2, -1}");
  std::vector<std::string> arguments = {"run",      "corpus/hlo/integer_division.hlo",
                                        "--input",  x.path(),
                                        "--input",  y.path(),
                                        "--target", "reference"};
  RunResult reference = RunAffirm(arguments);
  arguments.back() = "host";
  RunResult host = RunAffirm(arguments);
  EXPECT_EQ(reference.status, 0) << reference.err;
  EXPECT_EQ(host.status, 0) << host.err;
  EXPECT_EQ(reference.out, host.out);
}

TEST(RunTest, InputsMustFit) {
  TemporaryFile wrong("x.txt", "{1, 2}");
  RunResult run = RunAffirm({"run", "corpus/hlo/integer_division.hlo", "--input", wrong.path()});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr(wrong.path() + ":1:"));
}

// A result that another program gave, against the enclosures of the module's.
TEST(RunTest, ComparesAResultWithEnclosures) {
  TemporaryFile module(
      "m.hlo",
      "HloModule m\nENTRY e { x = f32[2] parameter(0) t = f32[2] tanh(x) c = f32[] "
      "constant(0.76159418) b = f32[2] broadcast(c), dimensions={} "
      "ROOT r = f32[2] subtract(t, b) }"),
      x("x.txt", "{0.5, 1}");
  auto compare = [&](const std::string& result, std::vector<std::string> more = {}) {
    TemporaryFile file("r.txt", result);
    std::vector<std::string> arguments = {"run",    module.path(), "--input",
                                          x.path(), "--compare",   file.path()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunAffirm(arguments);
  };
  const RunResult wide = compare("{-0.299477, 5.9604645e-08}");
  EXPECT_EQ(wide.status, 2);
  EXPECT_THAT(wide.out, HasSubstr("element 1 was not tested"));
  const RunResult wrong = compare("{-0.2995, 0}", {"--json"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.out, HasSubstr("\"verdict\":\"refuted\""));
  EXPECT_THAT(wrong.out, HasSubstr("it lies in ["));
  const RunResult near = compare("{-0.299477, 0}");
  EXPECT_EQ(near.status, 2);
  EXPECT_THAT(near.out, HasSubstr("verdict: executed (2 elements, 0 wrong"));
  EXPECT_EQ(compare("{-0.299477, 0}", {"--accept", "executed"}).status, 0);
  EXPECT_EQ(compare("{1}").status, 3);
  EXPECT_EQ(RunAffirm({"run", module.path(), "--accept", "executed"}).status, 3);
}

TEST(RunTest, TimesAreOfADevice) {
  std::vector<std::string> arguments = {"run", "corpus/hlo/iota.hlo", "--target", "host", "--time"};
  RunResult run = RunAffirm(arguments);
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("--time is of --target cuda alone"));
  arguments[3] = "cuda";
  run = RunAffirm(arguments);
  if (run.status == 0) {
    EXPECT_THAT(run.out, HasSubstr(" ms, fastest "));
  } else {
    EXPECT_EQ(run.status, 3);
    EXPECT_THAT(run.err, HasSubstr("CUDA"));
  }
}

TEST(AuditTest, BuiltinRulesAreProved) {
  RunResult run = RunAffirm({"audit", "--builtin"});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

TEST(AuditTest, AWrongRuleIsRefutedWithAnInstance) {
  TemporaryFile rules("wrong.rules",
                      "rule wrong: (x + y) floordiv c => x floordiv c + y floordiv c\n"
                      "  when c > 0\n  why it is not so\n");
  RunResult run = RunAffirm({"audit", rules.path()});
  EXPECT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("wrong"));
  EXPECT_THAT(run.out, ::testing::ContainsRegex("c = [0-9]+"));
}

TEST(DocsTest, TheRuleTableIsCurrent) {
  RunResult run = RunAffirm({"rules", "--markdown"});
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(run.out == ReadFile("docs/rules.md"))
      << "print it anew: build/tools/affirm rules --markdown > docs/rules.md";
}

TEST(DocsTest, TheTableOfValueRulesIsCurrent) {
  RunResult run = RunAffirm({"rules", "--values", "--markdown"});
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(run.out == ReadFile("docs/value-rules.md"))
      << "print it anew: build/tools/affirm rules --values --markdown > docs/value-rules.md";
}

// A rule about values is proved, or refuted with the bits, at each of its types.
TEST(AuditTest, RulesAboutValues) {
  TemporaryFile rules(
      "values.rules",
      "rule half: x / 2.0  =>  x * 0.5\n  with x : T for T in {f8e5m2, f16}\n  class exact\n"
      "  why the reciprocal is exact\n"
      "rule zero: x + 0.0  =>  x\n  with x : T for T in {f16, f32}\n  class exact\n"
      "  why not of -0.0\n"
      "rule free: (x + y) + z  =>  x + (y + z)\n  with x, y, z : f32\n  class licensed\n"
      "  why it rounds differently\n");
  RunResult run = RunAffirm({"audit", rules.path()});
  EXPECT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("3 rules: 1 proved, 1 refuted, 0 unknown, 1 that claim no "
                                 "equality; 1 with findings"));
  EXPECT_THAT(run.out, HasSubstr("'zero': T = f16: refuted: x = -0.0 (0x8000): left is 0.0 "
                                 "(0x0000), right is -0.0 (0x8000)"));
  run = RunAffirm({"audit", rules.path(), "--json", "--mutants"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("\"by\":"));
  EXPECT_THAT(run.out, HasSubstr("\"mutants\":"));
  run = RunAffirm({"audit", rules.path(), "--builtin"});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("expected one of both"));
  TemporaryFile wrong("wrong.rules",
                      "rule r: x + y  =>  x\n  with x : f32\n  class exact\n  why no\n");
  run = RunAffirm({"audit", wrong.path()});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr(":1:13: error: there is no variable 'y'"));
}

TEST(IndexingTest, Tiles) {
  constexpr char kReshape[] =
      "ENTRY e {\n p = f32[4,8] parameter(0)\n ROOT r = f32[32] reshape(p)\n}\n";
  RunResult run = RunAffirm({"indexing", "-", "--tile", "16"}, kReshape);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("p: f32[4,8]\n  offsets       (pid_0) -> (pid_0 * 2, 0), domain: "
                                 "pid_0 in [0, 1]\n  sizes         2, 8\n"));
  run = RunAffirm({"indexing", "-", "--tile", "12", "--json"}, kReshape);
  json::Value value = Parse(run.out);
  const json::Array& ops = *value.getAsObject()->getArray("instructions");
  ASSERT_EQ(ops.size(), 2u);
  const json::Object& tile = *(*ops[1].getAsObject()->getArray("tiles"))[0].getAsObject();
  EXPECT_EQ(tile.getString("exactness"), "over-approximate");
  EXPECT_TRUE(tile.getString("reason"));
  EXPECT_EQ(*tile.getArray("sizes"), json::Array({3, 8}));
  EXPECT_EQ(RunAffirm({"indexing", "-", "--tile", "4,4"}, kReshape).status, 3);
  EXPECT_EQ(RunAffirm({"indexing", "-", "--tile", "0"}, kReshape).status, 3);
  EXPECT_EQ(RunAffirm({"indexing", "-", "--tile", "four"}, kReshape).status, 3);
}

TEST(IndexingTest, TilesOfContractedDims) {
  constexpr char kDot[] =
      "ENTRY e {\n p = f32[4,10] parameter(0)\n q = f32[10,2] parameter(1)\n"
      " ROOT r = f32[4,2] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
  auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"indexing", "-", "--tile-contracted"});
    return RunAffirm(more, kDot);
  };
  RunResult ok = run({"4", "--tile", "2,2"});
  EXPECT_EQ(ok.status, 0) << ok.err;
  EXPECT_THAT(ok.out, HasSubstr("q: f32[10,2]\n  offsets       (pid_0, pid_1, step_0) -> "
                                "(step_0 * 4, 0)"));
  EXPECT_THAT(run({"4,4", "--tile", "2,2"}).err, HasSubstr("'r' has the contracted dims [10]"));
  EXPECT_EQ(run({"4", "--tile", "symbolic"}).status, 3);
  EXPECT_EQ(run({"4", "--tile", "2,2", "--direction", "input-to-output"}).status, 3);
  EXPECT_EQ(run({"0", "--tile", "2,2"}).status, 3);
  EXPECT_EQ(run({"x", "--tile", "2,2"}).status, 3);
  EXPECT_EQ(run({"4"}).status, 3);
}

// Whether each tile of a run is exact, as JSON says it.
bool AllExact(const std::vector<std::string>& options, const char* module) {
  std::vector<std::string> all = {"indexing", "-", "--json"};
  all.insert(all.end(), options.begin(), options.end());
  const RunResult run = RunAffirm(all, module);
  EXPECT_EQ(run.status, 0) << run.err;
  const json::Value value = Parse(run.out);
  bool exact = true;
  for (const json::Value& op : *value.getAsObject()->getArray("instructions")) {
    for (const json::Value& tile : *op.getAsObject()->getArray("tiles"))
      exact &= tile.getAsObject()->getString("exactness") == "exact";
  }
  return exact;
}

TEST(IndexingTest, ListedTilingsAreThoseWhoseTilesAreExact) {
  constexpr char kDot[] =
      "ENTRY e {\n a = f32[24] parameter(0)\n b = f32[8,2] parameter(1)\n"
      " c = f32[3,8] reshape(a)\n"
      " ROOT r = f32[3,2] dot(c, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
  const std::string both =
      RunAffirm({"indexing", "-", "--tile", "list", "--tile-contracted", "list"}, kDot).out;
  EXPECT_THAT(both, HasSubstr("exact: 24 of 48 tilings (all sizes)\n"));
  for (int i = 1; i <= 3; ++i) {
    for (int j = 1; j <= 2; ++j) {
      for (int k = 1; k <= 8; ++k) {
        const std::string tile = std::to_string(i) + "," + std::to_string(j),
                          contracted = std::to_string(k);
        const std::string line = "  --tile " + tile + " --tile-contracted " + contracted + "\n";
        EXPECT_EQ(both.find(line) != std::string::npos,
                  AllExact({"--tile", tile, "--tile-contracted", contracted}, kDot))
            << line;
      }
    }
  }
  // One of both may be given.
  EXPECT_EQ(RunAffirm({"indexing", "-", "--tile", "list", "--tile-contracted", "4"}, kDot).out,
            "exact: 2 of 6 tilings (all sizes)\n"
            "  --tile 1,1 --tile-contracted 4\n  --tile 1,2 --tile-contracted 4\n");
  EXPECT_EQ(RunAffirm({"indexing", "-", "--tile", "3,2", "--tile-contracted", "list"}, kDot).out,
            "exact: 2 of 8 tilings (all sizes)\n"
            "  --tile 3,2 --tile-contracted 1\n  --tile 3,2 --tile-contracted 8\n");
}

TEST(IndexingTest, ListedTilingsOfOperandsAndTheirLimit) {
  constexpr char kReshape[] =
      "ENTRY e {\n p = f32[4,6] parameter(0)\n ROOT r = f32[24] reshape(p)\n}\n";
  auto list = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"indexing", "-", "--tile", "list"});
    return RunAffirm(more, kReshape);
  };
  const std::string operand = list({"--direction", "input-to-output"}).out;
  for (int i = 1; i <= 4; ++i) {
    for (int j = 1; j <= 6; ++j) {
      const std::string tile = std::to_string(i) + "," + std::to_string(j);
      EXPECT_EQ(operand.find("  --tile " + tile + "\n") != std::string::npos,
                AllExact({"--tile", tile, "--direction", "input-to-output"}, kReshape))
          << tile;
    }
  }
  EXPECT_EQ(list({"--most-tilings", "2"}).out,
            "exact: 2 of 2 tilings (powers of two and whole dims; the first of 6, see "
            "--most-tilings)\n  --tile 1\n  --tile 2\n");
  const json::Value value = Parse(list({"--most-tilings", "9", "--json"}).out);
  EXPECT_EQ(value.getAsObject()->getString("sizes"), "divisors and powers of two");
  EXPECT_EQ(value.getAsObject()->getInteger("tried"), 9);
  const json::Array& tilings = *value.getAsObject()->getArray("tilings");
  ASSERT_EQ(tilings.size(), 6u);
  EXPECT_EQ(*tilings[5].getAsObject()->getArray("tile"), json::Array({24}));
  EXPECT_EQ(list({"--most-tilings", "0"}).status, 3);
  EXPECT_EQ(list({"--tile-contracted", "list"}).status, 3);
  EXPECT_EQ(
      RunAffirm({"indexing", "-", "--tile", "symbolic", "--tile-contracted", "list"}, kReshape)
          .status,
      3);
  EXPECT_EQ(RunAffirm({"indexing", "-", "--tile", "list"}, "ROOT r = f32[] parameter(0)\n").out,
            "exact: 1 of 1 tilings (all sizes)\n  --tile ''\n");
}

TEST(IndexingTest, TilesOfConsumersAndSymbolicTiles) {
  constexpr char kReshape[] =
      "ENTRY e {\n p = f32[4,8] parameter(0)\n ROOT r = f32[32] reshape(p)\n}\n";
  RunResult run =
      RunAffirm({"indexing", "-", "--tile", "2,8", "--direction", "input-to-output"}, kReshape);
  EXPECT_THAT(run.out, HasSubstr("r: f32[32]\n  offsets       (pid_0, pid_1) -> (pid_0 * 16), "
                                 "domain: pid_0 in [0, 1], pid_1 in [0, 0]\n"
                                 "  sizes         16\n  strides       1\n"))
      << run.err;
  run = RunAffirm({"indexing", "-", "--tile", "symbolic"}, kReshape);
  EXPECT_THAT(run.out, HasSubstr("p: f32[4,8]\n"
                                 "  domain        o0 in [0, 31], n0 in [1, 32], t0 in [1, 32], "
                                 "o0 - t0 + n0 * t0 in [0, 31]\n"
                                 "  offsets       o0 floordiv 8, o0 mod 8\n"
                                 "  sizes         1, n0\n"
                                 "  strides       1, t0\n"
                                 "  where         -t0 + n0 * t0 + o0 mod 8 in [0, 7]\n"
                                 "  offsets       o0 floordiv 8, o0 mod 8\n"
                                 "  sizes         n0, 1\n"
                                 "  strides       t0 floordiv 8, 1\n"
                                 "  where         t0 mod 8 in [0, 0]\n"
                                 "  offsets       o0 floordiv 8, 0\n"
                                 "  sizes         n0 floordiv 8, 8\n"));
  // The part of a tile that a padding leaves.
  run = RunAffirm({"indexing", "-", "--tile", "symbolic"},
                  "ENTRY e {\n p = f32[9] parameter(0)\n z = f32[] constant(0)\n"
                  " ROOT r = f32[27] pad(p, z), padding=1_1_2\n}\n");
  EXPECT_THAT(run.out,
              HasSubstr("p: f32[9]\n  domain        o0 in [1, 25], n0 in [1, 25], t0 in [1, 25], "
                        "o0 - t0 + n0 * t0 in [1, 25]\n"
                        "  offsets       (o0 + 1) floordiv 3\n"
                        "  sizes         "
                        "max(-((o0 + 1) floordiv 3) + (o0 + n0 - 2) floordiv 3 + 1, 0)\n"
                        "  strides       1\n  where         t0 in [1, 1]\n"));
  run = RunAffirm({"indexing", "-", "--tile", "symbolic", "--direction", "input-to-output"},
                  kReshape);
  EXPECT_THAT(run.out, HasSubstr("\n  offsets       o0 * 8 + o1\n"));
  run = RunAffirm({"indexing", "-", "--tile", "symbolic", "--json"}, kReshape);
  const json::Value value = Parse(run.out);
  EXPECT_EQ(value.getAsObject()->getString("tile"), "symbolic");
  const json::Object& op = *(*value.getAsObject()->getArray("instructions"))[1].getAsObject();
  const json::Object& tile = *(*op.getArray("tiles"))[0].getAsObject();
  EXPECT_EQ(*tile.getArray("domain"),
            json::Array({"o0 in [0, 31]", "n0 in [1, 32]", "t0 in [1, 32]",
                         "o0 - t0 + n0 * t0 in [0, 31]"}));
  run = RunAffirm({"indexing", "-", "--tile", "symbolic"},
                  "ENTRY e {\n p = f32[20] parameter(0)\n i = s32[] parameter(1)\n"
                  " ROOT r = f32[5] dynamic-slice(p, i), dynamic_slice_sizes={5}\n}\n");
  EXPECT_THAT(run.out, HasSubstr("p: f32[20]\n  domain        o0 in [0, 4], n0 in [1, 5], "
                                 "t0 in [1, 5], rt0 in [0, 15], o0 - t0 + n0 * t0 in [0, 4]\n"));
  // A parameter has no operand to cut into tiles.
  run = RunAffirm(
      {"indexing", "-", "--instr", "p", "--tile", "2,8", "--direction", "input-to-output"},
      kReshape);
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("has no array as operand 0"));
}

// Four floats are one access of a thread.
TEST(IndexingTest, CoalescingOfVectors) {
  constexpr char kAdd[] =
      "ENTRY e {\n p0 = f32[65536] parameter(0)\n p1 = f32[65536] parameter(1)\n"
      " ROOT r = f32[65536] add(p0, p1)\n}\n";
  RunResult run = RunAffirm({"indexing", "-", "--coalescing", "--json"}, kAdd);
  json::Value value = Parse(run.out);
  const json::Array& accesses = *value.getAsObject()->getArray("accesses");
  ASSERT_EQ(accesses.size(), 3u);
  for (const json::Value& access : accesses) {
    const json::Object& a = *access.getAsObject();
    EXPECT_EQ(a.getInteger("bytes"), 16);
    EXPECT_EQ(a.getInteger("accesses"), 512);
    EXPECT_EQ(a.getInteger("sectors"), 8192);
    EXPECT_EQ(a.getInteger("ideal_sectors"), 8192);
    EXPECT_EQ(a.getBoolean("contiguous"), true);
  }
  // Threads of a transpose share what they read, in shared memory without bank conflicts.
  run = RunAffirm({"indexing", "corpus/hlo/transpose.hlo", "--coalescing"});
  EXPECT_THAT(run.out, HasSubstr("  read p0: f32[3,123,6,17], 4 bytes a thread"));
  EXPECT_THAT(run.out, HasSubstr("1476 wavefronts (ideal 1476), 0 bank conflicts"));
}

// A row is held in registers: the sectors of all reads of each operand are those that its bytes
// take once, although three stages of a softmax or a layer norm need them.
TEST(IndexingTest, KernelsThatHoldRowsReadEachOperandOnce) {
  for (auto [file, arrays] : {std::pair<const char*, std::map<std::string, int64_t>>{
                                  "softmax_vectors", {{"p", 40 * 1024 * 4}}},
                              {"layer_norm_f16",
                               {{"p", 33 * 1024 * 2},
                                // Each row needs all of these.
                                {"gamma", 33 * 1024 * 4},
                                {"beta", 33 * 1024 * 4}}},
                              {"cross_entropy_bf16", {{"p", 9 * 1024 * 2}}}}) {
    RunResult run = RunAffirm(
        {"indexing", "corpus/hlo/" + std::string(file) + ".hlo", "--coalescing", "--json"});
    json::Value value = Parse(run.out);
    std::map<std::string, int64_t> read;
    for (const json::Value& access : *value.getAsObject()->getArray("accesses")) {
      const json::Object& a = *access.getAsObject();
      if (a.getString("kind") != "read" || a.getString("memory") != "global") continue;
      EXPECT_EQ(a.getInteger("sectors"), a.getInteger("ideal_sectors")) << file;
      read[a.getString("array")->str()] += *a.getInteger("sectors") * 32;
    }
    read.erase("label");
    EXPECT_EQ(read, arrays) << file;
  }
}

// A cross entropy with labels is three kernels if no block holds a row, and one kernel for short
// rows. The report describes the kernels that `emit` makes.
TEST(IndexingTest, CoalescingIsOfTheKernelsThatAreMade) {
  auto text = [](const std::string& size) {
    const std::string rows = "f32[4," + size + "]", integers = "s32[4," + size + "]";
    return "max { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT m = f32[] maximum(a, b) "
           "}\n"
           "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
           "ENTRY e {\n p = " +
           rows +
           " parameter(0)\n label = s32[4] parameter(1)\n"
           " low = f32[] constant(-inf)\n zero = f32[] constant(0)\n"
           " m = f32[4] reduce(p, low), dimensions={1}, to_apply=max\n"
           " mb = " +
           rows + " broadcast(m), dimensions={0}\n d = " + rows +
           " subtract(p, mb)\n"
           " x = " +
           rows +
           " exponential(d)\n"
           " s = f32[4] reduce(x, zero), dimensions={1}, to_apply=sum\n l = f32[4] log(s)\n"
           " lb = " +
           rows + " broadcast(l), dimensions={0}\n q = " + rows +
           " subtract(d, lb)\n"
           " i = " +
           integers +
           " iota(), iota_dimension=1\n"
           " labels = " +
           integers +
           " broadcast(label), dimensions={0}\n"
           " is = pred[4," +
           size +
           "] compare(i, labels), direction=EQ\n"
           " zs = " +
           rows +
           " broadcast(zero), dimensions={}\n"
           " w = " +
           rows +
           " select(is, q, zs)\n"
           " t = f32[4] reduce(w, zero), dimensions={1}, to_apply=sum\n"
           " ROOT r = f32[4] negate(t)\n}\n";
  };
  using Kernels = std::vector<std::string>;
  size_t most = 0;
  for (const char* size : {"100", "16385"}) {
    const json::Value described =
        Parse(RunAffirm({"indexing", "-", "--coalescing", "--json"}, text(size)).out);
    const json::Value made = Parse(RunAffirm({"emit", "-", "--json"}, text(size)).out);
    Kernels of_emit, of_indexing;
    for (const json::Value& kernel : *made.getAsObject()->getArray("kernels")) {
      const json::Object& k = *kernel.getAsObject();
      of_emit.push_back(k.getString("emitter")->str() + " emitter, " +
                        std::to_string(*k.getInteger("blocks")) + " blocks of " +
                        std::to_string(*k.getInteger("threads")) + " threads");
    }
    const json::Array* several = described.getAsObject()->getArray("kernels");
    if (several == nullptr) {
      of_indexing.push_back(described.getAsObject()->getString("kernel")->str());
    } else {
      for (const json::Value& kernel : *several)
        of_indexing.push_back(kernel.getAsObject()->getString("kernel")->str());
    }
    EXPECT_EQ(of_indexing, of_emit);
    most = std::max(most, of_emit.size());
    const RunResult run = RunAffirm({"indexing", "-", "--coalescing"}, text(size));
    for (const std::string& kernel : of_emit) EXPECT_THAT(run.out, HasSubstr(": " + kernel));
  }
  EXPECT_GT(most, 1u);
}

// The chained reshapes of XLA's documentation, in no fusion, from either end.
TEST(IndexingTest, BetweenTwoInstructions) {
  constexpr char kReshapes[] =
      "ENTRY e {\n p0 = f32[10,10,10] parameter(0)\n reshape1 = f32[50,20] reshape(p0)\n"
      " ROOT reshape2 = f32[10,10,10] reshape(reshape1)\n}\n";
  constexpr char kIdentity[] =
      "\n  (d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]\n";
  RunResult run = RunAffirm({"indexing", "-", "--to", "p0"}, kReshapes);
  EXPECT_EQ(run.out, std::string("reshape2 -> p0") + kIdentity) << run.err;
  run = RunAffirm(
      {"indexing", "-", "--instr", "p0", "--to", "reshape2", "--direction", "input-to-output"},
      kReshapes);
  EXPECT_EQ(run.out, std::string("p0 -> reshape2") + kIdentity) << run.err;
  run =
      RunAffirm({"indexing", "-", "--instr", "reshape2", "--to", "reshape1", "--json"}, kReshapes);
  json::Value value = Parse(run.out);
  EXPECT_EQ(value.getAsObject()->getString("to"), "reshape1");
  // Not on the way, and no instruction at all.
  run = RunAffirm({"indexing", "-", "--instr", "p0", "--to", "reshape2"}, kReshapes);
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("'p0' does not need 'reshape2'"));
  EXPECT_EQ(RunAffirm({"indexing", "-", "--to", "reshape3"}, kReshapes).status, 3);
  EXPECT_EQ(RunAffirm({"indexing", "-", "--to", "p0", "--id", "1"}, kReshapes).status, 3);
  // Into a fusion, whose exponentials are read for their own row and for the sum of it.
  run = RunAffirm({"indexing", "corpus/hlo/softmax.hlo", "--to", "exp"});
  EXPECT_THAT(run.out, HasSubstr("softmax -> exp\n  (d0, d1, d2) -> (d0, d1, d2), domain"));
  EXPECT_THAT(run.out, HasSubstr("\n  (d0, d1, d2)[s0] -> (d0, d1, s0), domain"));
}

}  // namespace
}  // namespace affirm::testing
