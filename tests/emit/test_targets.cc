// The stages and targets of a kernel: text, PTX that the assembler takes, the CUDA device where
// there is one.
#include <cstdlib>
#include <fstream>

#include "emit/codegen/device_math.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "tests/emit/kernel_testing.h"
#include "verify/reference/interpreter.h"

namespace affirm::testing {
namespace {

using emit::Stage;
using emit::Target;

const std::string kSoftmax = R"(HloModule m
  max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }
  sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] add(a, b) }
  ENTRY e {
    p = f32[7,33] parameter(0)
    low = f32[] constant(-inf)
    zero = f32[] constant(0)
    m = f32[7] reduce(p, low), dimensions={1}, to_apply=max
    mb = f32[7,33] broadcast(m), dimensions={0}
    d = f32[7,33] subtract(p, mb)
    x = f32[7,33] exponential(d)
    s = f32[7] reduce(x, zero), dimensions={1}, to_apply=sum
    sb = f32[7,33] broadcast(s), dimensions={0}
    ROOT r = f32[7,33] divide(x, sb)
  })";

// Every op with device code of its own, in one type.
std::string AllMath(const std::string& type) {
  const char* unary[] = {"abs",
                         "acos",
                         "acosh",
                         "asin",
                         "asinh",
                         "atanh",
                         "cbrt",
                         "ceil",
                         "cosh",
                         "cosine",
                         "erf",
                         "floor",
                         "exponential",
                         "exponential-minus-one",
                         "log",
                         "rsqrt",
                         "sine",
                         "sinh",
                         "log-plus-one",
                         "logistic",
                         "sqrt",
                         "sign",
                         "negate",
                         "round-nearest-afz",
                         "round-nearest-even",
                         "tan",
                         "tanh"};
  const char* binary[] = {"add",      "atan2", "divide",    "maximum", "minimum",
                          "multiply", "power", "remainder", "subtract"};
  std::string body, names, shapes, shape = type + "[40]";
  int n = 0;
  auto add = [&](const std::string& op, const std::string& operands) {
    std::string name = "r" + std::to_string(n++);
    body += "  " + name + " = " + shape + " " + op + "(" + operands + ")\n";
    names += (n > 1 ? ", " : "") + name;
    shapes += (n > 1 ? ", " : "") + shape;
  };
  for (const char* op : unary) add(op, "x");
  for (const char* op : binary) add(op, "x, y");
  return "HloModule m\nENTRY e {\n  x = " + shape + " parameter(0)\n  y = " + shape +
         " parameter(1)\n" + body + "  ROOT t = (" + shapes + ") tuple(" + names + ")\n}\n";
}

std::string TextOf(const std::string& hlo, Target target, Stage stage) {
  EmittedModule emitted = Emit(hlo);
  EXPECT_TRUE(emitted.kernel) << emitted.error;
  if (!emitted.kernel) return "";
  auto text = emitted.kernel->Text(target, stage);
  if (text) return *text;
  ADD_FAILURE() << llvm::toString(text.takeError());
  return "";
}

// Assembles PTX; the assembler's words on failure.
::testing::AssertionResult Assembles(const std::string& ptxas, const std::string& ptx) {
  llvm::SmallString<64> source, words;
  llvm::sys::fs::createTemporaryFile("affirm", "ptx", source);
  llvm::sys::fs::createTemporaryFile("affirm", "log", words);
  std::ofstream(source.c_str()) << ptx;
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, words.str(), words.str()};
  int status = llvm::sys::ExecuteAndWait(ptxas, {ptxas, "-arch=sm_90", source, "-o", "/dev/null"},
                                         std::nullopt, redirects);
  std::ifstream log(words.c_str());
  std::string text((std::istreambuf_iterator<char>(log)), {});
  llvm::sys::fs::remove(source);
  llvm::sys::fs::remove(words);
  if (status == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << text;
}

std::string FindPtxas() {
  auto found = llvm::sys::findProgramByName("ptxas");
  if (found) return *found;
  const std::string usual = "/usr/local/cuda/bin/ptxas";
  return llvm::sys::fs::can_execute(usual) ? usual : "";
}

TEST(Stages, EveryStageHasText) {
  EXPECT_NE(TextOf(kSoftmax, Target::kNvptx, Stage::kMlir).find("tensor.insert"),
            std::string::npos);
  EXPECT_NE(TextOf(kSoftmax, Target::kNvptx, Stage::kLlvm).find("ptx_kernel"), std::string::npos);
  EXPECT_NE(TextOf(kSoftmax, Target::kAmdgpu, Stage::kLlvm).find("amdgpu_kernel"),
            std::string::npos);
  EXPECT_NE(TextOf(kSoftmax, Target::kNvptx, Stage::kAsm).find(".visible .entry e_kernel"),
            std::string::npos);
  EXPECT_NE(TextOf(kSoftmax, Target::kAmdgpu, Stage::kAsm).find("gfx942"), std::string::npos);
}

TEST(Stages, TextIsTheSameEveryTime) {
  for (Stage stage : {Stage::kMlir, Stage::kLlvm, Stage::kAsm}) {
    EXPECT_EQ(TextOf(kSoftmax, Target::kNvptx, stage), TextOf(kSoftmax, Target::kNvptx, stage));
  }
}

class DeviceMath : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Types, DeviceMath, ::testing::Values("f16", "bf16", "f32", "f64"),
                         [](const auto& info) { return info.param; });

// A kernel that calls an undefined function would fail to load on the device only.
TEST_P(DeviceMath, PtxCallsNothingFromOutside) {
  std::string ptx = TextOf(AllMath(GetParam()), Target::kNvptx, Stage::kAsm);
  EXPECT_EQ(ptx.find(".extern"), std::string::npos);
  std::string ptxas = FindPtxas();
  if (ptxas.empty()) GTEST_SKIP() << "there is no ptxas here";
  EXPECT_TRUE(Assembles(ptxas, ptx));
}

TEST_P(DeviceMath, AmdgpuAssembly) {
  EXPECT_NE(TextOf(AllMath(GetParam()), Target::kAmdgpu, Stage::kAsm).find("s_endpgm"),
            std::string::npos);
}

// sine(sine(.. x)), `calls` times.
std::string Sines(int64_t calls) {
  std::string body;
  for (int64_t i = 1; i <= calls; ++i) {
    body += (i == calls ? "  ROOT v" : "  v") + std::to_string(i) + " = f32[40] sine(v" +
            std::to_string(i - 1) + ")\n";
  }
  return "HloModule m\nENTRY e {\n  v0 = f32[40] parameter(0)\n" + body + "}\n";
}

int64_t Count(llvm::StringRef text, llvm::StringRef what) {
  return static_cast<int64_t>(text.count(what));
}

// Many calls of a function share its code; each of a few calls has a copy.
TEST(Ptx, FunctionsThatAreCalledOftenAreThereOnce) {
  const int64_t most = emit::kMostInlinedMathCalls;
  std::string few = TextOf(Sines(most), Target::kNvptx, Stage::kAsm);
  EXPECT_EQ(Count(few, ".func"), 0);
  EXPECT_EQ(Count(few, "call.uni"), 0);
  std::string many = TextOf(Sines(most + 1), Target::kNvptx, Stage::kAsm);
  std::string twice = TextOf(Sines(2 * most), Target::kNvptx, Stage::kAsm);
  EXPECT_LT(many.size(), few.size() / 2);
  EXPECT_LT(twice.size(), 2 * many.size());
  EXPECT_EQ(Count(twice, "call.uni"), 2 * most);
  EXPECT_EQ(Count(twice, ".visible .entry"), 1);
}

TEST(Ptx, FunctionsThatAreThereOnceAssemble) {
  std::string ptxas = FindPtxas();
  if (ptxas.empty()) GTEST_SKIP() << "there is no ptxas here";
  std::string ptx = TextOf(Sines(2 * emit::kMostInlinedMathCalls), Target::kNvptx, Stage::kAsm);
  EXPECT_TRUE(Assembles(ptxas, ptx));
}

// An access of affirm-vectorize is one instruction: for neighboring columns, and for a scatter's
// updates.
TEST(Ptx, ColumnsAndUpdatesAreReadAsVectors) {
  auto reads = [](const std::string& body, const std::string& instruction) {
    const std::string add =
        "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) "
        "ROOT s = f32[] add(a, b) }\n";
    const std::string ptx = TextOf(add + "ENTRY e {" + body + "}", Target::kNvptx, Stage::kAsm);
    return ptx.find("ld.global.nc." + instruction) != std::string::npos;
  };
  auto columns = [](const std::string& sizes, const std::string& kept) {
    return "p = f32" + sizes + " parameter(0)\nz = f32[] constant(0)\nROOT r = f32" + kept +
           " reduce(p, z), dimensions={0}, to_apply=add";
  };
  EXPECT_TRUE(reads(columns("[512,100]", "[100]"), "v4.b32"));
  EXPECT_TRUE(reads(columns("[512,102]", "[102]"), "v2.b32"));
  EXPECT_FALSE(reads(columns("[512,101]", "[101]"), "v"));
  auto rows = [](const std::string& row) {
    return "p = f32[300," + row + "] parameter(0)\ni = s32[512,1] parameter(1)\nu = f32[512," +
           row + "] parameter(2)\nROOT r = f32[300," + row +
           "] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add";
  };
  EXPECT_TRUE(reads(rows("128"), "v4.b32"));
  EXPECT_FALSE(reads(rows("127"), "v"));
}

TEST(Ptx, ArrayConstantsAndIntegerOpsAssemble) {
  std::string ptx = TextOf(R"(HloModule m
    ENTRY e {
      p = s32[5] parameter(0)
      q = u4[5] parameter(1)
      c = s32[5] constant({5, -3, 0, 7, 2147483647})
      d = s32[5] divide(c, p)
      r = s32[5] power(d, p)
      s = s32[5] popcnt(r)
      u = u4[5] count-leading-zeros(q)
      w = s32[5] convert(u)
      ROOT a = s32[5] add(s, w)
    })",
                           Target::kNvptx, Stage::kAsm);
  std::string ptxas = FindPtxas();
  if (ptxas.empty()) GTEST_SKIP() << "there is no ptxas here";
  EXPECT_TRUE(Assembles(ptxas, ptx));
}

TEST(Cuda, MatchesTheInterpreter) {
  std::string why;
  if (!emit::CudaAvailable(&why)) {
    EXPECT_FALSE(why.empty());
    GTEST_SKIP() << why;
  }
  EmittedModule emitted = Emit(kSoftmax);
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  std::vector<hlo::Literal> arguments = hlo::MakeArguments(emitted.entry(), 1);
  auto expected = hlo::Interpret(emitted.entry(), arguments, &emitted.kernel->evaluation_orders());
  auto actual = emit::RunOnCuda(*emitted.kernel, arguments);
  ASSERT_TRUE(bool(expected)) << llvm::toString(expected.takeError());
  ASSERT_TRUE(bool(actual)) << llvm::toString(actual.takeError());
  EXPECT_TRUE(SameValue(*expected, *actual, /*ulps=*/8));  // libclc's exp is another than libm's
}

TEST(Cuda, WithoutADeviceTheErrorSaysSo) {
  std::string why;
  if (emit::CudaAvailable(&why)) GTEST_SKIP() << "there is a CUDA device here";
  EmittedModule emitted = Emit(kSoftmax);
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  auto result = emit::RunOnCuda(*emitted.kernel, hlo::MakeArguments(emitted.entry(), 1));
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(llvm::toString(result.takeError()), why);
}

}  // namespace
}  // namespace affirm::testing
