// The chain can say no: each fault, injected alone, is reported with a concrete index and both
// values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/check/check.h"
#include "tests/tools/run_affirm.h"

namespace affirm::driver {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

ModuleReport CheckText(const std::string& text, const std::string& file, CheckOptions options) {
  auto module = hlo::ParseModule(text, file);
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError());
    return {};
  }
  return Checker(std::move(options)).Check(**module, file, [](llvm::StringRef) {});
}

ModuleReport CheckWith(const std::string& file, CheckOptions options) {
  return CheckText(testing::ReadFile(file), file, std::move(options));
}

// The text of the first finding of a kind.
std::string First(const ModuleReport& report, Finding::Kind kind) {
  for (const Finding& finding : report.findings) {
    if (finding.kind == kind) return finding.text;
  }
  return "";
}

TEST(FaultsTest, NoFaultNoFinding) {
  ModuleReport report = CheckWith("corpus/hlo/chained_reshapes.hlo", {});
  EXPECT_EQ(report.status(), 0) << report.verdict();
  EXPECT_GT(report.simplification.steps, 0);
  EXPECT_EQ(report.simplification.replayed, report.simplification.steps);
}

TEST(FaultsTest, AWrongRule) {
  // One more than it should be, in one rule of the built-in table.
  std::vector<Rule> rules = RuleTable::Builtin().rules();
  auto wrong = ParseRules(
      "rule floordiv.split: (c * x + y) floordiv c => x + y floordiv c + 1\n"
      "  when c > 1\n"
      "  why  wrong on purpose\n",
      "wrong.rules");
  ASSERT_TRUE(!!wrong);
  for (Rule& rule : rules) {
    if (rule.name == "floordiv.split") rule = wrong->front();
  }
  RuleTable table(std::move(rules));
  CheckOptions options;
  options.rules = &table;
  ModuleReport report = CheckWith("corpus/hlo/chained_reshapes.hlo", options);
  EXPECT_EQ(report.status(), 1);
  // The composition that the rule made wrong: a point and both sides.
  EXPECT_THAT(First(report, Finding::Kind::kRefuted),
              ContainsRegex("d0 = [0-9]+.*lhs \\{\\([0-9].*rhs \\{\\([0-9]"));
  // The rule itself: an instance and both sides.
  bool rule_refuted = false;
  for (const Finding& finding : report.findings) {
    rule_refuted |= finding.kind == Finding::Kind::kRefuted &&
                    finding.text.find("rule floordiv.split") != std::string::npos &&
                    finding.text.find("left is") != std::string::npos;
  }
  EXPECT_TRUE(rule_refuted);
}

TEST(FaultsTest, AWrongOpMap) {
  CheckOptions options;
  options.faults.op_map = [](const hlo::Instruction& instruction, int64_t, LabeledMap& map) {
    if (instruction.name != "transpose_p0") return;
    map.map.SetResults({map.map.results()[1], map.map.results()[0]});
  };
  ModuleReport report = CheckWith("corpus/hlo/p0_plus_transpose.hlo", options);
  EXPECT_EQ(report.status(), 1);
  std::string text = First(report, Finding::Kind::kRefuted);
  EXPECT_THAT(text, HasSubstr("map of transpose 'transpose_p0' for operand 0"));
  EXPECT_THAT(
      text, ContainsRegex("d0 = [0-9]+.*lhs \\{\\([0-9]+, [0-9]+\\).*rhs \\{\\([0-9]+, [0-9]+\\)"));
}

// In a tuple, only forwarded arrays and arrays that a map leads to are checked. A map that leads to
// another array is refuted there, and its absence is refuted at the array that it led to.
TEST(FaultsTest, AMapToAnotherArrayOfATuple) {
  CheckOptions options;
  options.faults.op_map = [](const hlo::Instruction& op, int64_t, LabeledMap& map) {
    if (op.name == "b") map.leaf = 0;
  };
  const ModuleReport report = CheckText(
      "HloModule m\n\nENTRY e {\n  p = f32[4] parameter(0)\n  q = f32[4] parameter(1)\n"
      "  t = (f32[4], f32[4]) tuple(p, q)\n"
      "  ROOT b = (f32[4], f32[4]) opt-barrier(t)\n}\n",
      "m.hlo", options);
  int refuted = 0;
  for (const Finding& finding : report.findings) {
    const bool of_b = finding.text.find("'b'") != std::string::npos;
    refuted += of_b && finding.kind == Finding::Kind::kRefuted;
  }
  EXPECT_EQ(refuted, 2);
}

TEST(FaultsTest, AWrongComposition) {
  CheckOptions options;
  options.faults.composition = [](const hlo::Instruction& instruction, IndexingMap& map) {
    if (instruction.name != "lhs_transpose_1") return;
    map.SetResults({map.results()[0], map.results()[1], map.results()[2] + 1});
  };
  ModuleReport report = CheckWith("corpus/hlo/deduplicated_transposes.hlo", options);
  EXPECT_EQ(report.status(), 1);
  std::string text = First(report, Finding::Kind::kRefuted);
  EXPECT_THAT(text, HasSubstr("lhs_transpose_1"));
  EXPECT_THAT(text, ContainsRegex("d0 = [0-9]+.*lhs \\{\\([0-9].*rhs \\{\\([0-9]"));
}

// From an operand to the result: one that leads elsewhere, and one that an exact label does not
// fit.
TEST(FaultsTest, AWrongMapBackwards) {
  for (const bool leads_elsewhere : {true, false}) {
    int altered = 0;
    CheckOptions options;
    options.faults.input_to_output = [&](const hlo::Instruction&, int64_t operand,
                                         LabeledMap& map) {
      if (operand != 0 || map.exactness != Exactness::kExact) return;
      std::vector<SymbolicExpr> results = map.map.results().vec();
      SymbolicExpr& last = results.back();
      // All of the last dim, whatever the operand's index; or mirrored.
      IndexingMap& m = map.map;
      const int64_t size = m.RangeOf(last).upper + 1;
      std::vector<Variable> ranges = m.ranges();
      if (!leads_elsewhere) ranges.push_back({Interval{0, size - 1}, "", std::nullopt});
      last = leads_elsewhere ? -last + (size - 1) : m.context()->Range(std::ssize(ranges) - 1);
      SymbolicMap symbolic(std::ssize(m.dims()), std::ssize(ranges), std::ssize(m.runtime()),
                           results);
      m = IndexingMap(*m.context(), symbolic, m.dims(), ranges, m.runtime(), m.constraints());
      ++altered;
    };
    ModuleReport report = CheckWith("corpus/hlo/deduplicated_transposes.hlo", options);
    EXPECT_GT(altered, 0);
    EXPECT_EQ(report.status(), 1);
    std::string text = First(report, Finding::Kind::kRefuted);
    EXPECT_THAT(text, HasSubstr("operand 0: its maps to the output"));
    EXPECT_THAT(text, ContainsRegex("d0 = [0-9]+.*lhs \\{.*rhs \\{"));
  }
}

TEST(FaultsTest, AWrongConstantInTheKernel) {
  CheckOptions options;
  options.emit.fault_constant = 1;
  for (std::string file : {"corpus/hlo/gelu_bf16.hlo", "corpus/hlo/layer_norm.hlo"}) {
    ModuleReport report = CheckWith(file, options);
    EXPECT_EQ(report.status(), 1) << file;
    EXPECT_THAT(First(report, Finding::Kind::kMismatch),
                ContainsRegex("at \\[[0-9, ]+\\]: the interpreter says [^ ]+, the kernel [^ ]+"))
        << file;
  }
}

// Each kernel computes what it should from what it is given, and is given something else than the
// module says: the parts of a fusion together, and the module as a whole, come out wrong.
TEST(FaultsTest, AWrongCutIntoKernels) {
  for (std::string from : {"e.sum", "e.squares"}) {
    CheckOptions options;
    options.faults.handed_on = [&](const std::string& kernel_of, hlo::Literal& value) {
      if (kernel_of == from) value.Set<double>(7, value.Get<double>(7) + 1);
    };
    ModuleReport report = CheckWith("corpus/hlo/normalized_columns.hlo", options);
    EXPECT_EQ(report.status(), 1) << from;
    EXPECT_THAT(First(report, Finding::Kind::kMismatch),
                ContainsRegex("the kernels of 'e' together, output 0 at \\[[0-9]+, 7\\]: the "
                              "interpreter says [^ ]+, the kernel [^ ]+"));
  }
}

TEST(FaultsTest, AWrongWayFromKernelToKernel) {
  CheckOptions options;
  options.faults.handed_on = [&](const std::string& kernel_of, hlo::Literal& value) {
    if (kernel_of == "e") value.Set<double>(3, -1);
  };
  ModuleReport report = CheckWith("corpus/hlo/normalized_columns.hlo", options);
  EXPECT_EQ(report.status(), 1);
  EXPECT_THAT(First(report, Finding::Kind::kMismatch), HasSubstr("together, output 0 at [0, 3]"));
  options.faults.handed_on = [&](const std::string& kernel_of, hlo::Literal& value) {
    if (kernel_of == "e") value.Set<float>(3, -1);
  };
  testing::TemporaryFile file("negate.hlo",
                              "HloModule m\nENTRY e {\n  p = f32[8] parameter(0)\n"
                              "  ROOT r = f32[8] abs(p)\n}\n");
  report = CheckWith(file.path(), options);
  EXPECT_EQ(report.status(), 1);
  EXPECT_THAT(First(report, Finding::Kind::kMismatch),
              HasSubstr("the module as a whole, output 0 at [3]"));
}

// Newton's iteration, which ends where the argument is positive alone: both sides leave it after as
// many trips, and what is wrong in a trip is seen.
TEST(FaultsTest, ALoopThatDoesNotEndIsRunForSomeTrips) {
  testing::TemporaryFile file(
      "roots.hlo",
      "HloModule m\nbody {\n  s = (f32[4], f32[4]) parameter(0)\n"
      "  g = f32[4] get-tuple-element(s), index=0\n  x = f32[4] get-tuple-element(s), index=1\n"
      "  q = f32[4] divide(x, g)\n  a = f32[4] add(g, q)\n  h = f32[] constant(0.5)\n"
      "  hs = f32[4] broadcast(h), dimensions={}\n  n = f32[4] multiply(a, hs)\n"
      "  ROOT t = (f32[4], f32[4]) tuple(n, x)\n}\n"
      "any {\n  a = pred[] parameter(0)\n  b = pred[] parameter(1)\n"
      "  ROOT o = pred[] or(a, b)\n}\n"
      "more {\n  s = (f32[4], f32[4]) parameter(0)\n"
      "  g = f32[4] get-tuple-element(s), index=0\n  x = f32[4] get-tuple-element(s), index=1\n"
      "  q = f32[4] multiply(g, g)\n  d = f32[4] subtract(q, x)\n  e = f32[4] abs(d)\n"
      "  h = f32[] constant(0.01)\n  hs = f32[4] broadcast(h), dimensions={}\n"
      "  p = pred[4] compare(e, hs), direction=GT\n  no = pred[] constant(false)\n"
      "  ROOT r = pred[] reduce(p, no), dimensions={0}, to_apply=any\n}\n"
      "ENTRY e {\n  x = f32[4] parameter(0)\n  s = (f32[4], f32[4]) tuple(x, x)\n"
      "  roots = (f32[4], f32[4]) while(s), condition=more, body=body\n"
      "  ROOT r = f32[4] get-tuple-element(roots), index=0\n}\n");
  ModuleReport report = CheckWith(file.path(), {});
  // It is run to its end on ordinary positive numbers.
  EXPECT_EQ(report.status(), 0) << report.verdict();
  EXPECT_THAT(report.Covered(), HasSubstr("'roots' in the first trips alone where it did not end"));
  CheckOptions options;
  options.faults.handed_on = [](const std::string& kernel_of, hlo::Literal& value) {
    if (kernel_of.starts_with("body")) value.Set<float>(3, -1);
  };
  report = CheckWith(file.path(), options);
  EXPECT_EQ(report.status(), 1) << report.verdict();
}

// An undecided op is not called wrong.
TEST(FaultsTest, AnOpThatDoesNotRunIsUnknown) {
  testing::TemporaryFile file("rng.hlo",
                              "HloModule m\nENTRY e {\n  lo = f32[] parameter(0)\n"
                              "  hi = f32[] parameter(1)\n"
                              "  ROOT r = f32[8] rng(lo, hi), distribution=rng_uniform\n}\n");
  ModuleReport report = CheckWith(file.path(), {});
  EXPECT_EQ(report.status(), 2) << report.verdict();
  EXPECT_THAT(report.verdict(), HasSubstr("rng 'r'"));
}

// A verdict of the report is the exit status of the tool.
TEST(FaultsTest, StatusFollowsTheWorstFinding) {
  ModuleReport report;
  EXPECT_EQ(report.status(), 0);
  report.findings.push_back({Finding::Kind::kUnknown, "u", ""});
  EXPECT_EQ(report.status(), 2);
  report.findings.push_back({Finding::Kind::kMismatch, "m", ""});
  EXPECT_EQ(report.status(), 1);
  EXPECT_EQ(report.verdict(), "MISMATCH: m");
}

}  // namespace
}  // namespace affirm::driver
