// The SIMT emulator runs the threads of a block together and reports races and deadlocks. The
// kernels are written by hand at the tensor level: one block of 64 threads, from f32[64] to
// f32[64].
#include "emit/codegen/kernel_impl.h"
#include "emit/codegen/mlir_context.h"
#include "emit/runtime/run.h"
#include "gtest/gtest.h"
#include "mlir/Parser/Parser.h"

namespace affirm::testing {
namespace {

constexpr int64_t kThreads = 64;

// What the kernel makes of 0.5, 1.5, ...; `body` leads to %y, which thread %t stores at %t.
llvm::Expected<hlo::Literal> RunBody(const std::string& body, uint64_t seed) {
  std::string text = R"(
    func.func private @add(%a: f32, %b: f32) -> f32 {
      %r = arith.addf %a, %b : f32
      return %r : f32
    }
    func.func @main_kernel(%p: tensor<64xf32>, %r: tensor<64xf32>) -> tensor<64xf32> {
      %t = gpu.thread_id x upper_bound 64
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %c63 = arith.constant 63 : index
      %mirror = arith.subi %c63, %t : index
      %first = arith.cmpi ult, %t, %c32 : index
      %x = tensor.extract %p[%t] : tensor<64xf32>
      )" + body + R"(
      %out = tensor.insert %y into %r[%t] : tensor<64xf32>
      return %out : tensor<64xf32>
    })";
  auto impl = std::make_unique<emit::Kernel::Impl>();
  hlo::Shape shape = hlo::Shape::Array(hlo::PrimitiveType::kF32, {kThreads});
  impl->name = "main_kernel";
  impl->launch = {1, kThreads};
  impl->parameter_shapes = {shape};
  impl->result_shape = shape;
  impl->inputs = impl->outputs = {{shape, kThreads, 4}};
  impl->context = emit::MakeMlirContext();
  impl->module = mlir::parseSourceString<mlir::ModuleOp>(text, impl->context.get());
  EXPECT_TRUE(impl->module) << text;
  hlo::Literal argument(shape);
  for (int64_t i = 0; i < kThreads; ++i) argument.SetFloat(i, static_cast<double>(i) + 0.5);
  return emit::RunOnEmulator(emit::Kernel(std::move(impl)), {argument}, seed);
}

std::string ErrorOf(const std::string& body, uint64_t seed) {
  llvm::Expected<hlo::Literal> result = RunBody(body, seed);
  return result ? "" : llvm::toString(result.takeError());
}

const char* kMirror = R"(
  %s = affirm.allocate_shared : tensor<64xf32>
  %s1 = tensor.insert %x into %s[%t] : tensor<64xf32>
  %s2 = affirm.sync_threads(%s1) : tensor<64xf32>
  %y = tensor.extract %s2[%mirror] : tensor<64xf32>)";

TEST(SimtEmulator, ThreadsExchangeThroughSharedMemory) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    auto result = RunBody(kMirror, seed);
    ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
    for (int64_t i = 0; i < kThreads; ++i) {
      EXPECT_EQ(result->GetFloat(i), static_cast<double>(kThreads - 1 - i) + 0.5);
    }
  }
}

// Whatever the order: a missing barrier is seen even when the values happen to be right.
TEST(SimtEmulator, AMissingBarrierIsReported) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    std::string error = ErrorOf(R"(
      %s = affirm.allocate_shared : tensor<64xf32>
      %s1 = tensor.insert %x into %s[%t] : tensor<64xf32>
      %y = tensor.extract %s1[%mirror] : tensor<64xf32>)",
                                seed);
    bool seen = error.find("nobody wrote") != std::string::npos ||
                error.find("without a barrier between") != std::string::npos;
    EXPECT_TRUE(seen) << seed << ": " << error;
  }
}

TEST(SimtEmulator, AWriteAfterAReadWithoutABarrierIsReported) {
  for (uint64_t seed : {0, 1, 2}) {
    std::string error = ErrorOf(std::string(kMirror) + R"(
      %s3 = tensor.insert %y into %s2[%t] : tensor<64xf32>
      %s4 = affirm.sync_threads(%s3) : tensor<64xf32>)",
                                seed);
    EXPECT_NE(error.find("without a barrier between"), std::string::npos) << error;
  }
}

TEST(SimtEmulator, AReadOfUninitializedSharedMemoryIsReported) {
  std::string error = ErrorOf(R"(
    %s = affirm.allocate_shared : tensor<64xf32>
    %s2 = affirm.sync_threads(%s) : tensor<64xf32>
    %y = tensor.extract %s2[%t] : tensor<64xf32>)",
                              1);
  EXPECT_NE(error.find("of shared memory 0, which nobody wrote"), std::string::npos) << error;
}

TEST(SimtEmulator, AnAccessOutOfSharedMemoryIsReported) {
  std::string error = ErrorOf(R"(
    %s = affirm.allocate_shared : tensor<63xf32>
    %s1 = tensor.insert %x into %s[%t] : tensor<63xf32>
    %s2 = affirm.sync_threads(%s1) : tensor<63xf32>
    %y = tensor.extract %s2[%c0] : tensor<63xf32>)",
                              1);
  EXPECT_NE(error.find("writes shared memory 0 out of bounds: index 63"), std::string::npos)
      << error;
}

TEST(SimtEmulator, ABarrierThatSomeThreadsNeverReachIsReported) {
  for (uint64_t seed : {0, 5}) {
    std::string error = ErrorOf(R"(
      %s = affirm.allocate_shared : tensor<64xf32>
      scf.if %first {
        affirm.sync_threads
      }
      %y = arith.addf %x, %x : f32)",
                                seed);
    EXPECT_NE(error.find("32 threads wait at a barrier"), std::string::npos) << error;
  }
}

TEST(SimtEmulator, Shuffles) {
  for (uint64_t seed : {0, 1, 2}) {
    auto result = RunBody("%y = affirm.shuffle_reduce @add(%x) distances(16 to 1) : f32", seed);
    ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
    EXPECT_EQ(result->GetFloat(0), 512);          // 0.5 + ... + 31.5
    EXPECT_EQ(result->GetFloat(32), 512 + 1024);  // 32.5 + ... + 63.5
  }
}

TEST(SimtEmulator, AShuffleThatSomeLanesNeverReachIsReported) {
  std::string error = ErrorOf(R"(
    %c7 = arith.constant 7 : index
    %some = arith.cmpi ult, %t, %c7 : index
    %y = scf.if %some -> f32 {
      %z = affirm.shuffle_reduce @add(%x) distances(16 to 1) : f32
      scf.yield %z : f32
    } else {
      scf.yield %x : f32
    })",
                              1);
  EXPECT_NE(error.find("7 at a shuffle"), std::string::npos) << error;
}

}  // namespace
}  // namespace affirm::testing
