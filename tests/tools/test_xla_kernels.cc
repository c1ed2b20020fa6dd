// `affirm xla`: verdicts on the kernels, buffers and thunks of small dumps.
#include <gtest/gtest.h>

#include "llvm/Support/JSON.h"
#include "tests/tools/dump_names.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

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
  // A kernel may read the arguments in the frame, and no other field.
  std::string kernel = KernelOnCpu("50");
  kernel.replace(kernel.find("i32 0, i32 3"), 12, "i32 0, i32 2");
  TemporaryFolder other(DumpOnCpu(kernel));
  r = RunAffirm({"xla", other.path()});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("a load of a part of the call frame that is not known"), std::string::npos)
      << r.out;
}

// y is live after z is written, so they may not share bytes. x is dead by then and may.
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

// Two files claim to be the HLO that the kernels are made from; one of them is not checked.
TEST(Xla, AnotherHloAfterOptimizationsIsNotCovered) {
  auto files = KernelDump(Kernel("49", "fneg float %x"));
  files.emplace_back(kPass + "sm_8.0_gpu_after_optimizations.txt", files[0].second);
  const RunResult r = RunAffirm({"xla", TemporaryFolder(files).path(), "--kernels"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("which is HLO after optimizations, too"), std::string::npos) << r.out;
}

// A module with nothing to check counts in a shard as in the whole dump.
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

// The thunks after thunk passes must run the schedule, too.
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

// One fault of a schedule that is known hides no other one.
TEST(Xla, FaultsOfAScheduleAreKnownByWhatTheySay) {
  auto status = [](const TemporaryFolder& dump, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"xla", dump.path(), "--kernels"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunAffirm(arguments).status;
  };
  auto expect_apart = [&](const TemporaryFolder& one, const TemporaryFolder& other) {
    const std::string known = one.path() + "/known.json";
    EXPECT_EQ(status(one, {"--write-baseline", known}), 2);
    EXPECT_EQ(status(one, {"--baseline", known}), 0);
    EXPECT_EQ(status(other, {"--baseline", known}), 2);
  };
  auto files = KernelDump(Kernel("49", "fneg float %x"));
  const auto right = files;
  const std::string thunks = files[2].second;
  // The HLO is no schedule; or a kernel never runs.
  files[0].second.replace(files[0].second.find(", is_scheduled=true"), 19, "");
  const TemporaryFolder unscheduled(files);
  files = right;
  files.emplace_back(kPass + "thunk_sequence_after_thunk_passes.txt",
                     thunks.substr(0, thunks.find("002: ")));
  expect_apart(unscheduled, TemporaryFolder(files));
  // The same of what is not covered, which has one name for --assume.
  files.back().second = "\n";
  const TemporaryFolder empty(files);
  files.back().second = "this is no thunk\n";
  expect_apart(empty, TemporaryFolder(files));
}

// A run that was asked for is reported, also where there was none.
TEST(Xla, ARunThatWasAskedForCounts) {
  const TemporaryFolder dump(KernelDump(Kernel("49", "fneg float %x")));
  auto run = [&](const std::string& program) {
    return RunAffirm({"xla", dump.path(), "--kernels", "--run", program, "--format", "junit"});
  };
  for (const char* program : {"kill -KILL $$ #", "echo no >&2; exit 3 #", "true #"}) {
    const RunResult r = run(program);
    EXPECT_EQ(r.status, 2) << program << r.out << r.err;
    EXPECT_NE(r.out.find("errors=\"1\""), std::string::npos) << r.out;
  }
  // It proves nothing where all is proved, and is no finding.
  const RunResult r = run(
      "f() { python3 -c 'import array,os,sys\nfor s in range(99):\n p=\"%s/%d.\" % "
      "(sys.argv[1],s)\n if not os.path.exists(p+\"0.bin\"): break\n "
      "a=array.array(\"f\",open(p+\"0.bin\",\"rb\").read())\n "
      "open(p+\"result.0.bin\",\"wb\").write(array.array(\"f\",[-x for x in a]).tobytes())' $1; "
      "}; f");
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_EQ(r.out.find("errors=\"1\""), std::string::npos) << r.out;
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

}  // namespace
}  // namespace affirm::testing
