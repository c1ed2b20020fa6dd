// The constants of a dump: what LLVM IR puts into their buffers against the literals of the HLO.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/dump/constants.h"
#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;

const std::string kPass = "module_0001.jit_f.";
const std::string kLlvm = "target triple = \"nvptx64-nvidia-cuda\"\n";

struct Dump {
  std::string module;     // HLO
  std::string constants;  // variables
  std::string buffers = {};
  std::string target = "sm_9.0a_gpu_after_optimizations.txt";
  std::string kernel = {};  // variables of a kernel's file
};

// "proved", "refuted: element ..." for each row, and then what is not covered.
std::string Check(const Dump& dump) {
  TemporaryFolder::Files texts = {{kPass + dump.target, dump.module}};
  if (!dump.constants.empty())
    texts.emplace_back(kPass + "constants.ir-no-opt.ll", kLlvm + dump.constants);
  if (!dump.kernel.empty()) texts.emplace_back(kPass + "0.ir-no-opt.ll", kLlvm + dump.kernel);
  const TemporaryFolder folder(texts);
  auto files = driver::FindModules(folder.path());
  auto module = hlo::ParseModule(dump.module, "m.hlo");
  EXPECT_TRUE(!!files) << llvm::toString(files.takeError());
  EXPECT_TRUE(!!module) << llvm::toString(module.takeError());
  if (!files || !module) return "";
  const driver::BufferAssignment buffers(dump.buffers);
  const driver::ConstantRows rows =
      driver::CheckConstants(**module, dump.buffers.empty() ? nullptr : &buffers, files->front());
  std::string text;
  for (const driver::ConstantRow& row : rows.rows)
    text += std::string(Name(row.verdict)) + (row.reason.empty() ? "" : ": " + row.reason) + "\n";
  for (const driver::Uncovered& of : rows.not_covered) text += of.name + ": " + of.text + "\n";
  return text;
}

// A constant of a shape, and the initializer of its variable.
std::string CheckOne(const std::string& shape, const std::string& literal,
                     const std::string& initializer, const std::string& kind = "constant") {
  return Check(
      {.module = "HloModule m\nENTRY e { ROOT c.1 = " + shape + " constant(" + literal + ") }\n",
       .constants = "@buffer_for_c_1 = " + kind + " " + initializer + ", align 256\n"});
}

std::string Refuted(const std::string& element, const std::string& actual,
                    const std::string& expected, const std::string& how_many) {
  return "refuted: element " + element + " is " + actual +
         " in @buffer_for_c_1 of module_0001.jit_f.constants.ir-no-opt.ll, expected " + expected +
         " (" + how_many + " elements differ)\n";
}

TEST(XlaConstants, AreThoseOfTheHlo) {
  const std::string shape = "f32[4]{0}", literal = "{1, 2, 3, 4}";
  EXPECT_EQ(CheckOne(shape, literal, R"([16 x i8] c"\00\00\80?\00\00\00@\00\00@@\00\00\80@")"),
            "proved\n");
  EXPECT_EQ(CheckOne(shape, literal, R"([16 x i8] c"\00\00\80?\00\00\00@\00\00\00\00\00\00\80@")"),
            Refuted("[2]", "0", "3", "1 of 4"));
  EXPECT_EQ(CheckOne(shape, literal, "[16 x i8] zeroinitializer"),
            Refuted("[0]", "0", "1", "4 of 4"));
  EXPECT_EQ(CheckOne(shape, literal, "[12 x i8] zeroinitializer"),
            "refuted: @buffer_for_c_1 of module_0001.jit_f.constants.ir-no-opt.ll has 12 bytes, "
            "expected 16\n");
}

TEST(XlaConstants, LieByTheirLayout) {
  const std::string literal = "{{1,2,3},{4,5,6}}";
  const std::string rows = R"([6 x i8] c"\01\02\03\04\05\06")",
                    columns = R"([6 x i8] c"\01\04\02\05\03\06")";
  EXPECT_EQ(CheckOne("s8[2,3]{1,0}", literal, rows), "proved\n");
  EXPECT_EQ(CheckOne("s8[2,3]{0,1}", literal, columns), "proved\n");
  EXPECT_EQ(CheckOne("s8[2,3]{0,1}", literal, rows), Refuted("[0,1]", "3", "2", "4 of 6"));
  EXPECT_EQ(CheckOne("s8[2,3]{1,0}", literal, columns), Refuted("[0,1]", "4", "2", "4 of 6"));
  EXPECT_THAT(CheckOne("s8[2,3]{1,0:T(2,4)}", literal, rows), HasSubstr("has tiles"));
}

TEST(XlaConstants, HaveElementsOfAllTypes) {
  struct Case {
    std::string shape, literal, bytes;  // as a string of LLVM
    std::string other;                  // the same but for one element
  };
  for (const Case& of : std::vector<Case>{
           {"s4[3]{0:E(4)}", "{1, -2, 3}", R"([2 x i8] c"\E1\03")", R"([2 x i8] c"\1E\03")"},
           {"s4[3]{0:E(4)}", "{1, -2, 3}", R"([2 x i8] c"\E1\F3")", R"([2 x i8] c"\E1\02")"},
           {"u4[3]{0:E(4)}", "{1, 14, 3}", R"([2 x i8] c"\E1\03")", R"([2 x i8] c"\D1\03")"},
           {"u2[3]{0:E(2)}", "{1, 2, 3}", R"([1 x i8] c"\39")", R"([1 x i8] c"\3A")"},
           {"bf16[2]{0}", "{1, -2}", R"([4 x i8] c"\80?\00\C0")", R"([4 x i8] c"\80?\00\40")"},
           {"f16[2]{0}", "{1, -2}", R"([4 x i8] c"\00<\00\C0")", R"([4 x i8] c"\01<\00\C0")"},
           {"f8e4m3fn[3]{0}", "{1, 2, -0.5}", R"([3 x i8] c"8@\B0")", R"([3 x i8] c"8@\B1")"},
           {"f8e5m2[2]{0}", "{1, -2}", R"([2 x i8] c"<\C0")", R"([2 x i8] c"<@")"},
           {"c64[1]{0}", "{(3, -4)}", R"([8 x i8] c"\00\00@@\00\00\80\C0")",
            R"([8 x i8] c"\00\00@@\00\00\80@")"},
           {"pred[3]{0}", "{1, 0, 1}", R"([3 x i8] c"\01\00\01")", R"([3 x i8] c"\01\01\01")"},
           {"u64[1]{0}", "{18446744073709551615}", "i64 -1", "i64 -2"},
           {"s32[]", "17",
            R"([64 x i8] c"\11)" + std::string() +
                [] {
                  std::string zeros;
                  for (int k = 0; k < 63; ++k) zeros += "\\00";
                  return zeros;
                }() +
                "\"",
            "i32 16"},
           {"f32[2]{0}", "{1, 2}", "[2 x float] [float 1.0, float 2.0]",
            "[2 x float] [float 1.0, float 3.0]"},
           {"f32[2]{0}", "{1, 2}", "{ float, [1 x float] } { float 1.0, [1 x float] [float 2.0] }",
            "{ float, [1 x float] } { float 2.0, [1 x float] [float 2.0] }"},
           {"f32[2]{0}", "{0, 0}", "[2 x float] zeroinitializer",
            "[2 x float] [float 0.0, float -0.0]"},
           {"f64[1]{0}", "{nan}", "double 0x7FF8000000000001", "double 0x7FF0000000000000"}}) {
    EXPECT_EQ(CheckOne(of.shape, of.literal, of.bytes), "proved\n") << of.shape << of.bytes;
    EXPECT_THAT(CheckOne(of.shape, of.literal, of.other), ::testing::StartsWith("refuted: element"))
        << of.shape << of.other;
  }
}

TEST(XlaConstants, ThatAreNotComparedAreNamed) {
  const std::string shape = "f32[2]{0}", literal = "{1, 2}",
                    right = "[2 x float] [float 1.0, float 2.0]";
  // The runtime fills in the variable when it loads the program.
  EXPECT_EQ(CheckOne(shape, literal, "[64 x i8] zeroinitializer", "global"), "");
  EXPECT_THAT(CheckOne(shape, literal, "[4 x i8] zeroinitializer", "global"),
              HasSubstr("is no constant"));
  EXPECT_THAT(CheckOne("f32[]", "5", "[64 x i8] zeroinitializer", "global"),
              HasSubstr("is no constant"));
  EXPECT_THAT(CheckOne(shape, literal, "[64 x i8] zeroinitializer", "weak global"),
              HasSubstr("is no constant"));
  EXPECT_THAT(CheckOne(shape, literal, right, "global"), HasSubstr("is no constant"));
  EXPECT_EQ(CheckOne(shape, "{1, 3}", right, "global"), Refuted("[1]", "2", "3", "1 of 2"));
  for (const char* kind : {"weak constant", "externally_initialized constant"}) {
    EXPECT_THAT(CheckOne(shape, literal, right, kind), HasSubstr("another module may replace"));
    EXPECT_THAT(CheckOne(shape, literal, "[64 x i8] zeroinitializer", kind),
                HasSubstr("another module may replace"));
  }
  for (const char* value : {"[8 x i8] undef", "[2 x float] [float 1.0, float poison]"})
    EXPECT_THAT(CheckOne(shape, literal, value), HasSubstr("not defined"));
  EXPECT_THAT(CheckOne(shape, "{...}", right), HasSubstr("elided constants: constant 'c.1'"));
  EXPECT_THAT(CheckOne("s4[2]{0}", "{1, 2}", "i8 33"), HasSubstr("share bytes"));
  // No variable, no file, or none that can be read.
  const std::string module = "HloModule m\nENTRY e { ROOT c.1 = f32[] constant(1) }\n";
  EXPECT_THAT(
      Check({.module = module, .constants = "@buffer_for_c_2 = constant float 1.0\n"}),
      HasSubstr("no file of the dump has the value that its buffer holds, @buffer_for_c_1"));
  EXPECT_THAT(Check({.module = module, .constants = "@buffer_for_c_1 = external constant float\n"}),
              HasSubstr("no file of the dump"));
  EXPECT_THAT(Check({.module = module, .constants = ""}), HasSubstr("no file of the dump"));
  EXPECT_THAT(Check({.module = module, .constants = "hello\n"}), HasSubstr("expected LLVM IR"));
  const std::string two =
      "HloModule m\nENTRY e { c.1 = f32[] constant(1) c-1 = f32[] constant(1)\n ROOT r = f32[] "
      "add(c.1, c-1) }\n";
  EXPECT_THAT(Check({.module = two, .constants = "@buffer_for_c_1 = constant float 1.0\n"}),
              HasSubstr("several constants have the variable @buffer_for_c_1"));
}

// Some versions define the variables beside a kernel. Each definition has to be right.
TEST(XlaConstants, MayStandInTheFilesOfKernels) {
  const std::string module = "HloModule m\nENTRY e { ROOT c.1 = f32[] constant(1) }\n";
  const std::string right = "@buffer_for_c_1 = constant float 1.0\n",
                    wrong = "@buffer_for_c_1 = constant float 2.0\n";
  EXPECT_EQ(Check({.module = module, .constants = "", .kernel = right}), "proved\n");
  EXPECT_THAT(Check({.module = module, .constants = "", .kernel = wrong}), HasSubstr("refuted"));
  EXPECT_THAT(Check({.module = module, .constants = right, .kernel = wrong}), HasSubstr("refuted"));
}

// Includes constants of loops and branches; not those inside of fusions, and not those that nothing
// reads.
TEST(XlaConstants, AreThoseThatRun) {
  const std::string module = R"(HloModule m
fused { x = f32[] parameter(0) a = f32[] constant(7) ROOT r = f32[] add(x, a) }
body { x = f32[] parameter(0) b = f32[] constant(3) ROOT r = f32[] add(x, b) }
condition { x = f32[] parameter(0) l = f32[] constant(100) ROOT r = pred[] compare(x, l), direction=LT }
ENTRY e {
  c = f32[] constant(1)
  d = f32[] constant(5)
  f = f32[] fusion(c), kind=kLoop, calls=fused
  ROOT r = f32[] while(f), condition=condition, body=body
}
)";
  const std::string all =
      "@buffer_for_b = constant float 3.0\n@buffer_for_c = constant float 1.0\n"
      "@buffer_for_l = constant float 100.0\n";
  EXPECT_EQ(Check({.module = module, .constants = all}), "proved\nproved\nproved\n");
  for (const char* value : {" 3.0", " 1.0", " 100.0"}) {
    std::string other = all;
    other.replace(other.find(value), 2, " 2");
    EXPECT_THAT(Check({.module = module, .constants = other}), HasSubstr("refuted")) << other;
  }
}

// XLA:CPU has them in no file.
TEST(XlaConstants, AreLeftToTheRuntimeOnCpu) {
  for (const char* constant : {"f32[] constant(1)", "f32[2] constant({1, 2})"}) {
    const std::string text =
        Check({.module = std::string("HloModule m\nENTRY e { ROOT c.1 = ") + constant + " }\n",
               .constants = "",
               .target = "cpu_after_optimizations.txt"});
    EXPECT_EQ(text, "");
  }
}

// A kernel that adds a constant, which it reads from memory.
TemporaryFolder::Files DumpOf(const std::string& third) {
  const std::string module = R"(HloModule jit_f, is_scheduled=true
%fused (p: f32[4], q: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  %q = f32[4]{0} parameter(1)
  ROOT %s = f32[4]{0} add(%p, %q)
}
ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  %c.1 = f32[4]{0} constant({1, 2, 3, 4})
  ROOT %loop_add_fusion = f32[4]{0} fusion(%x, %c.1), kind=kLoop, calls=%fused
}
)";
  TemporaryFolder::Files files = {
      {kPass + "sm_9.0a_gpu_after_optimizations.txt", module},
      {kPass + "sm_9.0a_gpu_after_optimizations-buffer-assignment.txt",
       "allocation 0: size 16, parameter 0, shape |f32[4]| at ShapeIndex {}:\n"
       " value: <0 x @0> (size=16,offset=0): f32[4]{0}\n"
       "allocation 1: size 16, maybe-live-out:\n"
       " value: <1 loop_add_fusion @0> (size=16,offset=0): f32[4]{0}\n"
       "allocation 2: size 16, constant:\n"
       " value: <2 c.1 @0> (size=16,offset=0): f32[4]{0}\n"},
      {kPass + "thunk_sequence.txt",
       "001: kCustomKernel [source | sink] loop_add_fusion grid: [1, 1, 1] threads: [4, 1, 1]  "
       "shared_memory: 0 bytes\n"},
      {kPass + "0.ir-no-opt.ll", kLlvm + R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @loop_add_fusion(ptr %a, ptr %c, ptr %b) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr float, ptr %a, i32 %t
  %pc = getelementptr float, ptr %c, i32 %t
  %pb = getelementptr float, ptr %b, i32 %t
  %x = load float, ptr %pa
  %y = load float, ptr %pc
  %z = fadd float %x, %y
  store float %z, ptr %pb
  ret void
}
)"}};
  if (!third.empty()) {
    files.emplace_back(kPass + "constants.ir-no-opt.ll",
                       kLlvm +
                           "@buffer_for_c_1 = constant [4 x float] [float 1.0, float 2.0, float " +
                           third + ", float 4.0], align 256\n");
  }
  return files;
}

TEST(XlaConstants, DecideTheVerdict) {
  const TemporaryFolder right(DumpOf("3.0")), wrong(DumpOf("0.0")), none(DumpOf(""));
  RunResult r = RunAffirm({"xla", right.path(), "--kernels"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("1 compared (1 proved)"));
  r = RunAffirm({"xla", wrong.path(), "--kernels"});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("element [2] is 0 in @buffer_for_c_1 of"));
  EXPECT_THAT(r.out, HasSubstr("the first that is wrong is constant c.1 of module_0001.jit_f"));
  r = RunAffirm({"xla", none.path(), "--kernels"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("not covered: constant 'c.1'"));
  r = RunAffirm({"xla", none.path(), "--kernels", "--assume", "constants"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("verdict: proved, assuming constants"));
  auto json = llvm::json::parse(RunAffirm({"xla", wrong.path(), "--kernels", "--json"}).out);
  ASSERT_TRUE(static_cast<bool>(json));
  const llvm::json::Object& first = *json->getAsObject()->getObject("first_wrong");
  EXPECT_EQ(first.getString("stage").value_or(""), "constant");
  EXPECT_EQ(first.getObject("counterexample")->getString("expected").value_or(""), "3");
  EXPECT_EQ(json->getAsObject()->getArray("constants")->size(), 1u);
}

}  // namespace
}  // namespace affirm::testing
