// The verdict "affirmed" is about everything that a module computes, or is not given.
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/check/check.h"
#include "driver/check/records.h"

namespace affirm::driver {
namespace {

ModuleReport Check(const std::string& text) {
  auto module = hlo::ParseModule(text, "test.hlo");
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError());
    return {};
  }
  return Checker({}).Check(**module, "test.hlo", [](llvm::StringRef) {});
}

// The row of an instruction (or kernel) of that name.
LedgerRow RowOf(const ModuleReport& report, const std::string& name,
                LedgerRow::Kind kind = LedgerRow::Kind::kInstruction) {
  for (const LedgerRow& row : report.ledger) {
    if (row.kind == kind && row.name == name) return row;
  }
  ADD_FAILURE() << "no row for " << name;
  return {};
}

bool Says(const ModuleReport& report, const std::string& part) {
  return report.verdict().find(part) != std::string::npos;
}

TEST(LedgerTest, EachInstructionEachKernelAndTheWholeHaveARow) {
  ModuleReport report = Check(R"(HloModule m
ENTRY e { p = f32[4] parameter(0)
  unused = f32[4] cosine(p)
  n = f32[4] negate(p)
  ROOT r = f32[4] exponential(n) })");
  EXPECT_EQ(report.verdict(), "affirmed");
  EXPECT_EQ(report.Covered(),
            "4 of 4 instructions, 1 of 1 kernels, the module as a whole on 5 sets of arguments");
  EXPECT_EQ(RowOf(report, "n").value, LedgerRow::Value::kCompared);
  EXPECT_EQ(RowOf(report, "n").map, Verdict::kProved);
  EXPECT_EQ(RowOf(report, "unused").value, LedgerRow::Value::kUnused);
  EXPECT_EQ(RowOf(report, "e", LedgerRow::Kind::kKernel).value, LedgerRow::Value::kCompared);
  EXPECT_EQ(RowOf(report, "m", LedgerRow::Kind::kModule).value, LedgerRow::Value::kCompared);
}

// A triangular system of complex numbers has no kernel, alone or beside a fusion.
TEST(LedgerTest, WhatHasNoKernelIsUnknownBesideAFusion) {
  const std::string alone =
      "ENTRY e { p = c64[3,3] parameter(0)\n"
      "  ROOT s = c64[3,3] triangular-solve(p, p), left_side=true, lower=true, "
      "transpose_a=NO_TRANSPOSE }\n";
  const std::string beside =
      "f { p = c64[3,3] parameter(0) ROOT n = c64[3,3] negate(p) }\n"
      "ENTRY e { p = c64[3,3] parameter(0)\n"
      "  s = c64[3,3] triangular-solve(p, p), left_side=true, lower=true, "
      "transpose_a=NO_TRANSPOSE\n"
      "  ROOT n = c64[3,3] fusion(s), kind=kLoop, calls=f }\n";
  for (const std::string& entry : {alone, beside}) {
    ModuleReport report = Check("HloModule m\n" + entry);
    EXPECT_EQ(report.status(), 2) << report.verdict();
    EXPECT_TRUE(Says(report, "no kernel computes triangular-solve 's'")) << report.verdict();
    EXPECT_FALSE(RowOf(report, "s").IsCovered());
  }
}

// Two fusions that do the same have one code, and run each on what it is given; what differs in
// an operand, a constant or a layout has its own.
TEST(LedgerTest, FusionsThatDoTheSameHaveOneCode) {
  auto same_as = [](const std::string& second) {
    ModuleReport report = Check(
        "HloModule m\nf { p = f32[4,3] parameter(0)\n  q = f32[4,3] parameter(1)\n"
        "  c = f32[] constant(2)\n  b = f32[4,3] broadcast(c), dimensions={}\n"
        "  m = f32[4,3] multiply(q, b)\n  ROOT r = f32[4,3] subtract(p, m) }\n" +
        second +
        "ENTRY e { p = f32[4,3] parameter(0)\n  q = f32[4,3] parameter(1)\n"
        "  x = f32[4,3] fusion(p, q), kind=kLoop, calls=f\n"
        "  ROOT y = f32[4,3] fusion(q, x), kind=kLoop, calls=g }");
    EXPECT_EQ(report.verdict(), "affirmed");
    EXPECT_EQ(report.kernels.size(), 2U);
    for (const KernelCheck& kernel : report.kernels) EXPECT_EQ(kernel.runs, 5);
    return report.kernels[1].same_as;
  };
  auto of = [](const std::string& constant, const std::string& root) {
    return "g { a = f32[4,3] parameter(0)\n  d = f32[4,3] parameter(1)\n  h = f32[] constant(" +
           constant + ")\n  i = f32[4,3] broadcast(h), dimensions={}\n" +
           "  j = f32[4,3] multiply(d, i)\n  ROOT k = f32[4,3] " + root + " }\n";
  };
  EXPECT_EQ(same_as(of("2", "subtract(a, j)")), "x");
  EXPECT_EQ(same_as(of("3", "subtract(a, j)")), "");
  EXPECT_EQ(same_as(of("2", "subtract(j, a)")), "");
  EXPECT_EQ(same_as(of("2", "add(a, j)")), "");
}

TEST(LedgerTest, KernelsOfAllBranchesAreCompared) {
  ModuleReport report = Check(R"(HloModule m
f0 { p = f32[4] parameter(0) ROOT r0 = f32[4] negate(p) }
f1 { p = f32[4] parameter(0) ROOT r1 = f32[4] exponential(p) }
f2 { p = f32[4] parameter(0) ROOT r2 = f32[4] add(p, p) }
ENTRY e { i = s32[] parameter(0)
  p = f32[4] parameter(1)
  ROOT c = f32[4] conditional(i, p, p, p), branch_computations={f0, f1, f2} })");
  for (const char* kernel : {"f0.0", "f1.0", "f2.0"}) {
    EXPECT_EQ(RowOf(report, kernel, LedgerRow::Kind::kKernel).value, LedgerRow::Value::kCompared);
  }
  for (const char* op : {"r0", "r1", "r2"}) EXPECT_TRUE(RowOf(report, op).IsCovered());
  EXPECT_EQ(RowOf(report, "c").value, LedgerRow::Value::kControl);
}

// A branch without a kernel, which no arguments take, is a gap.
TEST(LedgerTest, ABranchThatIsNotTakenCounts) {
  ModuleReport report = Check(R"(HloModule m
f0 { p = c64[3,3] parameter(0) ROOT r0 = c64[3,3] negate(p) }
f1 { p = c64[3,3] parameter(0) ROOT r1 = c64[3,3] triangular-solve(p, p), left_side=true, lower=true, transpose_a=NO_TRANSPOSE }
ENTRY e { t = pred[] constant(true)
  p = c64[3,3] parameter(0)
  ROOT c = c64[3,3] conditional(t, p, p), true_computation=f0, false_computation=f1 })");
  EXPECT_EQ(report.status(), 2) << report.verdict();
  EXPECT_TRUE(RowOf(report, "r0").IsCovered());
  EXPECT_FALSE(RowOf(report, "r1").IsCovered());
}

// A fusion that the emitters refuse has no kernel that could have run.
TEST(LedgerTest, AKernelThatDoesNotRunIsAGap) {
  ModuleReport report = Check(R"(HloModule m
f { p = f32[3,3] parameter(0)
  c = f32[] constant(2)
  v = f32[3] broadcast(c), dimensions={}
  s = f32[3,3] batch-norm-inference(p, v, v, v, v), epsilon=1, feature_index=1
  ROOT n = f32[3,3] negate(s) }
g { p = f32[3,3] parameter(0) ROOT magnitude = f32[3,3] abs(p) }
ENTRY e { p = f32[3,3] parameter(0)
  x = f32[3,3] fusion(p), kind=kCustom, calls=f
  ROOT y = f32[3,3] fusion(x), kind=kLoop, calls=g })");
  EXPECT_EQ(report.status(), 2) << report.verdict();
  EXPECT_TRUE(Says(report, "no kernel for 'x'")) << report.verdict();
  EXPECT_FALSE(RowOf(report, "x", LedgerRow::Kind::kKernel).IsCovered());
  EXPECT_TRUE(RowOf(report, "y", LedgerRow::Kind::kKernel).IsCovered());
  EXPECT_FALSE(RowOf(report, "n").IsCovered());
  EXPECT_TRUE(RowOf(report, "magnitude").IsCovered());
}

TEST(LedgerTest, FusionsInLoopsAreProvedAndCompared) {
  ModuleReport report = Check(R"(HloModule m
f { p = f32[4] parameter(0) ROOT n = f32[4] negate(p) }
body { s = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[4] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[4] fusion(x), kind=kLoop, calls=f
  ROOT t = (s32[], f32[4]) tuple(j, y) }
condition { s = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT }
ENTRY e { p = f32[4] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[4]) tuple(zero, p)
  l = (s32[], f32[4]) while(t), condition=condition, body=body
  ROOT x = f32[4] get-tuple-element(l), index=1 })");
  EXPECT_EQ(RowOf(report, "y", LedgerRow::Kind::kKernel).value, LedgerRow::Value::kCompared);
  EXPECT_EQ(RowOf(report, "y").map, Verdict::kProved);
  EXPECT_TRUE(RowOf(report, "j").IsCovered());
  bool composed = false;
  for (const ComposedCheck& check : report.composed) composed |= check.fusion == "y";
  EXPECT_TRUE(composed);
}

// A run in which the interpreter stood in for a kernel is no run of the whole module.
TEST(LedgerTest, TheWholeIsComparedWhereKernelsComputeAllOfIt) {
  ModuleReport library = Check(R"(HloModule m
ENTRY e { p = c64[3,3] parameter(0)
  n = c64[3,3] negate(p)
  ROOT s = c64[3,3] triangular-solve(n, n), left_side=true, lower=true, transpose_a=NO_TRANSPOSE })");
  EXPECT_EQ(library.whole.runs, 0);
  EXPECT_FALSE(RowOf(library, "m", LedgerRow::Kind::kModule).IsCovered());
  // The order of atomic sums is compared on numbers whose sums are exact alone.
  ModuleReport scatter = Check(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e { p = f32[10] parameter(0)
  i = s32[40,1] parameter(1)
  u = f32[40] parameter(2)
  ROOT r = f32[10] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add })");
  EXPECT_EQ(scatter.status(), 0) << scatter.verdict();
  EXPECT_EQ(scatter.whole.runs, 1);
}

TEST(LedgerTest, AResultWithoutElementsIsSaidToHaveNone) {
  ModuleReport report = Check(
      "HloModule m\nENTRY e { p = f32[0] parameter(0)\n"
      "  ROOT n = f32[0] negate(p) }");
  EXPECT_EQ(report.status(), 0);
  EXPECT_EQ(report.Covered(), "2 of 2 instructions, 1 of 1 kernels, a result without elements");
}

// Two kernels of one fusion: each is right of itself when they compute what they were given.
TEST(LedgerTest, TheVerdictIsTheLeastOfTheRows) {
  ModuleReport report = Check(
      "HloModule m\n"
      "ENTRY e { p = c64[3,3] parameter(0)\n"
      "  n = c64[3,3] negate(p)\n"
      "  s = c64[3,3] triangular-solve(n, n), left_side=true, lower=true, "
      "transpose_a=NO_TRANSPOSE\n"
      "  ROOT r = c64[3,3] exponential(s) }\n");
  bool all_covered = true;
  for (const LedgerRow& row : report.ledger) all_covered &= row.IsCovered();
  EXPECT_FALSE(all_covered);
  EXPECT_EQ(report.status(), 2);
  EXPECT_TRUE(RowOf(report, "n").IsCovered());
  EXPECT_TRUE(RowOf(report, "r").IsCovered());
}

// Results of a worker are printed and compared by its parent: names of files hold any bytes, and a
// refuted map keeps its sets.
TEST(RecordsTest, KeepWhatJsonHasNoTextFor) {
  const std::string name = "\xff\xfe'\"\n\x01.hlo";
  UnitRecord record;
  record.findings.push_back({.kind = Finding::Kind::kRefuted, .text = name, .replay = "a " + name});
  MapCheck check{.computation = name, .instruction = "r", .opcode = "reverse"};
  check.proof.difference = Proof::Difference{{1, 2}, {{3}, {4}}, {}, true, false};
  record.maps.push_back(check);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(ToJson(record));
  auto json = llvm::json::parse(text);
  ASSERT_TRUE(static_cast<bool>(json));
  auto read = UnitRecordFrom(*json->getAsObject());
  ASSERT_TRUE(static_cast<bool>(read));
  ASSERT_EQ(read->findings.size(), 1U);
  EXPECT_EQ(read->findings[0].text, name);
  EXPECT_EQ(read->findings[0].replay, "a " + name);
  ASSERT_EQ(read->maps.size(), 1U);
  EXPECT_EQ(read->maps[0].computation, name);
  const auto& difference = read->maps[0].proof.difference;
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->at, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(difference->given, (Proof::Difference::Indices{{3}, {4}}));
  EXPECT_TRUE(difference->wanted.empty());
  EXPECT_TRUE(difference->all_given);
  EXPECT_FALSE(difference->all_wanted);
}

}  // namespace
}  // namespace affirm::driver
