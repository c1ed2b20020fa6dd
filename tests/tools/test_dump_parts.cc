// Parts of a dump of XLA: its files, thunks, the work on a CPU, the buffer assignment.
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/buffers/buffer_assignment.h"
#include "driver/dump/dump_files.h"
#include "driver/dump/scheduled_work.h"
#include "driver/dump/thunks.h"
#include "tests/tools/dump_names.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

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
                        {kPass + "thunk_sequence_after_thunk_passes.txt", "x"},
                        {kPass + "ir-no-opt.part_00.ll", "x"},
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
  EXPECT_NE(first.thunks_after_passes, "");
  ASSERT_EQ(first.kernels.size(), 3u);
  EXPECT_TRUE(first.kernels[1].ends_with(".10.ir-no-opt.ll"));
  EXPECT_EQ(modules->back().name, "module_0002.jit_f.2");
  EXPECT_FALSE(modules->back().has_passes);
}

// A module without HLO is listed if another module has HLO.
TEST(DumpFiles, AModuleMayHaveLostItsHlo) {
  TemporaryFolder::Files files = {{"module_0002.jit_g.thunk_sequence.txt", "x"}};
  auto none = driver::FindModules(TemporaryFolder(files).path());
  EXPECT_FALSE(static_cast<bool>(none));
  llvm::consumeError(none.takeError());
  files.emplace_back(kPass + "gpu_after_optimizations.txt", "x");
  auto modules = driver::FindModules(TemporaryFolder(files).path());
  ASSERT_TRUE(static_cast<bool>(modules)) << llvm::toString(modules.takeError());
  EXPECT_EQ(modules->size(), 2u);
}

TEST(Thunks, AreTrees) {
  auto sequence = driver::ParseThunks(
      "001: kCopy         [source | next=002 (1)] kCopy\n"
      "002: kWhile [prev=001 (1) | sink        ]   \n"
      "condition:\n"
      "    004: kCustomKernel [source | sink] a_fusion_1 grid: [7, 2, 1] threads: [128, 1, 1]  "
      "shared_memory: 96 bytes\n"
      "  body:\n"
      "    005: kWhile [source | sink]\n"
      "condition:\n"
      "      body:\n"
      "        006: kCopy [source | sink] kCopy\n"
      "007: kSequential [source | sink]\n"
      "    008: kFft [source | sink]\n",
      "thunk_metadata {\n  thunk_info {\n    profile_annotation: \"a_fusion.1\"\n    thunk_id: 4\n "
      " }\n}\nthunk_metadata {\n  thunk_info {\n    profile_annotation: \"no\"\n  }\n}\n"
      "thunk_metadata {\n  thunk_info {\n    thunk_id: 6\n  }\n}\n");
  ASSERT_TRUE(static_cast<bool>(sequence)) << llvm::toString(sequence.takeError());
  ASSERT_EQ(sequence->thunks.size(), 3u);
  EXPECT_EQ(sequence->thunks[0].kind, "kCopy");
  const driver::Thunk& loop = sequence->thunks[1];
  ASSERT_EQ(loop.nested.size(), 2u);
  EXPECT_EQ(loop.nested[0].label, "condition");
  ASSERT_EQ(loop.nested[0].thunks.size(), 1u);
  const driver::Thunk& kernel = loop.nested[0].thunks[0];
  EXPECT_EQ(kernel.instruction, "a_fusion.1");
  EXPECT_EQ(kernel.launch, (driver::KernelLaunch{"a_fusion_1", {7, 2, 1}, {128, 1, 1}, 96}));
  EXPECT_EQ(loop.nested[1].label, "body");
  ASSERT_EQ(loop.nested[1].thunks.size(), 1u);
  const driver::Thunk& inner = loop.nested[1].thunks[0];
  ASSERT_EQ(inner.nested.size(), 2u);
  EXPECT_TRUE(inner.nested[0].thunks.empty());
  ASSERT_EQ(inner.nested[1].thunks.size(), 1u);
  EXPECT_EQ(inner.nested[1].thunks[0].instruction, "");
  ASSERT_EQ(sequence->thunks[2].nested.size(), 1u);
  EXPECT_EQ(sequence->thunks[2].nested[0].label, "");
  auto garbage = driver::ParseThunks("001: kCopy [source | sink] kCopy\nwhat is this\n", "");
  ASSERT_FALSE(static_cast<bool>(garbage));
  EXPECT_NE(llvm::toString(garbage.takeError()).find("line 2"), std::string::npos);
}

TEST(WorkOnCpu, FollowsFromTheModule) {
  auto module = hlo::ParseModule(R"(HloModule m
negated { p = f32[50] parameter(0) ROOT n = f32[50] negate(p) }
negated_too { q = f32[50] parameter(0) ROOT m = f32[50] negate(q) }
ENTRY e {
  x = f32[50] parameter(0)
  y = f32[50] fusion(x), kind=kLoop, calls=negated, backend_config={"outer_dimension_partitions":["2","3"]}
  s = f32[50] fusion(y), kind=kCustom, calls=negated, backend_config={"fusion_config":{"kind":"__lib"}}
  k = f32[50] copy(s)
  v = f32[50] fusion(k), kind=kLoop, calls=negated_too, backend_config={"outer_dimension_partitions":["6"]}
  u = f32[50] fusion(v), kind=kLoop, calls=negated
  t = f32[50] custom-call(u), custom_call_target="t"
  ROOT c = f32[100] concatenate(y, t), dimensions={0}
})",
                                 "m");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  const driver::ScheduledWork work = driver::WorkOnCpu(**module, {"y", "c_kernel"});
  EXPECT_EQ(work.instructions, 7);
  ASSERT_EQ(work.kernels.size(), 3u);
  EXPECT_EQ(work.kernels[0].launch, (driver::KernelLaunch{"y", {6, 1, 1}, {1, 1, 1}, 0}));
  EXPECT_EQ(work.kernels[1].launch, work.kernels[0].launch);  // two fusions of the same body
  EXPECT_EQ(work.kernels[1].instruction->name, "v");
  EXPECT_EQ(work.kernels[2].launch.kernel, "c_kernel");
  EXPECT_EQ(work.kernels[2].instruction->name, "c");
  ASSERT_EQ(work.not_covered.size(), 3u);
  EXPECT_EQ(work.not_covered[0].name, "__lib");
  EXPECT_EQ(work.not_covered[1].name, "u");
  EXPECT_EQ(work.not_covered[2].name, "t");
}

TEST(WorkOnCpu, TellsFunctionsOfOneNameApart) {
  auto module = hlo::ParseModule(R"(HloModule m
ENTRY e {
  x = f32[50] parameter(0)
  y = f32[50] negate(x)
  y_kernel = f32[50] sine(y)
  ROOT z = f32[50] cosine(y_kernel)
})",
                                 "m");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  const driver::ScheduledWork work =
      driver::WorkOnCpu(**module, {"y_kernel", "y_kernel_kernel", "z_kernel"});
  ASSERT_EQ(work.kernels.size(), 2u);
  EXPECT_EQ(work.kernels[0].launch.kernel, "y_kernel");
  EXPECT_EQ(work.kernels[1].launch.kernel, "z_kernel");
  ASSERT_EQ(work.not_covered.size(), 1u);
  EXPECT_EQ(work.not_covered[0].text, "'y_kernel', which has the name of two functions");
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

// A call has the value of its callee, and none of its own.
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

// An asynchronous operation has the value of its computation, whose parameters are its operands.
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

}  // namespace
}  // namespace affirm::testing
