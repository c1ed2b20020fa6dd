// Lanes of waves of AMDGPU on the emulator: what they exchange, and what ends a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/kernel_emulator/run_kernel.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFunctions = R"(
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)
declare i32 @llvm.amdgcn.wavefrontsize()
declare i64 @__ockl_get_local_size(i32)
declare i64 @__ockl_get_group_id(i32)
declare void @llvm.amdgcn.s.barrier()
)";

// Loads %x, and stores %y at the thread's place.
TestRun RunWave(const std::string& body, int64_t threads = 64, const std::string& around = "") {
  TestKernel kernel;
  kernel.triple = "amdgcn-amd-amdhsa";
  kernel.around = kFunctions + around;
  kernel.threads = kernel.outputs = threads;
  kernel.input.resize(threads);
  std::iota(kernel.input.begin(), kernel.input.end(), 0);
  kernel.body = "%pa = getelementptr i32, ptr %in, i32 %t\n%x = load i32, ptr %pa, align 4\n" +
                body +
                "\n%po = getelementptr i32, ptr %out, i32 %t\nstore i32 %y, ptr %po, align 4\n"
                "ret void";
  return RunKernel(kernel);
}

TEST(Waves, OfSixtyFourLanesExchangeValues) {
  const TestRun run = RunWave(R"(
%from = sub i32 63, %t
%byte = shl i32 %from, 2
%y = call i32 @llvm.amdgcn.ds.bpermute(i32 %byte, i32 %x))",
                              128);
  EXPECT_EQ(run.Claims(), "");
  for (int32_t t = 0; t < 128; ++t) EXPECT_EQ(run.output[t], t / 64 * 64 + 63 - t % 64);
}

TEST(Waves, CountTheirLanes) {
  const TestRun run = RunWave(R"(
%low = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
%lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %low)
%some = call i32 @llvm.amdgcn.mbcnt.lo(i32 240, i32 1000)
%size = call i32 @llvm.amdgcn.wavefrontsize()
%high = mul i32 %lane, %size
%y = add i32 %high, %some)",
                              96);
  EXPECT_EQ(run.Claims(), "");
  for (int32_t t = 0; t < 96; ++t) {
    const int32_t lane = t % 64, some = std::clamp(lane - 4, 0, 4);
    EXPECT_EQ(run.output[t], lane * 64 + 1000 + some);
  }
}

TEST(Waves, HaveFunctionsOfTheirOwn) {
  const std::string functions =
      "declare float @llvm.amdgcn.exp2.f32(float)\ndeclare float @llvm.amdgcn.log.f32(float)\n"
      "declare float @llvm.amdgcn.rcp.f32(float)\ndeclare float @llvm.amdgcn.sqrt.f32(float)\n"
      "declare float @llvm.amdgcn.rsq.f32(float)\ndeclare float @llvm.amdgcn.sin.f32(float)\n";
  for (const auto& [function, of_16] : {std::pair<std::string, int32_t>("exp2", 65536),
                                        {"log", 4},
                                        {"sqrt", 4},
                                        {"rcp", 62500},
                                        {"rsq", 250000}}) {
    const bool is_small = of_16 == 62500 || of_16 == 250000;  // in millionths
    const TestRun run = RunWave("%f = sitofp i32 %x to float\n%g = call float @llvm.amdgcn." +
                                    function + ".f32(float %f)\n%h = fmul float %g, " +
                                    (is_small ? "1.0e6" : "1.0") + "\n%y = fptosi float %h to i32",
                                17, functions);
    EXPECT_EQ(run.output.empty() ? 0 : run.output[16], of_16) << function << run.error;
  }
  const TestRun other = RunWave(
      "%f = sitofp i32 %x to float\n"
      "%g = call float @llvm.amdgcn.sin.f32(float %f)\n"
      "%y = fptosi float %g to i32",
      17, functions);
  EXPECT_THAT(other.error, HasSubstr("does not know llvm.amdgcn.sin.f32"));
}

TEST(Waves, KnowTheirBlock) {
  const TestRun run = RunWave(R"(
%size = call i64 @__ockl_get_local_size(i32 0)
%block = call i64 @__ockl_get_group_id(i32 0)
%sum = add i64 %size, %block
%y = trunc i64 %sum to i32)");
  EXPECT_EQ(run.Claims(), "");
  EXPECT_EQ(run.output[3], 64);
}

TEST(Waves, AskAllOfThem) {
  const TestRun run = RunWave(R"(
%odd = trunc i32 %x to i1
%ballot = call i64 @llvm.amdgcn.ballot.i64(i1 %odd)
%upper = lshr i64 %ballot, 32
%y = trunc i64 %upper to i32)");
  EXPECT_EQ(run.Claims(), "");
  EXPECT_EQ(static_cast<uint32_t>(run.output[0]), 0xaaaaaaaa);
}

// A device gives something there: that is no fault, and nothing is known of it.
TEST(Waves, LanesThatTakeNoPartHaveAnyValue) {
  const std::string reads = R"(
%from = add i32 %t, 16
%byte = shl i32 %from, 2
%got = call i32 @llvm.amdgcn.ds.bpermute(i32 %byte, i32 %x)
)";
  const TestRun used = RunWave(reads + "%y = add i32 %got, 0", 48);
  ASSERT_EQ(used.findings.size(), 1u);
  EXPECT_EQ(used.findings[0].kind, kernel::Finding::Kind::kNotModelled);
  const TestRun unused =
      RunWave(reads + "%c = icmp ult i32 %t, 32\n%y = select i1 %c, i32 %got, i32 0", 48);
  EXPECT_EQ(unused.Claims(), "");
}

TEST(Waves, OfWhichLanesAreAtTwoPlacesAreNotModelled) {
  const TestRun run = RunWave(R"(
%c = icmp ult i32 %t, 32
br i1 %c, label %yes, label %no
yes:
%a = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 1)
br label %done
no:
%b = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 2)
br label %done
done:
%y = phi i32 [ %a, %yes ], [ %b, %no ])");
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_EQ(run.findings[0].kind, kernel::Finding::Kind::kNotModelled);
  EXPECT_THAT(run.findings[0].what, HasSubstr("at different places"));
}

// Even lanes in the first iteration, odd ones in the second.
std::string InALoop(const std::string& condition, const std::string& exchange) {
  return R"(
br label %loop
loop:
%i = phi i32 [ 0, %entry ], [ %i.next, %next ]
%v = phi i32 [ 0, %entry ], [ %w, %next ]
%sum = add i32 %i, %t
%bit = and i32 %sum, 1
%c = )" + condition +
         "\nbr i1 %c, label %take, label %next\ntake:\n" + exchange + R"(
br label %next
next:
%w = phi i32 [ %v, %loop ], [ %got, %take ]
%i.next = add i32 %i, 1
%again = icmp ult i32 %i.next, 2
br i1 %again, label %loop, label %done
done:
%y = add i32 %w, 0)";
}

TEST(Waves, OfWhichLanesAreInTwoIterationsAreNotModelled) {
  const std::string read = "%got = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 1)";
  const std::string call = "%got = call i32 @read(i32 %x)";
  const std::string around =
      "define i32 @read(i32 %x) {\n%y = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 1)\n"
      "ret i32 %y\n}\n";
  const std::string barrier = "call void @llvm.amdgcn.s.barrier()\n%got = add i32 %x, 0";
  for (const std::string& exchange : {read, call, barrier}) {
    const TestRun apart = RunWave(InALoop("icmp eq i32 %bit, 0", exchange), 64, around);
    ASSERT_EQ(apart.findings.size(), 1u) << exchange << apart.error;
    EXPECT_EQ(apart.findings[0].kind, kernel::Finding::Kind::kNotModelled);
    const TestRun together = RunWave(InALoop("icmp ult i32 %i, 2", exchange), 64, around);
    EXPECT_EQ(together.Claims(), "") << exchange;
  }
}

// A count of iterations is no state by which a loop would end.
TEST(Waves, LoopsWithBarriersMayNotEnd) {
  const TestRun run =
      RunKernel({.body = "br label %loop\nloop:\n"
                         "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
                         "br label %loop"});
  ASSERT_FALSE(run.findings.empty()) << run.error;
  EXPECT_EQ(run.findings[0].kind, kernel::Finding::Kind::kWrong);
  EXPECT_THAT(run.findings[0].what, HasSubstr("a loop does not end"));
}

TEST(Atomics, OfOneAddressSpaceAreThoseOfTheDevice) {
  auto claims = [](const std::string& scope) {
    return RunKernel({.body = "%old = atomicrmw add ptr %out, i32 1 syncscope(\"" + scope +
                              "\") monotonic, align 4\nret void",
                      .blocks = 2,
                      .in_place = true,
                      .triple = "amdgcn-amd-amdhsa"})
        .Claims();
  };
  for (const char* scope : {"agent", "agent-one-as", "one-as"}) EXPECT_EQ(claims(scope), "");
  for (const char* scope : {"workgroup", "workgroup-one-as", "wavefront"})
    EXPECT_THAT(claims(scope), HasSubstr("races"));
}

TEST(Waves, ReadFromOneLane) {
  const TestRun run = RunWave("%y = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 %t)");
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_THAT(run.findings[0].what, HasSubstr("lanes read from different ones"));
}

TEST(Waves, FormsThatAreNotKnownAreNamed) {
  const TestRun run = RunWave(
      "%y = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %x, i32 368, i32 15, i32 15, i1 0)");
  EXPECT_THAT(run.error, HasSubstr("does not know this form of llvm.amdgcn.update.dpp.i32"));
}

}  // namespace
}  // namespace affirm::testing
