// `affirm xla`: the parts of a dump, and verdicts on small dumps that are written here.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "core/hlo/text.h"
#include "driver/buffers/buffer_assignment.h"
#include "driver/dump/cpu_launches.h"
#include "driver/dump/dump_files.h"
#include "driver/dump/thunks.h"
#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

std::string Corpus(const std::string& which) {
  return ReadFile("corpus/equivalence/slice_of_slice." + which + ".hlo");
}

const std::string kPass = "module_0001.jit_f.";
// What XLA calls the files of three passes.
const std::string kStart = kPass + "0000.simplification.after_pipeline-start.before_algsimp.txt";
const std::string kAlgsimp = kPass + "0001.simplification.after_algsimp.before_dce.txt";
const std::string kDce = kPass + "0002.simplification.after_dce.before_pipeline-end.txt";

TEST(DumpFiles, AreSortedByModuleAndNumber) {
  TemporaryFolder dump({{kDce, "x"},
                        {kStart, "x"},
                        {kAlgsimp, "x"},
                        {kPass + "before_optimizations.txt", "x"},
                        {kPass + "sm_9.0a_gpu_after_optimizations.txt", "x"},
                        {kPass + "sm_9.0a_gpu_after_optimizations-buffer-assignment.txt", "x"},
                        {kPass + "thunk_sequence.txt", "x"},
                        {kPass + "10.ir-no-opt.ll", "x"},
                        {kPass + "2.ir-no-opt.ll", "x"},
                        {kPass + "constants.ir-no-opt.ll", "x"},
                        {kPass + "2.ir-with-opt.ll", "x"},
                        {"module_0002.jit_f.2.cpu_after_optimizations.txt", "x"}});
  auto modules = driver::FindModules(dump.path());
  ASSERT_TRUE(static_cast<bool>(modules)) << llvm::toString(modules.takeError());
  ASSERT_EQ(modules->size(), 2u);
  const driver::ModuleFiles& first = modules->front();
  EXPECT_EQ(first.name, "module_0001.jit_f");
  ASSERT_EQ(first.hlo.size(), 5u);
  EXPECT_EQ(first.hlo[1].after, "pipeline-start");
  EXPECT_EQ(first.hlo[2].after, "algsimp");
  EXPECT_EQ(first.hlo[2].pipeline, "simplification");
  EXPECT_EQ(first.hlo[3].after, "dce");
  EXPECT_NE(first.buffers, "");
  EXPECT_NE(first.thunks, "");
  ASSERT_EQ(first.kernels.size(), 2u);
  EXPECT_TRUE(first.kernels[1].ends_with(".10.ir-no-opt.ll"));
  EXPECT_EQ(modules->back().name, "module_0002.jit_f.2");
  EXPECT_FALSE(modules->back().has_passes);
}

// What the compiler was given is compared with the first HLO of the module of its name.
TEST(Xla, ComparesTheSource) {
  auto slice = [](int64_t start) {
    return "HloModule jit_f\nENTRY e { x = s32[300] parameter(0)\n ROOT s = s32[2] slice(x), "
           "slice={[" +
           std::to_string(start) + ":" + std::to_string(start + 2) + "]} }";
  };
  const std::string given =
      "HloModule jit_f\nENTRY e { x = s32[300] parameter(0)\n start = u8[] constant(200)\n ROOT s "
      "= s32[2] dynamic-slice(x, start), dynamic_slice_sizes={2} }";
  const TemporaryFile source("source.hlo", given);
  for (const auto& [start, status] : {std::pair(200, 0), {0, 1}}) {
    TemporaryFolder dump({{kPass + "before_optimizations.txt", slice(start)},
                          {kPass + "sm_9.0a_gpu_after_optimizations.txt", slice(start)}});
    EXPECT_EQ(RunAffirm({"xla", dump.path()}).status, 0);
    const RunResult run = RunAffirm({"xla", dump.path(), "--source", source.path()});
    EXPECT_EQ(run.status, status) << run.out << run.err;
    EXPECT_EQ(run.out.find("pass import changes the result") != std::string::npos, status == 1)
        << run.out;
  }
  TemporaryFolder of_another_name({{"module_0001.jit_g.before_optimizations.txt", slice(200)}});
  const RunResult other = RunAffirm({"xla", of_another_name.path(), "--source", source.path()});
  EXPECT_EQ(other.status, 3);
  EXPECT_NE(other.err.find("the dump has no module 'jit_f'"), std::string::npos) << other.err;
}

TEST(Thunks, HaveGridsAndInstructions) {
  driver::Thunks thunks = driver::ParseThunks(
      "001: kCopy         [source | next=002 (1)] kCopy\n"
      "002: kWhile [prev=001 (1) | sink        ]   \n"
      "condition:\n"
      "    004: kCustomKernel [source | sink] a_fusion_1 grid: [7, 2, 1] threads: [128, 1, 1]  "
      "shared_memory: 96 bytes\n",
      "thunk_metadata {\n  thunk_info {\n    profile_annotation: \"a_fusion.1\"\n    thunk_id: 4\n "
      " }\n}\n");
  ASSERT_EQ(thunks.kernels.size(), 1u);
  EXPECT_EQ(thunks.kernels[0].kernel, "a_fusion_1");
  EXPECT_EQ(thunks.kernels[0].instruction, "a_fusion.1");
  EXPECT_EQ(thunks.kernels[0].grid, (std::array<int64_t, 3>{7, 2, 1}));
  EXPECT_EQ(thunks.kernels[0].threads, (std::array<int64_t, 3>{128, 1, 1}));
  EXPECT_EQ(thunks.kernels[0].shared_bytes, 96);
  ASSERT_EQ(thunks.others.size(), 2u);
  EXPECT_EQ(thunks.others[0].kind, "kCopy");
  EXPECT_EQ(thunks.others[1].kind, "kWhile");
}

TEST(LaunchesOnCpu, FollowFromTheModule) {
  auto module = hlo::ParseModule(R"(HloModule m
negated { p = f32[50] parameter(0) ROOT n = f32[50] negate(p) }
ENTRY e {
  x = f32[50] parameter(0)
  y = f32[50] fusion(x), kind=kLoop, calls=negated, backend_config={"outer_dimension_partitions":["2","3"]}
  s = f32[50] fusion(y), kind=kCustom, calls=negated, backend_config={"fusion_config":{"kind":"__lib"}}
  ROOT c = f32[100] concatenate(y, s), dimensions={0}
})",
                                 "m");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  driver::Thunks thunks = driver::LaunchesOnCpu(**module, {"y", "c_kernel"});
  ASSERT_EQ(thunks.kernels.size(), 2u);
  EXPECT_EQ(thunks.kernels[0].kernel, "y");
  EXPECT_EQ(thunks.kernels[0].grid, (std::array<int64_t, 3>{6, 1, 1}));
  EXPECT_EQ(thunks.kernels[0].threads, (std::array<int64_t, 3>{1, 1, 1}));
  EXPECT_EQ(thunks.kernels[1].kernel, "c_kernel");
  EXPECT_EQ(thunks.kernels[1].instruction, "c");
  ASSERT_EQ(thunks.others.size(), 1u);
  EXPECT_EQ(thunks.others[0].kind, "fusion of kind __lib");
}

TEST(BufferAssignment, FollowsNamesToValues) {
  auto module = hlo::ParseModule(R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  c = (f32[4], s8[16]) custom-call(p), custom_call_target="f"
  g = f32[4] get-tuple-element(c), index=0
  b = f32[2,2] bitcast(g)
  n = f32[2,2] negate(b)
  ROOT t = (f32[2,2], f32[4]) tuple(n, g)
})",
                                 "m");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  driver::BufferAssignment buffers(
      "BufferAssignment:\nallocation 0: size 16, parameter 0, shape |f32[4]| at ShapeIndex {}:\n"
      " value: <1 p @0> (size=16,offset=0): f32[4]{0}\n"
      "allocation 1: size 48, preallocated-temp:\n"
      " value: <2 c{} @0> (size=16,offset=32): (f32[4], s8[16])\n"
      " value: <3 c{0} (phi) @0> (size=16,offset=0): f32[4]{0}\n"
      " value: <4 n @0> (size=16,offset=16): f32[2,2]{1,0}\n");
  auto find = [&](const char* name, int64_t leaf) {
    return buffers.Find(*(*module)->FindInstruction(name), leaf);
  };
  EXPECT_EQ(find("p", 0), (driver::BufferSlice{0, 0, 16}));
  EXPECT_EQ(find("b", 0), (driver::BufferSlice{1, 0, 16}));
  EXPECT_EQ(find("t", 0), (driver::BufferSlice{1, 16, 16}));
  EXPECT_EQ(find("t", 1), (driver::BufferSlice{1, 0, 16}));
  EXPECT_EQ(find("c", 1), std::nullopt);
  EXPECT_TRUE(driver::Overlap({1, 0, 17}, {1, 16, 16}));
  EXPECT_FALSE(driver::Overlap({1, 0, 16}, {1, 16, 16}));
  EXPECT_FALSE(driver::Overlap({0, 0, 16}, {1, 0, 16}));
}

// The value of a call is that of what it calls, and none of its own.
TEST(BufferAssignment, FollowsCallsToTheirRoots) {
  auto module = hlo::ParseModule(R"(HloModule m
f {
  a = f32[4] parameter(0)
  n = f32[4] negate(a)
  ROOT r = (f32[4], f32[4]) tuple(a, n)
}
ENTRY e {
  p = f32[4] parameter(0)
  c = (f32[4], f32[4]) call(p), to_apply=f
  g = f32[4] get-tuple-element(c), index=0
  h = f32[4] get-tuple-element(c), index=1
  ROOT s = f32[4] add(g, h)
})",
                                 "m");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  driver::BufferAssignment buffers(
      "BufferAssignment:\nallocation 0: size 16, parameter 0, shape |f32[4]| at ShapeIndex {}:\n"
      " value: <1 p @0> (size=16,offset=0): f32[4]{0}\n"
      "allocation 1: size 16, preallocated-temp:\n"
      " value: <2 n @0> (size=16,offset=0): f32[4]{0}\n");
  auto find = [&](const char* name) { return buffers.Find(*(*module)->FindInstruction(name), 0); };
  EXPECT_EQ(find("g"), (driver::BufferSlice{0, 0, 16}));
  EXPECT_EQ(find("h"), (driver::BufferSlice{1, 0, 16}));
}

// The value of an asynchronous operation is that of what runs, whose parameters are its operands.
TEST(BufferAssignment, FollowsWhatRunsAsynchronously) {
  auto module = hlo::ParseModule(R"(HloModule m
f {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  n = f32[4] negate(b)
  ROOT r = (f32[4], f32[4]) tuple(n, a)
}
ENTRY e {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  s = ((f32[4], f32[4]), (f32[4], f32[4]), u32[]) async-start(p, q), calls=f
  u = ((f32[4], f32[4]), (f32[4], f32[4]), u32[]) async-update(s)
  d = (f32[4], f32[4]) async-done(u)
  o = (f32[4], f32[4]) get-tuple-element(s), index=0
  ROOT t = (f32[4], f32[4], f32[4]) tuple(d#0, d#1, o#1)
})",
                                 "m");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  driver::BufferAssignment buffers(
      "BufferAssignment:\nallocation 0: size 16, parameter 0, shape |f32[4]| at ShapeIndex {}:\n"
      " value: <1 p @0> (size=16,offset=0): f32[4]{0}\n"
      "allocation 1: size 16, parameter 1, shape |f32[4]| at ShapeIndex {}:\n"
      " value: <2 q @0> (size=16,offset=0): f32[4]{0}\n"
      "allocation 2: size 16, preallocated-temp:\n"
      " value: <3 n @0> (size=16,offset=0): f32[4]{0}\n");
  auto find = [&](const char* name, int64_t leaf) {
    return buffers.Find(*(*module)->FindInstruction(name), leaf);
  };
  EXPECT_EQ(find("t", 0), (driver::BufferSlice{2, 0, 16}));
  EXPECT_EQ(find("t", 1), (driver::BufferSlice{0, 0, 16}));
  EXPECT_EQ(find("t", 2), (driver::BufferSlice{1, 0, 16}));
  EXPECT_EQ(find("b", 0), (driver::BufferSlice{1, 0, 16}));
  EXPECT_EQ(find("s", 4), std::nullopt);  // its state
}

TEST(Xla, NamesTheFirstPassThatIsWrong) {
  TemporaryFolder dump({{kPass + "before_optimizations.txt", Corpus("before")},
                        {kStart, Corpus("fixed")},
                        {kAlgsimp, Corpus("after")},
                        {kDce, Corpus("after")}});
  RunResult r = RunAffirm({"xla", dump.path(), "--json"});
  EXPECT_EQ(r.status, 1) << r.err;
  auto json = llvm::json::parse(r.out);
  ASSERT_TRUE(static_cast<bool>(json)) << llvm::toString(json.takeError()) << r.out;
  const llvm::json::Object& object = *json->getAsObject();
  EXPECT_EQ(object.getString("verdict"), "refuted");
  const llvm::json::Object* wrong = object.getObject("first_wrong");
  ASSERT_NE(wrong, nullptr);
  EXPECT_EQ(wrong->getString("stage"), "hlo-pass");
  EXPECT_EQ(wrong->getString("name"), "algsimp");
  EXPECT_EQ(object.getArray("passes")->size(), 3u);
  // The replay line gives the same witness.
  const std::string replay =
      wrong->getObject("counterexample")->getString("replay").value_or("").str();
  ASSERT_TRUE(replay.starts_with("affirm equiv --hlo ")) << replay;
  RunResult again = RunAffirm({"equiv", "--hlo", dump.path() + "/" + kStart,
                               dump.path() + "/" + kAlgsimp, "--rounding", "--seed", "0"});
  EXPECT_EQ(again.status, 1);
  EXPECT_EQ(RunAffirm({"xla", dump.path(), "--json", "--jobs", "4"}).out.size() > 0, true);
}

TEST(Xla, ProvesPassesThatKeepTheResult) {
  TemporaryFolder dump({{kStart, Corpus("before")}, {kAlgsimp, Corpus("fixed")}});
  RunResult r = RunAffirm({"xla", dump.path(), "-v", "--passes"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("verdict: proved"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("pass algsimp"), std::string::npos) << r.out;
}

TEST(Xla, WithoutPassesBeforeIsHeldAgainstAfter) {
  TemporaryFolder dump({{kPass + "before_optimizations.txt", Corpus("before")},
                        {kPass + "gpu_after_optimizations.txt", Corpus("after")}});
  RunResult r = RunAffirm({"xla", dump.path()});
  EXPECT_EQ(r.status, 1) << r.err;
  EXPECT_NE(r.out.find("pass all passes changes the result"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("not told apart: single passes"), std::string::npos) << r.out;
}

// A rounding that a pass leaves out is no fault, unless one asks for bits.
TEST(Xla, LawsExplainRoundings) {
  const std::string head = "HloModule m\nENTRY e { p = f32[64] parameter(0) ";
  TemporaryFolder dump({{kStart, head + "n = f16[64] convert(p) ROOT r = f32[64] convert(n) }"},
                        {kAlgsimp, head + "ROOT r = f32[64] copy(p) }"}});
  RunResult r = RunAffirm({"xla", dump.path(), "--passes", "-v"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_NE(r.out.find("proved  by convert.narrow_widen"), std::string::npos) << r.out;
  r = RunAffirm({"xla", dump.path(), "--passes", "--strict"});
  EXPECT_EQ(r.status, 1) << r.out;
}

TEST(Xla, LibraryCallsAreUnknown) {
  const std::string head = "HloModule m\nENTRY e { p = f32[4] parameter(0) ";
  TemporaryFolder dump(
      {{kStart, head + "ROOT r = f32[4] negate(p) }"},
       {kAlgsimp, head + "ROOT r = f32[4] custom-call(p), custom_call_target=\"negate\" }"}});
  RunResult r = RunAffirm({"xla", dump.path()});
  EXPECT_EQ(r.status, 2) << r.err;
  EXPECT_NE(r.out.find("custom-call r is not supported"), std::string::npos) << r.out;
}

TEST(Xla, AFileThatIsNoHloIsUnknownWithItsPlace) {
  TemporaryFolder dump({{kStart, Corpus("before")}, {kAlgsimp, "HloModule m\nENTRY e {"}});
  RunResult r = RunAffirm({"xla", dump.path()});
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.out.find(kAlgsimp + ":2:"), std::string::npos) << r.out;
}

TEST(Xla, OneModuleAlone) {
  TemporaryFolder dump({{kPass + "before_optimizations.txt", Corpus("before")},
                        {kPass + "gpu_after_optimizations.txt", Corpus("after")},
                        {"module_0002.jit_g.before_optimizations.txt", Corpus("before")},
                        {"module_0002.jit_g.gpu_after_optimizations.txt", Corpus("fixed")}});
  EXPECT_EQ(RunAffirm({"xla", dump.path()}).status, 1);
  RunResult r = RunAffirm({"xla", dump.path(), "--module", "module_0002.jit_g"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_EQ(r.out.find("module_0001"), std::string::npos) << r.out;
  auto without_times = [](const std::string& text) {
    return std::regex_replace(text, std::regex(" +[0-9.]+ ms"), "");
  };
  EXPECT_EQ(without_times(RunAffirm({"xla", dump.path(), "--module", "jit_g"}).out),
            without_times(r.out));
  r = RunAffirm({"xla", dump.path(), "--module", "jit"});
  EXPECT_EQ(r.status, 3);
  EXPECT_NE(r.err.find("no module 'jit' in"), std::string::npos) << r.err;
}

TEST(Xla, AFolderWithoutModulesIsBadInput) {
  const TemporaryFolder dump;
  dump.Add("readme.txt", "nothing");
  RunResult r = RunAffirm({"xla", dump.path()});
  EXPECT_EQ(r.status, 3);
  EXPECT_NE(r.err.find("holds no module, expected a dump of XLA"), std::string::npos) << r.err;
  EXPECT_EQ(RunAffirm({"xla", "no/such/folder"}).status, 3);
  EXPECT_EQ(RunAffirm({"xla"}).status, 3);
}

// A fusion that negates 50 elements in place, and its kernel.
const char* const kFusion = R"(HloModule m, is_scheduled=true
negated { p = f32[50] parameter(0) ROOT n = f32[50] negate(p) }
ENTRY e {
  x = f32[50] parameter(0)
  c = f32[50] copy(x)
  ROOT loop_fusion.1 = f32[50] fusion(c), kind=kLoop, calls=negated
}
)";
const char* const kBuffers = R"(BufferAssignment:
allocation 0: size 200, output shape is |f32[50]|, maybe-live-out:
 value: <1 c @0> (size=200,offset=0): f32[50]{0}
 value: <2 loop_fusion.1 @0> (size=200,offset=0): f32[50]{0}
allocation 1: size 200, parameter 0, shape |f32[50]| at ShapeIndex {}:
 value: <0 x @0> (size=200,offset=0): f32[50]{0}
)";

std::string Kernel(const std::string& last, const std::string& operation) {
  return R"(target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @loop_fusion_1(ptr %0, ptr %1) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ule i32 %t, )" +
         last + R"(
  br i1 %in, label %body, label %done
body:
  %from = getelementptr inbounds [50 x float], ptr %0, i32 0, i32 %t
  %x = load float, ptr %from, align 4
  %n = )" +
         operation + R"(
  %to = getelementptr inbounds [50 x float], ptr %1, i32 0, i32 %t
  store float %n, ptr %to, align 4
  br label %done
done:
  ret void
}
)";
}

std::vector<std::pair<std::string, std::string>> KernelDump(const std::string& kernel) {
  return {{kPass + "gpu_after_optimizations.txt", kFusion},
          {kPass + "gpu_after_optimizations-buffer-assignment.txt", kBuffers},
          {kPass + "thunk_sequence.txt",
           "001: kCopy [source | next=002 (1)] kCopy\n002: kCustomKernel [prev=001 (1) | sink] "
           "loop_fusion_1 grid: [1, 1, 1] threads: [64, 1, 1]  shared_memory: 0 bytes\n"},
          {kPass + "0.ir-no-opt.ll", kernel}};
}

TEST(Xla, ProvesAKernelInPlace) {
  TemporaryFolder dump(KernelDump(Kernel("49", "fneg float %x")));
  RunResult r = RunAffirm({"xla", dump.path(), "-v"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_NE(r.out.find("1 kernels (1 proved)"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("not covered: 1 of kCopy"), std::string::npos) << r.out;
}

TEST(Xla, RefutesAWrongKernel) {
  TemporaryFolder beyond(KernelDump(Kernel("50", "fneg float %x")));
  RunResult r = RunAffirm({"xla", beyond.path()});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("the first that is wrong is kernel loop_fusion_1 (bounds"),
            std::string::npos)
      << r.out;
  TemporaryFolder other(KernelDump(Kernel("49", "fadd float %x, 1.0")));
  r = RunAffirm({"xla", other.path(), "--json"});
  EXPECT_EQ(r.status, 1);
  auto json = llvm::json::parse(r.out);
  ASSERT_TRUE(static_cast<bool>(json));
  const llvm::json::Object* wrong = json->getAsObject()->getObject("first_wrong");
  ASSERT_NE(wrong, nullptr);
  EXPECT_EQ(wrong->getString("stage"), "kernel");
  EXPECT_EQ(wrong->getString("name"), "loop_fusion_1");
  EXPECT_EQ(wrong->getObject("counterexample")->getString("claim"), "values");
}

// The same fusion as XLA:CPU compiles it: a call frame, a loop, the operand's array for the result.
std::string KernelOnCpu(const std::string& end, const std::string& returned = "null") {
  return R"(%XLA_CPU_KernelCallFrame = type { ptr, ptr, i64, ptr }
%XLA_CPU_KernelArg = type { ptr, i64 }
define ptr @loop_fusion.1(ptr %0) {
  %args.at = getelementptr inbounds %XLA_CPU_KernelCallFrame, ptr %0, i32 0, i32 3
  %args = load ptr, ptr %args.at
  %a.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 0, i32 0
  %a = load ptr, ptr %a.at
  %r.at = getelementptr inbounds %XLA_CPU_KernelArg, ptr %args, i32 1, i32 0
  %r = load ptr, ptr %r.at
  br label %loop
loop:
  %i = phi i64 [ 0, %1 ], [ %next, %body ]
  %in = icmp slt i64 %i, )" +
         end + R"(
  br i1 %in, label %body, label %done
body:
  %at = getelementptr inbounds [50 x float], ptr %a, i32 0, i64 %i
  %x = load float, ptr %at, align 4
  %n = fneg float %x
  store float %n, ptr %at, align 4
  %next = add i64 %i, 1
  br label %loop
done:
  ret ptr )" +
         returned + "\n}\n";
}

TemporaryFolder::Files DumpOnCpu(const std::string& kernel) {
  return {{kPass + "cpu_after_optimizations.txt", kFusion},
          {kPass + "cpu_after_optimizations-buffer-assignment.txt", kBuffers},
          {kPass + "loop_fusion.1_kernel_module.ir-no-opt.ll", kernel}};
}

TEST(Xla, ProvesAndRefutesKernelsOnCpu) {
  TemporaryFolder good(DumpOnCpu(KernelOnCpu("50")));
  RunResult r = RunAffirm({"xla", good.path(), "-v"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_NE(r.out.find("1 kernels (1 proved)"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("not covered: 1 of copy"), std::string::npos) << r.out;
  TemporaryFolder early(DumpOnCpu(KernelOnCpu("49")));
  r = RunAffirm({"xla", early.path()});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  TemporaryFolder beyond(DumpOnCpu(KernelOnCpu("51")));
  r = RunAffirm({"xla", beyond.path()});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("kernel loop_fusion.1 (bounds"), std::string::npos) << r.out;
}

TEST(Xla, CallFramesThatAreUsedInOtherWaysAreUnknown) {
  TemporaryFolder returns(DumpOnCpu(KernelOnCpu("50", "%a")));
  RunResult r = RunAffirm({"xla", returns.path()});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("an error is returned"), std::string::npos) << r.out;
  // The frame's arguments are read, and nothing else of it.
  std::string kernel = KernelOnCpu("50");
  kernel.replace(kernel.find("i32 0, i32 3"), 12, "i32 0, i32 2");
  TemporaryFolder other(DumpOnCpu(kernel));
  r = RunAffirm({"xla", other.path()});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("a load of a part of the call frame that is not known"), std::string::npos)
      << r.out;
}

// In the stead of XLA's compiler: it makes differences of sums.
TEST(Xla, ReducesTheModuleOfWhatIsWrong) {
  const std::string program =
      "f() { while [ $1 != --out ]; do shift; done; shift 2; for file in \"$@\"; do "
      "d=${file%.hlo}; mkdir -p $d; "
      "cp $file $d/m.before_optimizations.txt; "
      "sed 's/ add(/ subtract(/' $file > $d/m.cpu_after_optimizations.txt; done; }; f";
  const std::string before =
      "HloModule m\nENTRY e {\n  p = s32[6,4] parameter(0)\n  q = s32[4,6] parameter(1)\n"
      "  n = s32[6,4] negate(p)\n  t = s32[6,4] transpose(q), dimensions={1,0}\n"
      "  s = s32[6,4] add(n, t)\n  r = s32[24] reshape(s)\n  c = s32[6,4] copy(p)\n"
      "  ROOT o = (s32[24], s32[6,4]) tuple(r, c)\n}\n";
  std::string after = before;
  after.replace(after.find(" add("), 5, " subtract(");
  TemporaryFolder dump({{"m.before_optimizations.txt", before},
                        {"m.cpu_after_optimizations.txt", after},
                        {"small.hlo", ""}});
  const std::string small = dump.path() + "/small.hlo";
  RunResult r = RunAffirm({"xla", dump.path(), "--reduce", small, "--compiler", program});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("reduced from 8 instructions to "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find(" && affirm xla dump/small --seed 0"), std::string::npos) << r.out;
  const std::string text = ReadFile(small);
  EXPECT_NE(text.find(" add("), std::string::npos) << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 8) << text;
  r = RunAffirm({"xla", dump.path(), "--reduce", small, "--compiler", program, "--json"});
  auto answer = llvm::json::parse(r.out);
  ASSERT_TRUE(static_cast<bool>(answer)) << llvm::toString(answer.takeError());
  EXPECT_EQ(answer->getAsObject()->getObject("reduced")->getInteger("instructions_before"), 8);
  // A compiler that does nothing wrong, none, and a file that cannot be written.
  const std::string right = program.substr(0, program.find("sed ")) +
                            "cp $file $d/m.cpu_after_optimizations.txt; done; }; f";
  r = RunAffirm({"xla", dump.path(), "--reduce", small, "--compiler", right});
  EXPECT_EQ(r.status, 3) << r.out << r.err;
  EXPECT_NE(r.err.find("does not go wrong in the same place (pass all passes) again"),
            std::string::npos)
      << r.err;
  EXPECT_EQ(RunAffirm({"xla", dump.path(), "--reduce", small, "--compiler", "false"}).status, 3);
  EXPECT_EQ(
      RunAffirm({"xla", dump.path(), "--reduce", "/dev/null/x", "--compiler", program}).status, 3);
}

TEST(FuzzXla, WithoutItsCompilerEndsWithOneLine) {
  RunResult r = RunAffirm({"fuzz", "xla", "--runs", "1", "--compiler", "false"});
  EXPECT_EQ(r.status, 3) << r.out << r.err;
  EXPECT_NE(r.err.find("XLA's compiler cannot be started by 'false"), std::string::npos) << r.err;
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
}

// In the stead of the compiler: it makes a dump of one file, or refuses, or dies.
TEST(FuzzXla, ChecksWhatTheCompilerLeaves) {
  auto run = [](const std::string& each) {
    const std::string program =
        "f() { shift 4; for file in \"$@\"; do "
        "d=${file%.hlo}; " +
        each + "; done; }; f";
    return RunAffirm(
        {"fuzz", "xla", "--runs", "3", "--no-reduce", "--out", "", "--compiler", program});
  };
  RunResult r =
      run("mkdir -p $d; cp $file $d/m.before_optimizations.txt; cp $file "
          "$d/m.cpu_after_optimizations.txt");
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_NE(r.out.find("3 runs, 3 fine"), std::string::npos) << r.out;
  r = run("mkdir -p $d; echo no > $d/refused.txt");
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  r = run("kill -ABRT $$");
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("3 crash"), std::string::npos) << r.out;
}

// y is needed after z is written: they may not share bytes; x is not, and may.
TEST(Xla, ABufferIsNotReusedTooEarly) {
  const std::string module = R"(HloModule m, is_scheduled=true
ENTRY e {
  p = f32[50] parameter(0)
  x = f32[50] copy(p)
  y = f32[50] copy(x)
  b = f32[5,10] bitcast(y)
  z = f32[50] copy(p)
  ROOT t = (f32[5,10], f32[50]) tuple(b, z)
})";
  auto dump_with = [&](const std::string& of_z) {
    return std::vector<std::pair<std::string, std::string>>{
        {kPass + "gpu_after_optimizations.txt", module},
        {kPass + "thunk_sequence.txt", "001: kCopy [source | sink] kCopy\n"},
        {kPass + "gpu_after_optimizations-buffer-assignment.txt",
         "BufferAssignment:\nallocation 0: size 200, parameter 0:\n"
         " value: <0 p @0> (size=200,offset=0): f32[50]{0}\n"
         "allocation 1: size 500, preallocated-temp:\n"
         " value: <1 x @0> (size=200,offset=0): f32[50]{0}\n"
         " value: <2 y @0> (size=200,offset=256): f32[50]{0}\n"
         " value: <3 z @0> (size=200,offset=" +
             of_z + "): f32[50]{0}\n"}};
  };
  TemporaryFolder good(dump_with("0"));
  RunResult r = RunAffirm({"xla", good.path(), "-v"});
  EXPECT_NE(r.out.find("4 values, 1 pairs of them share bytes, 0 while both are needed"),
            std::string::npos)
      << r.out << r.err;
  TemporaryFolder bad(dump_with("300"));
  r = RunAffirm({"xla", bad.path()});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("z is written over y, which the caller reads afterwards"), std::string::npos)
      << r.out;
  EXPECT_NE(RunAffirm({"xla", bad.path(), "--json"}).out.find("\"stage\":\"buffers\""),
            std::string::npos);
}

TEST(Xla, AKernelWithoutItsBuffersIsUnknown) {
  auto files = KernelDump(Kernel("49", "fneg float %x"));
  files[1].second = "BufferAssignment:\n";
  TemporaryFolder dump(files);
  RunResult r = RunAffirm({"xla", dump.path()});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("the buffer assignment has no buffer of c"), std::string::npos) << r.out;
}

}  // namespace
}  // namespace affirm::testing
