// Modules that are too large to run: affirmed by proofs, kernel by kernel, beside samples that
// agree; by samples alone never.
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/check/check.h"
#include "driver/check/kernels_together.h"
#include "tests/parse_module.h"
#include "tests/tools/run_affirm.h"

namespace affirm::driver {
namespace {

ModuleReport Check(const std::string& text, const CheckOptions& options = {}) {
  return Checker(options).Check(*testing::ParseOrFail(text), "test.hlo", [](llvm::StringRef) {});
}

std::string SoftmaxOf(const std::string& rows, const std::string& row) {
  const std::string array = "f32[" + rows + "," + row + "]", of_rows = "f32[" + rows + "]";
  return "HloModule softmax\n"
         "max { a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
         "  ROOT r = f32[] maximum(a, b) }\n"
         "add { a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b) }\n"
         "ENTRY e {\n  p = " +
         array +
         " parameter(0)\n  ninf = f32[] constant(-inf)\n"
         "  zero = f32[] constant(0)\n  m = " +
         of_rows + " reduce(p, ninf), dimensions={1}, to_apply=max\n  mb = " + array +
         " broadcast(m), dimensions={0}\n  d = " + array + " subtract(p, mb)\n  x = " + array +
         " exponential(d)\n  s = " + of_rows +
         " reduce(x, zero), dimensions={1}, to_apply=add\n  sb = " + array +
         " broadcast(s), dimensions={0}\n  ROOT y = " + array + " divide(x, sb)\n}";
}

constexpr const char* kScaled =
    "HloModule m\nENTRY e {\n  p = bf16[65536,65536] parameter(0)\n"
    "  q = bf16[65536] parameter(1)\n  b = bf16[65536,65536] broadcast(q), dimensions={1}\n"
    "  ROOT t = bf16[65536,65536] multiply(p, b)\n}";

void ExpectProved(llvm::StringRef end_of_names) {
  for (const std::string& file : testing::FilesIn("corpus/large", ".hlo")) {
    if (!llvm::StringRef(file).ends_with(end_of_names)) continue;
    const ModuleReport report = Check(testing::ReadFile(file));
    EXPECT_EQ(report.verdict(), "affirmed") << file;
    for (const KernelCheck& kernel : report.kernels) EXPECT_TRUE(kernel.is_proved()) << file;
  }
}

// Long loops of threads, which are proved in one step.
TEST(LargeModules, OfLongLoopsAreProved) { ExpectProved("_reduction_long.hlo"); }

// Rows that take all registers of a block, of which each element is executed.
TEST(LongRows, AreProved) { ExpectProved("_of_long_rows.hlo"); }

// The kernels' results in each trip are no value of a loop that does not end.
TEST(LargeModules, OfLoopsThatMayNotEndSaySo) {
  const ModuleReport report = Check(
      "HloModule m\nbody { s = (s32[], f32[30000,30000]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n"
      "  x = f32[30000,30000] get-tuple-element(s), index=1\n"
      "  y = f32[30000,30000] negate(x)\n  ROOT r = (s32[], f32[30000,30000]) tuple(i, y) }\n"
      "condition { s = (s32[], f32[30000,30000]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n"
      "  ROOT r = pred[] compare(i, i), direction=EQ }\n"
      "ENTRY e { s = (s32[], f32[30000,30000]) parameter(0)\n"
      "  ROOT w = (s32[], f32[30000,30000]) while(s), condition=condition, body=body }");
  EXPECT_NE(report.Covered().find("where 'w' ends, which is not known"), std::string::npos)
      << report.Covered();
}

TEST(LargeModules, AreProvedKernelByKernelAndExecutedInSamples) {
  const ModuleReport report = Check(SoftmaxOf("1048576", "2048"));
  EXPECT_EQ(report.verdict(), "affirmed");
  EXPECT_EQ(report.status(), 0);
  EXPECT_EQ(
      report.Covered(),
      "16 of 16 instructions, 1 of 1 kernels (1 of them proved; executed in part), the module "
      "as a whole proved kernel by kernel and executed only in samples");
  for (const KernelCheck& check : report.kernels) {
    EXPECT_EQ(check.runs, 0);
    ASSERT_TRUE(check.sample && check.sample->sample);
    EXPECT_GT(check.sample->sample->elements, 0);
    EXPECT_LT(check.sample->sample->blocks, check.sample->sample->of_blocks);
  }
  for (const LedgerRow& row : report.ledger) EXPECT_NE(row.value, LedgerRow::Value::kCompared);
}

// Arrays that an address of the emulator has no room for.
TEST(LargeModules, BeyondTheEmulatorAreProvedAndNotExecuted) {
  const ModuleReport report = Check(
      "HloModule m\nENTRY e {\n  p = f32[300000000000] parameter(0)\n"
      "  ROOT n = f32[300000000000] negate(p)\n}");
  EXPECT_EQ(report.verdict(), "affirmed");
  EXPECT_EQ(report.Covered(),
            "2 of 2 instructions, 1 of 1 kernels (1 of them proved and not executed), the module "
            "as a whole proved kernel by kernel and not executed");
}

// A module that fits memory is run, unless it would take minutes and all is proved.
TEST(LargeModules, AreThoseThatDoNotFitOrTakeLong) {
  const ModuleReport small = Check(SoftmaxOf("16", "128"));
  EXPECT_EQ(small.verdict(), "affirmed");
  EXPECT_EQ(small.whole.runs, 5);
  const ModuleReport slow = Check(
      "HloModule t\nENTRY e {\n  p = f32[8192,8192] parameter(0)\n"
      "  ROOT t = f32[8192,8192] transpose(p), dimensions={1,0}\n}");
  EXPECT_EQ(slow.verdict(), "affirmed");
  EXPECT_EQ(slow.whole.runs, 0);
  EXPECT_TRUE(slow.whole.proved_by_kernels);
}

// However few are kept of a row, all of it is sorted, which takes longer than there is time.
TEST(LargeModules, WithATopKAreProved) {
  const ModuleReport report = Check(
      "ENTRY e { x = f32[100000] parameter(0) t = (f32[16], s32[16]) topk(x), k=16, largest=true "
      "v = f32[16] get-tuple-element(t), index=0 i = s32[16] get-tuple-element(t), index=1 "
      "ROOT r = (f32[16], s32[16]) tuple(v, i) }");
  EXPECT_EQ(report.verdict(), "affirmed");
  EXPECT_EQ(report.whole.runs, 0);
  EXPECT_TRUE(report.whole.proved_by_kernels);
  for (const KernelCheck& kernel : report.kernels) EXPECT_TRUE(kernel.is_proved());
}

// The threads of a transpose know the 300 * 20 rows of its result, not which of 300 and which
// of 20.
TEST(LargeModules, WithATransposeThatIsSplitAreProved) {
  const ModuleReport report = Check(
      "HloModule t\nENTRY e {\n  p = f32[5000,6000] parameter(0)\n  e = f32[5000,6000] sqrt(p)\n"
      "  t = f32[6000,5000] transpose(p), dimensions={1,0}\n  r = f32[300,20,5000] reshape(t)\n"
      "  ROOT out = (f32[5000,6000], f32[300,20,5000]) tuple(e, r)\n}");
  EXPECT_EQ(report.verdict(), "affirmed");
  for (const KernelCheck& kernel : report.kernels) EXPECT_TRUE(kernel.is_proved());
}

// A wrong constant in a kernel: nothing that is proved, and mostly seen in the sample.
TEST(LargeModules, WithAWrongKernelAreNotAffirmed) {
  int64_t refuted = 0, faults = 0;
  for (int constant = 1; constant <= 12; ++constant) {
    CheckOptions options;
    options.emit.fault_constant = constant;
    const ModuleReport report = Check(kScaled, options);
    bool is_proved = true;
    for (const KernelCheck& check : report.kernels) is_proved &= check.is_proved();
    if (is_proved) continue;  // there are fewer constants, or it does not matter
    ++faults;
    EXPECT_NE(report.status(), 0) << constant << ": " << report.verdict();
    refuted += report.verdict().find("executed in part") != std::string::npos;
  }
  EXPECT_GT(faults, 0);
  EXPECT_GT(refuted, 0);
}

// A kernel that is right and not proved: functions of complex numbers have no value terms.
TEST(LargeModules, WithAnUnprovedKernelAreUnknown) {
  const ModuleReport report = Check(
      "HloModule m\nENTRY e {\n  i = s32[65536,65536] iota(), iota_dimension=1\n"
      "  j = s32[65536,65536] iota(), iota_dimension=0\n"
      "  c = pred[65536,65536] compare(i, j), direction=LE\n"
      "  a = c64[65536,65536] parameter(0)\n  b = c64[65536,65536] exponential(a)\n"
      "  ROOT r = c64[65536,65536] select(c, a, b)\n}");
  ASSERT_FALSE(report.kernels.front().is_proved()) << "find another kernel that is not proved";
  EXPECT_GT(report.kernels.front().sample->sample->elements, 0) << "and the sample agrees";
  EXPECT_EQ(report.status(), 2);
  EXPECT_NE(report.verdict().find("not all claims about it are proved"), std::string::npos)
      << report.verdict();
  EXPECT_NE(report.Covered().find("0 of 1 kernels, not the module as a whole"), std::string::npos);
}

// The same beside a kernel that is too large: it is small enough to be run, which the verdict says.
TEST(LargeModules, WithAnUnprovedKernelThatRunsSaySo) {
  const ModuleReport report = Check(
      "HloModule m\nf {\n  p = bf16[65536,65536] parameter(0)\n"
      "  ROOT t = bf16[65536,65536] negate(p)\n}\n"
      "g {\n  i = s32[64,64] iota(), iota_dimension=1\n"
      "  j = s32[64,64] iota(), iota_dimension=0\n"
      "  c = pred[64,64] compare(i, j), direction=LE\n"
      "  a = c64[64,64] parameter(0)\n  b = c64[64,64] exponential(a)\n"
      "  ROOT r = c64[64,64] select(c, a, b)\n}\nENTRY e {\n"
      "  p = bf16[65536,65536] parameter(0)\n  a = c64[64,64] parameter(1)\n"
      "  x = bf16[65536,65536] fusion(p), kind=kLoop, calls=f\n"
      "  y = c64[64,64] fusion(a), kind=kLoop, calls=g\n"
      "  ROOT t = (bf16[65536,65536], c64[64,64]) tuple(x, y)\n}");
  EXPECT_EQ(report.verdict(), "affirmed");
  ASSERT_EQ(report.kernels.size(), 2U);
  ASSERT_FALSE(report.kernels[1].is_proved()) << "find another kernel that is not proved";
  EXPECT_GT(report.kernels[1].runs, 0);
  EXPECT_NE(report.Covered().find("but for 1 that is run on arguments of its own and not proved"),
            std::string::npos)
      << report.Covered();
}

// Layers of a matrix and of `op`: a kernel each, of many instructions together.
std::string Layers(int count, const std::string& op) {
  std::string text =
      "HloModule layers\nENTRY e {\n  x0 = f32[8,8] parameter(0)\n  w = f32[8,8] parameter(1)\n";
  for (int k = 0; k < count; ++k) {
    const std::string n = std::to_string(k), next = std::to_string(k + 1);
    text += "  d" + n + " = f32[8,8] dot(x" + n +
            ", w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  x" + next +
            " = f32[8,8] " + op + "(d" + n + ")\n";
  }
  return text + "  ROOT r = f32[8,8] copy(x" + std::to_string(count) + ")\n}";
}

// A large computation is composed kernel by kernel; those that are the same have one code, and
// their maps are composed once.
TEST(ManyKernels, OfLayersAreFewCodes) {
  const ModuleReport report = Check(Layers(50, "cosine"));
  EXPECT_EQ(report.verdict(), "affirmed");
  int64_t codes = 0;
  for (const KernelCheck& kernel : report.kernels) {
    codes += kernel.same_as.empty();
    EXPECT_GT(kernel.runs, 0) << kernel.fusion;
    EXPECT_TRUE(kernel.is_proved()) << kernel.fusion;
  }
  EXPECT_GE(report.kernels.size(), 50U);
  EXPECT_LT(codes, 6);
  EXPECT_LT(report.composed.size(), 20U);
  // With a code that is wrong, all that have it are.
  CheckOptions options;
  options.emit.fault_constant = 2;
  EXPECT_NE(Check(Layers(50, "cosine"), options).status(), 0);
}

// Layers that add to one value: with each sum in memory they have the same kernels, where otherwise
// each would begin with all sums before it.
TEST(ManyKernels, OfLayersThatAddToOneValueAreFewCodes) {
  constexpr int kLayers = 30;
  std::string text =
      "HloModule residual\nadd { a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT r = f32[] add(a, b) }\nENTRY e {\n  x0 = f32[8,8] parameter(0)\n"
      "  w = f32[8,8] parameter(1)\n  z = f32[] constant(0)\n";
  for (int k = 0; k < kLayers; ++k) {
    const std::string n = std::to_string(k), next = std::to_string(k + 1);
    text += "  s" + n + " = f32[8] reduce(x" + n + ", z), dimensions={0}, to_apply=add\n  b" + n +
            " = f32[8,8] broadcast(s" + n + "), dimensions={1}\n  m" + n +
            " = f32[8,8] subtract(x" + n + ", b" + n + ")\n  d" + n + " = f32[8,8] dot(m" + n +
            ", w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  c" + n +
            " = f32[8,8] cosine(d" + n + ")\n  y" + n + " = f32[8,8] multiply(c" + n + ", c" + n +
            ")\n  x" + next + " = f32[8,8] add(x" + n + ", y" + n + ")\n";
  }
  const ModuleReport report =
      Check(text + "  ROOT r = f32[8,8] copy(x" + std::to_string(kLayers) + ")\n}");
  EXPECT_EQ(report.verdict(), "affirmed");
  const auto codes = llvm::count_if(
      report.kernels, [](const KernelCheck& kernel) { return kernel.same_as.empty(); });
  EXPECT_GT(std::ssize(report.kernels), 2 * kLayers);
  EXPECT_LT(codes, 16);
}

TEST(ManyKernels, AreComposedEach) {
  CheckOptions options;
  options.faults.composition = [](const hlo::Instruction&, IndexingMap& map) {
    map = IndexingMap::Identity(*map.context(), {8, 8});
  };
  EXPECT_NE(Check(Layers(50, "cosine"), options).status(), 0);
}

// No block can be compared, as others may add to what it wrote: the proof stands alone, and the
// verdict says so.
TEST(LargeModules, OfWhichNoElementCanBeComparedAreProvedOnly) {
  const ModuleReport report = Check(
      "HloModule m\nadd { a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT r = f32[] add(a, b) }\nENTRY e {\n  p = f32[2147483648] parameter(0)\n"
      "  i = s64[65536,1] parameter(1)\n  u = f32[65536] parameter(2)\n"
      "  ROOT t = f32[2147483648] scatter(p, i, u), update_window_dims={}, "
      "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
      "to_apply=add\n}");
  EXPECT_EQ(report.status(), 0) << report.verdict();
  EXPECT_NE(report.Covered().find("(1 of them proved and not executed)"), std::string::npos)
      << report.Covered();
}

// Kernels that are right each, and together are another module.
TEST(LargeModules, AreTheirKernelsTogetherOrNot) {
  const auto module = testing::ParseOrFail(SoftmaxOf("64", "4096"));
  EXPECT_EQ(WhyNotTheModule(*module, Program(*module)), "");
  const auto fused = testing::ParseOrFail(kScaled);
  EXPECT_EQ(WhyNotTheModule(*fused, Program(*fused)), "");
  std::string text = SoftmaxOf("64", "4096");
  text.replace(text.find("divide(x, sb)"), 13, "divide(sb, x)");
  const auto other = testing::ParseOrFail(text);
  EXPECT_NE(WhyNotTheModule(*module, Program(*other)), "");
  EXPECT_NE(WhyNotTheModule(*other, Program(*module)), "");
}

}  // namespace
}  // namespace affirm::driver
