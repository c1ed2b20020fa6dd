// How threads map to elements, and what the SIMT emulator reports.
#include "emit/runtime/run.h"
#include "tests/emit/kernel_testing.h"
#include "verify/reference/arguments.h"
#include "verify/reference/interpreter.h"

namespace affirm::testing {
namespace {

TEST(ThreadMaps, WriteEveryElementOnce) {
  EmittedModule emitted = Emit(R"(HloModule m
    ENTRY e {
      a = f32[7,33] parameter(0)
      b = f32[128] parameter(1)
      c = f32[2,1,3,50] parameter(2)
      d = f32[0,4] parameter(3)
      s = f32[] parameter(4)
      ROOT t = (f32[7,33], f32[128], f32[2,1,3,50], f32[0,4], f32[]) tuple(a, b, c, d, s)
    })");
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  EXPECT_EQ(emitted.kernel->launch().threads, 128);
  EXPECT_EQ(emitted.kernel->launch().blocks, 3);
  const std::vector<std::vector<int64_t>> shapes = {{7, 33}, {128}, {2, 1, 3, 50}, {0, 4}, {}};
  ASSERT_EQ(emitted.kernel->thread_maps().size(), shapes.size());
  for (size_t k = 0; k < shapes.size(); ++k) {
    EXPECT_EQ(emitted.kernel->thread_maps()[k].shape, shapes[k]);
  }
  EXPECT_TRUE(MapsAreBijections(*emitted.kernel));
  const IndexingMap& map = emitted.kernel->thread_maps()[0].map;
  EXPECT_EQ(map.VariableName(VarKind::kDim, 0), "th_x");
  EXPECT_EQ(map.VariableName(VarKind::kDim, 1), "bl_x");
}

TEST(Launch, ThreadsPerBlock) {
  const std::string hlo = R"(HloModule m
    ENTRY e {
      a = s32[7,33] parameter(0)
      ROOT n = s32[7,33] negate(a)
    })";
  for (int64_t threads : {1, 7, 32, 231, 1024}) {
    emit::EmitOptions options;
    options.threads_per_block = threads;
    EmittedModule emitted = Emit(hlo, options);
    ASSERT_TRUE(emitted.kernel) << emitted.error;
    EXPECT_EQ(emitted.kernel->launch().threads, threads);
    EXPECT_TRUE(MatchesInterpreter(emitted, hlo::MakeArguments(emitted.entry(), 1)));
    EXPECT_TRUE(MapsAreBijections(*emitted.kernel));
  }
  for (int64_t threads : {-1, 0, 1025}) {
    emit::EmitOptions options;
    options.threads_per_block = threads;
    EXPECT_FALSE(Emit(hlo, options).kernel);
  }
}

// The kernel with a fault: what RunOnEmulator says, or that the values differ.
bool IsCaught(const std::string& hlo, std::string* words = nullptr) {
  emit::EmitOptions options;
  options.fault_constant = 1;
  EmittedModule emitted = Emit(hlo, options);
  EXPECT_TRUE(emitted.kernel) << emitted.error;
  auto result = MatchesInterpreter(emitted, hlo::MakeArguments(emitted.entry(), 1));
  if (words) *words = result.message();
  return !result;
}

TEST(Faults, AChangedConstantIsSeen) {
  std::string words;
  EXPECT_TRUE(IsCaught(R"(HloModule m
    sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
    ENTRY e {
      p = f32[4,5] parameter(0)
      z = f32[] constant(0)
      ROOT r = f32[4] reduce(p, z), dimensions={1}, to_apply=sum
    })",
                       &words));
  EXPECT_NE(words.find("element 0 is"), std::string::npos) << words;
}

TEST(Faults, AConstantThatAbsorbsTheFaultPassesItOn) {
  EXPECT_TRUE(IsCaught(R"(HloModule m
    max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] maximum(a, b) }
    ENTRY e {
      p = f32[4,5] parameter(0)
      low = f32[] constant(-inf)
      three = f32[] constant(3)
      b = f32[4] broadcast(three), dimensions={}
      r = f32[4] reduce(p, low), dimensions={1}, to_apply=max
      ROOT m = f32[4] multiply(r, b)
    })"));
}

TEST(Faults, AStoreOutsideOfTheResultIsTrapped) {
  std::string words;
  EXPECT_TRUE(IsCaught(R"(HloModule m
    ENTRY e {
      p = f32[4,5] parameter(0)
      ROOT n = f32[4,5] negate(p)
    })",
                       &words));
  EXPECT_NE(
      words.find("e_kernel: bounds: writes 4 bytes outside of a buffer of 80 bytes, parameter 1"),
      std::string::npos)
      << words;
}

TEST(Faults, AScalarResultHasNoIndexToShift) {
  EXPECT_TRUE(IsCaught(R"(HloModule m
    ENTRY e {
      p = s32[] parameter(0)
      ROOT n = s32[] negate(p)
    })"));
}

TEST(Arguments, MustFitTheParameters) {
  EmittedModule emitted = Emit(R"(HloModule m
    ENTRY e {
      p = f32[4,5] parameter(0)
      ROOT n = f32[4,5] negate(p)
    })");
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  auto none = emit::RunOnEmulator(*emitted.kernel, {});
  ASSERT_FALSE(bool(none));
  EXPECT_NE(llvm::toString(none.takeError()).find("takes 1 arguments, not 0"), std::string::npos);
  hlo::Literal wrong(hlo::Shape::Array(hlo::PrimitiveType::kF32, {5, 4}));
  auto other = emit::RunOnEmulator(*emitted.kernel, {wrong});
  ASSERT_FALSE(bool(other));
  EXPECT_NE(llvm::toString(other.takeError()).find("argument 0"), std::string::npos);
}

// A long run is no fault of the kernel.
TEST(Launch, ARunOfTooManyStepsIsEnded) {
  EmittedModule emitted = Emit(R"(HloModule m
    sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    ENTRY e { p = s32[3,5000] parameter(0) z = s32[] constant(0)
      ROOT r = s32[3] reduce(p, z), dimensions={1}, to_apply=sum })");
  ASSERT_NE(emitted.kernel, nullptr) << emitted.error;
  auto emulated = emit::EmulatedKernel::Compile(*emitted.kernel);
  ASSERT_TRUE(static_cast<bool>(emulated)) << llvm::toString(emulated.takeError());
  const auto arguments = hlo::MakeArguments(emitted.entry(), 1);
  EXPECT_TRUE(static_cast<bool>(emulated->Run(arguments)));
  auto ended = emulated->Run(arguments, /*seed=*/0, /*most_steps=*/100);
  ASSERT_FALSE(static_cast<bool>(ended));
  EXPECT_EQ(llvm::errorToErrorCode(ended.takeError()), std::errc::timed_out);
}

}  // namespace
}  // namespace affirm::testing
