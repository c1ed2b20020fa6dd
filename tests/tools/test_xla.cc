// `affirm xla`: the parts of a dump, and verdicts on small dumps that are written here.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "core/hlo/text.h"
#include "driver/buffers/buffer_assignment.h"
#include "driver/dump/dump_files.h"
#include "driver/dump/scheduled_work.h"
#include "driver/dump/thunks.h"
#include "driver/equivalence/equivalence.h"
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

// Beside a module whose HLO is there, one without HLO is not passed over.
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
    EXPECT_EQ(RunAffirm({"xla", dump.path(), "--passes"}).status, 0);
    const RunResult run = RunAffirm({"xla", dump.path(), "--passes", "--source", source.path()});
    EXPECT_EQ(run.status, status) << run.out << run.err;
    EXPECT_EQ(run.out.find("pass import changes the result") != std::string::npos, status == 1)
        << run.out;
  }
  TemporaryFolder of_another_name({{"module_0001.jit_g.before_optimizations.txt", slice(200)}});
  const RunResult other = RunAffirm({"xla", of_another_name.path(), "--source", source.path()});
  EXPECT_EQ(other.status, 3);
  EXPECT_NE(other.err.find("the dump has no module 'jit_f'"), std::string::npos) << other.err;
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
  EXPECT_EQ(work.kernels[1].launch, work.kernels[0].launch);  // that of what is the same
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
  TemporaryFolder dump({{kPass + "before_optimizations.txt", Corpus("before")},
                        {kStart, Corpus("before")},
                        {kAlgsimp, Corpus("fixed")}});
  RunResult r = RunAffirm({"xla", dump.path(), "-v", "--passes"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("verdict: proved"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("pass algsimp"), std::string::npos) << r.out;
}

// A compiler writes the HLO before all passes with that of each: files were lost.
TEST(Xla, WhatRunsBeforeTheFirstFileIsNotCovered) {
  const TemporaryFolder dump({{kStart, Corpus("before")}, {kAlgsimp, Corpus("fixed")}});
  RunResult r = RunAffirm({"xla", dump.path(), "--passes"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("passes: what runs before " + kStart), std::string::npos) << r.out;
  EXPECT_EQ(RunAffirm({"xla", dump.path(), "--passes", "--assume", "passes"}).status, 0);
  const TemporaryFile source("source.hlo", Corpus("before"));
  r = RunAffirm({"xla", dump.path(), "--passes", "--source", source.path()});
  EXPECT_EQ(r.out.find("what runs before"), std::string::npos) << r.out << r.err;
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
  TemporaryFolder dump({{kPass + "before_optimizations.txt",
                         head + "n = f16[64] convert(p) ROOT r = f32[64] convert(n) }"},
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
  RunResult r = RunAffirm({"xla", dump.path(), "--passes", "--module", "module_0002.jit_g"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_EQ(r.out.find("module_0001"), std::string::npos) << r.out;
  auto without_times = [](const std::string& text) {
    return std::regex_replace(text, std::regex(" +[0-9.]+ ms"), "");
  };
  EXPECT_EQ(without_times(RunAffirm({"xla", dump.path(), "--passes", "--module", "jit_g"}).out),
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
          {kPass + "thunk_metadata.txt",
           "thunk_metadata {\n  thunk_info {\n    profile_annotation: \"c\"\n    thunk_id: 1\n  "
           "}\n  thunk_kind: \"kCopy\"\n}\n"},
          {kPass + "0.ir-no-opt.ll", kernel}};
}

TEST(Xla, ProvesAKernelInPlace) {
  TemporaryFolder dump(KernelDump(Kernel("49", "fneg float %x")));
  RunResult r = RunAffirm({"xla", dump.path(), "--kernels", "-v"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_NE(r.out.find("1 kernels (1 proved)"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("not covered"), std::string::npos) << r.out;
  // One file says nothing about passes.
  r = RunAffirm({"xla", dump.path()});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("not covered: passes: there is one HLO file"), std::string::npos) << r.out;
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
  RunResult r = RunAffirm({"xla", good.path(), "--kernels", "-v"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_NE(r.out.find("1 kernels (1 proved)"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("not covered"), std::string::npos) << r.out;
  TemporaryFolder early(DumpOnCpu(KernelOnCpu("49")));
  r = RunAffirm({"xla", early.path()});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  TemporaryFolder beyond(DumpOnCpu(KernelOnCpu("51")));
  r = RunAffirm({"xla", beyond.path()});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("kernel loop_fusion.1 (bounds"), std::string::npos) << r.out;
}

TEST(Xla, KernelsThatNothingRunsAndTextsWithoutAScheduleAreNamed) {
  TemporaryFolder::Files more = DumpOnCpu(KernelOnCpu("50"));
  std::string other = KernelOnCpu("50");
  for (size_t at; (at = other.find("@loop_fusion.1")) != std::string::npos;)
    other.replace(at, 14, "@other_fusion");
  more.push_back({kPass + "other_fusion_kernel_module.ir-no-opt.ll", other});
  const TemporaryFolder unused(more);
  RunResult r = RunAffirm({"xla", unused.path(), "--kernels"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("which no instruction runs"), std::string::npos) << r.out;

  TemporaryFolder::Files files = DumpOnCpu(KernelOnCpu("50"));
  std::string& hlo = files.front().second;
  hlo.erase(hlo.find(", is_scheduled=true"), strlen(", is_scheduled=true"));
  const TemporaryFolder unscheduled(files);
  r = RunAffirm({"xla", unscheduled.path(), "--kernels"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("does not say that its order is the schedule"), std::string::npos) << r.out;
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

// A kernel says how many threads a block must have.
TEST(Xla, AKernelIsLaunchedWithTheThreadsThatItRequires) {
  for (const auto& [threads, status] : {std::pair("64,1,1", 0), {"32,1,1", 2}, {"128,1,1", 2}}) {
    std::string kernel = Kernel("49", "fneg float %x");
    kernel.replace(kernel.find("ptr %1) {"), 9, "ptr %1) #0 {");
    kernel += std::string("attributes #0 = { \"nvvm.reqntid\"=\"") + threads + "\" }\n";
    TemporaryFolder dump(KernelDump(kernel));
    const RunResult r = RunAffirm({"xla", dump.path(), "--kernels"});
    EXPECT_EQ(r.status, status) << threads << "\n" << r.out << r.err;
    EXPECT_EQ(r.out.find("requires 'nvvm.reqntid' of") != std::string::npos, status != 0) << r.out;
  }
}

TEST(Xla, FilesOfKernelsThatSayNothingAreNotCovered) {
  const std::string right = Kernel("49", "fneg float %x");
  const std::pair<const char*, std::string> others[] = {
      {"LLVM IR without a kernel", "define void @f() {\n  ret void\n}\n"},
      {"expected LLVM IR", "garbage\n"},
      {"several files define this kernel", Kernel("49", "fadd float %x, %x")},
  };
  for (const auto& [why, text] : others) {
    auto files = KernelDump(right);
    files.emplace_back(kPass + "1.ir-no-opt.ll", text);
    TemporaryFolder dump(files);
    const RunResult r = RunAffirm({"xla", dump.path(), "--kernels"});
    EXPECT_EQ(r.status, 2) << r.out << r.err;
    EXPECT_NE(r.out.find(why), std::string::npos) << r.out;
  }
  auto files = KernelDump(right);
  files.emplace_back(kPass + "1.ir-no-opt.ll", right);
  TemporaryFolder twice(files);
  EXPECT_EQ(RunAffirm({"xla", twice.path(), "--kernels"}).status, 0);
}

TEST(Xla, AModuleWithoutHloIsNotCovered) {
  auto files = KernelDump(Kernel("49", "fneg float %x"));
  files.emplace_back("module_0002.jit_g.thunk_sequence.txt", files[2].second);
  const RunResult r = RunAffirm({"xla", TemporaryFolder(files).path(), "--kernels"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("the dump has no HLO after optimizations"), std::string::npos) << r.out;
}

// What lies in folders of a dump is checked like it, and what has lost its HLO is named.
TEST(Xla, FoldersInADumpAreChecked) {
  const TemporaryFolder::Files right = {{kPass + "before_optimizations.txt", Corpus("before")},
                                        {kAlgsimp, Corpus("fixed")}};
  const TemporaryFolder::Files wrong = {{kPass + "before_optimizations.txt", Corpus("before")},
                                        {kAlgsimp, Corpus("after")}};
  auto run = [&](const TemporaryFolder::Files& inside, const std::string& folder) {
    const TemporaryFolder dump(right);
    std::filesystem::create_directories(dump.path() + "/" + folder);
    for (const auto& [name, text] : inside) dump.Add((folder + "/").append(name), text);
    return RunAffirm({"xla", dump.path(), "--passes"});
  };
  EXPECT_EQ(run(right, "a").status, 0);
  EXPECT_EQ(run({{"readme.txt", "no dump"}}, "a").status, 0);
  for (const char* folder : {"a", "a/b/c"}) {
    const RunResult refuted = run(wrong, folder);
    EXPECT_EQ(refuted.status, 1) << refuted.out << refuted.err;
    EXPECT_NE(refuted.out.find(std::string(folder) + "/" + kPass), std::string::npos)
        << refuted.out;
  }
  for (const std::string name :
       {"thunk_sequence.txt", "0.ir-no-opt.ll", "0.ptx", "f.mlir-passes.log",
        "gpu_after_optimizations-buffer-assignment.txt"}) {
    EXPECT_EQ(run({{kPass + name, "x"}}, "a").status, 2) << name;
  }
}

// Of a module beside others there are kernels alone.
TEST(Xla, AModuleOfWhichOnlyKernelsAreThereIsNotCovered) {
  const TemporaryFolder dump({{kPass + "before_optimizations.txt", Corpus("before")},
                              {kAlgsimp, Corpus("fixed")},
                              {"module_0002.jit_g.0.ir-no-opt.ll", "x"}});
  const RunResult r = RunAffirm({"xla", dump.path(), "--passes", "-v"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("module_0002.jit_g"), std::string::npos) << r.out;
}

// Of two files that say to be what kernels are made from, one is not looked at.
TEST(Xla, AnotherHloAfterOptimizationsIsNotCovered) {
  auto files = KernelDump(Kernel("49", "fneg float %x"));
  files.emplace_back(kPass + "sm_8.0_gpu_after_optimizations.txt", files[0].second);
  const RunResult r = RunAffirm({"xla", TemporaryFolder(files).path(), "--kernels"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("which is HLO after optimizations, too"), std::string::npos) << r.out;
}

// A module that has nothing to check counts in a shard as it does in the whole.
TEST(Xla, ShardsSayWhatTheWholeSays) {
  auto files = KernelDump(Kernel("49", "fneg float %x"));
  files.emplace_back("module_0002.jit_g.cpu_after_optimizations.txt",
                     "HloModule g, is_scheduled=true\nENTRY e { ROOT x = f32[8] parameter(0) }\n");
  const TemporaryFolder dump(files);
  const int whole = RunAffirm({"xla", dump.path(), "--kernels"}).status;
  auto shard = [&](const char* number) {
    return RunAffirm({"xla", dump.path(), "--kernels", "--json", "--shard", number}).out;
  };
  const TemporaryFile first("0.json", shard("0/3")), second("1.json", shard("1/3")),
      third("2.json", shard("2/3"));
  EXPECT_EQ(whole, 2);
  EXPECT_EQ(RunAffirm({"merge", first.path(), second.path(), third.path()}).status, whole);
}

// The thunks that passes leave have to run the schedule, too.
TEST(Xla, ThunksAreRightBeforeAndAfterPasses) {
  auto files = KernelDump(Kernel("49", "fneg float %x"));
  const std::string thunks = files[2].second;
  files.emplace_back(kPass + "thunk_sequence_after_thunk_passes.txt", thunks);
  EXPECT_EQ(RunAffirm({"xla", TemporaryFolder(files).path(), "--kernels"}).status, 0);
  for (const std::string& wrong : {std::string(), thunks + thunks.substr(thunks.find("002"))}) {
    files.back().second = wrong + "\n";
    const RunResult r = RunAffirm({"xla", TemporaryFolder(files).path(), "--kernels"});
    EXPECT_EQ(r.status, 2) << r.out << r.err;
  }
}

TEST(Xla, WhatIsNotCoveredIsUnknownUnlessItIsAssumed) {
  const std::string module =
      "HloModule m, is_scheduled=true\nENTRY e { x = c64[8] parameter(0)\n f = c64[8] fft(x), "
      "fft_type=FFT, fft_length={8}\n ROOT g = c64[8] custom-call(f), "
      "custom_call_target=\"__lib$call\" }\n";
  TemporaryFolder dump(
      {{kPass + "before_optimizations.txt", module},
       {kPass + "gpu_after_optimizations.txt", module},
       {kPass + "gpu_after_optimizations-buffer-assignment.txt",
        "allocation 0: size 64, parameter 0, shape |c64[8]| at ShapeIndex {}:\n"
        " value: <0 x @0> (size=64,offset=0): c64[8]{0}\n"
        "allocation 1: size 128, maybe-live-out:\n"
        " value: <1 f @0> (size=64,offset=64): c64[8]{0}\n"
        " value: <2 g @0> (size=64,offset=0): c64[8]{0}\n"},
       {kPass + "thunk_sequence.txt",
        "001: kFft [source | sink]\n002: kCustomCall [source | sink]\n"},
       {kPass + "thunk_metadata.txt",
        "thunk_metadata {\n thunk_info {\n profile_annotation: \"f\"\n thunk_id: 1\n }\n}\n"
        "thunk_metadata {\n thunk_info {\n profile_annotation: \"g\"\n thunk_id: 2\n }\n}\n"}});
  RunResult r = RunAffirm({"xla", dump.path()});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("not covered: kFft of 'f'"), std::string::npos) << r.out;
  EXPECT_EQ(RunAffirm({"xla", dump.path(), "--assume", "fft"}).status, 2);
  r = RunAffirm({"xla", dump.path(), "--assume", "fft", "--assume", "__lib$*"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_NE(r.out.find("verdict: proved, assuming __lib$call, fft\n"), std::string::npos) << r.out;
  auto json = llvm::json::parse(RunAffirm({"xla", dump.path(), "--json", "--assume", "fft"}).out);
  ASSERT_TRUE(static_cast<bool>(json));
  EXPECT_EQ(json->getAsObject()->getArray("assumed")->size(), 1u);
  EXPECT_EQ(json->getAsObject()->getArray("not_covered")->size(), 1u);
  EXPECT_EQ(RunAffirm({"xla", dump.path(), "--assume", "["}).status, 3);
}

TEST(Xla, ElidedConstantsAreNotCovered) {
  const std::string text =
      "HloModule m\nENTRY e { x = f32[64] parameter(0) c = f32[64] constant({...})\n ROOT r = "
      "f32[64] add(x, c) }\n";
  const std::string other =
      "HloModule m\nENTRY e { x = f32[64] parameter(0) d = f32[64] "
      "constant({...})\n ROOT r = f32[64] add(x, d) }\n";
  for (const std::string& after : {text, other}) {
    TemporaryFolder dump({{kStart, text}, {kAlgsimp, after}});
    const RunResult r = RunAffirm({"xla", dump.path(), "--passes"});
    EXPECT_EQ(r.status, 2) << r.out << r.err;
    EXPECT_NE(r.out.find("elided constants"), std::string::npos) << r.out;
  }
}

// An execution refutes against a proof: here one that is made up, by a law that changes roundings.
TEST(Xla, ExecutionWins) {
  auto module = [](const std::string& operation) {
    auto parsed = hlo::ParseModule(
        "HloModule m\nENTRY e { x = f32[4] parameter(0) y = f32[4] parameter(1)\n ROOT r = "
        "f32[4] " +
            operation + "(x, y) }",
        "m");
    EXPECT_TRUE(static_cast<bool>(parsed));
    return std::move(*parsed);
  };
  const auto sum = module("add"), difference = module("subtract");
  for (const std::vector<std::string>& laws :
       {std::vector<std::string>{}, std::vector<std::string>{"add.reassociate"}}) {
    driver::ModuleEquivalence proof;
    proof.laws = laws;
    proof.results.push_back({0, "f32[4]", Verdict::kProved});
    driver::EquivalenceOptions options;
    options.rounding = true;
    driver::ExecuteModules(*sum, *difference, options, proof);
    ASSERT_TRUE(proof.difference.has_value());
    EXPECT_NE(proof.difference->note.find("a fault of affirm"), std::string::npos);
    EXPECT_EQ(proof.results[0].verdict, Verdict::kRefuted);
    driver::ModuleEquivalence right;
    right.laws = laws;
    right.results.push_back({0, "f32[4]", Verdict::kProved});
    driver::ExecuteModules(*sum, *sum, options, right);
    EXPECT_FALSE(right.difference.has_value());
    EXPECT_GT(right.sets, 0);
  }
}

// In the stead of a compiled program: a script that copies the argument to the result.
TEST(Xla, RunsTheWholeProgram) {
  const std::string copies =
      "f() { s=0; while [ -e $1/$s.0.bin ]; do cp $1/$s.0.bin $1/$s.result.0.bin; s=$((s+1)); "
      "done; }; f";
  auto dump_of = [](const std::string& operation) {
    const std::string text =
        "HloModule m, is_scheduled=true\nENTRY e { x = f32[4] parameter(0)\n "
        "ROOT r = f32[4] " +
        operation + "(x) }\n";
    return TemporaryFolder::Files{{kPass + "before_optimizations.txt", text},
                                  {kPass + "cpu_after_optimizations.txt", text}};
  };
  const TemporaryFolder right(dump_of("copy")), wrong(dump_of("negate"));
  // x + x + x (m tanh(1) - m tanh(1)), of which roundings may make anything: x tells nothing.
  const std::string noise =
      "HloModule m, is_scheduled=true\nENTRY e { x = f32[4] parameter(0) k = f32[] constant(1e9) "
      "m = f32[4] broadcast(k), dimensions={} o = f32[] constant(1) s = f32[4] broadcast(o), "
      "dimensions={} h = f32[4] tanh(s) p = f32[4] multiply(h, m) "
      "q = f32[4] multiply(m, h) n = f32[4] subtract(p, q) f = f32[4] multiply(n, x) "
      "t = f32[4] add(x, x) ROOT r = f32[4] add(t, f) }\n";
  const TemporaryFolder noisy({{kPass + "before_optimizations.txt", noise},
                               {kPass + "cpu_after_optimizations.txt", noise}});
  RunResult untested = RunAffirm({"xla", noisy.path(), "--run", copies, "-v"});
  EXPECT_NE(untested.out.find("was not tested: roundings move it"), std::string::npos)
      << untested.out << untested.err;
  EXPECT_NE(untested.out.find("run: unknown"), std::string::npos) << untested.out;
  RunResult r = RunAffirm({"xla", right.path(), "--run", copies, "-v"});
  EXPECT_NE(r.out.find("run: executed  the compiled program ran without a difference"),
            std::string::npos)
      << r.out << r.err;
  EXPECT_EQ(RunAffirm({"xla", wrong.path()}).status, 2);
  r = RunAffirm({"xla", wrong.path(), "--run", copies});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("the run of the compiled program"), std::string::npos) << r.out;
  r = RunAffirm({"xla", right.path(), "--run", "kill -SEGV $$; true"});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("Segmentation fault"), std::string::npos) << r.out;
  // Killed where memory runs out, or by somebody.
  for (const char* signal : {"KILL", "TERM"}) {
    r = RunAffirm({"xla", right.path(), "--run", std::string("kill -") + signal + " $$; true"});
    EXPECT_EQ(r.status, 2) << r.out << r.err;
  }
  r = RunAffirm({"xla", right.path(), "--run", "echo no >&2; exit 77; true", "-v"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("run: unknown  exit status 77: no"), std::string::npos) << r.out;
}

}  // namespace
}  // namespace affirm::testing
