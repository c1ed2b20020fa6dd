// The calls of the CUDA driver, as a fake one (fake_cuda.cc) sees them. This test finds it before
// any other driver. Its kernels compute nothing.
#include "emit/runtime/cuda_session.h"
#include "tests/emit/kernel_testing.h"
#include "tests/tools/run_affirm.h"
#include "verify/reference/interpreter.h"

namespace affirm::testing {
namespace {

const char* const kUpdate = R"(HloModule m
  ENTRY e {
    p = u8[6] parameter(0)
    u = u8[2] parameter(1)
    i = s32[] parameter(2)
    ROOT d = u8[6] dynamic-update-slice(p, u, i)
  })";
const char* const kNegate = R"(HloModule m
  ENTRY e { p = s32[3] parameter(0) ROOT n = s32[3] negate(p) })";

TEST(MachineForCapability, IsTheNewestThatTheDeviceRuns) {
  EXPECT_EQ(emit::MachineForCapability(80), "sm_80");
  EXPECT_EQ(emit::MachineForCapability(90), "sm_90");
  EXPECT_EQ(emit::MachineForCapability(95), "sm_90");
  EXPECT_EQ(emit::MachineForCapability(82), "sm_80");
  EXPECT_EQ(emit::MachineForCapability(0), "");
}

TEST(CudaSession, CompilesForTheDevice) {
  for (const char* capability : {"75", "80", "90", "95"}) {
    setenv("AFFIRM_FAKE_CAPABILITY", capability, 1);
    EmittedModule emitted = Emit(kNegate);
    ASSERT_TRUE(emitted.kernel) << emitted.error;
    auto result = emit::RunOnCuda(*emitted.kernel, {hlo::Literal(emitted.entry().root->shape)});
    ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
    // The fake driver runs no kernel: the result keeps its initial bytes.
    EXPECT_EQ(result->ToString(), "{-1, -1, -1}");
  }
  setenv("AFFIRM_FAKE_CAPABILITY", "1", 1);
  EmittedModule emitted = Emit(kNegate);
  auto result = emit::RunOnCuda(*emitted.kernel, {hlo::Literal(emitted.entry().root->shape)});
  ASSERT_FALSE(bool(result));
  EXPECT_NE(llvm::toString(result.takeError()).find("compute capability 0.1"), std::string::npos);
  setenv("AFFIRM_FAKE_CAPABILITY", "80", 1);
}

TEST(CudaSession, TimesLaunches) {
  EmittedModule emitted = Emit(kNegate);
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  emit::CudaTime time;
  auto result =
      emit::RunOnCuda(*emitted.kernel, {hlo::Literal(emitted.entry().root->shape)}, &time);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(time.fastest, 0.5);
  EXPECT_EQ(time.median, 0.5);
  EXPECT_GT(time.launches, 0);
}

// A kernel that is not built for a device was not run there: that says nothing about the kernel.
TEST(CudaSession, WhatIsNotBuiltIsNoMismatch) {
  setenv("AFFIRM_FAKE_CAPABILITY", "1", 1);
  const RunResult check = RunAffirm({"check", "--target", "cuda", "-"}, kNegate);
  setenv("AFFIRM_FAKE_CAPABILITY", "80", 1);
  EXPECT_EQ(check.status, 2) << check.out << check.err;
  EXPECT_NE(check.out.find("is not made for the device"), std::string::npos) << check.out;
}

// A result in the slice of its operand starts as that and is read from there.
TEST(CudaSession, ResultsInPlaceStartAsTheirOperand) {
  EmittedModule emitted = Emit(kUpdate);
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  std::vector<hlo::Literal> arguments = hlo::MakeArguments(emitted.entry(), 1);
  auto result = emit::RunOnCuda(*emitted.kernel, arguments);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(emitted.kernel->slices().back(), 0);
  EXPECT_TRUE(SameValue(arguments[0], *result));
}

}  // namespace
}  // namespace affirm::testing
