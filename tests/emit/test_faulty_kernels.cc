// Kernels that misbehave are still wrong as code of a device, and the emulator says how. They are
// written by hand at the tensor level, since the emitters make none.
#include "emit/codegen/kernel_impl.h"
#include "emit/codegen/mlir_context.h"
#include "emit/runtime/run.h"
#include "gmock/gmock.h"
#include "mlir/Parser/Parser.h"

namespace affirm::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

// The result of a kernel of one block from f32[threads] to f32[threads] on 0.5, 1.5, ...
llvm::Expected<hlo::Literal> RunText(llvm::StringRef text, int64_t threads, uint64_t seed = 0) {
  auto impl = std::make_unique<emit::Kernel::Impl>();
  hlo::Shape shape = hlo::Shape::Array(hlo::PrimitiveType::kF32, {threads});
  impl->name = "main_kernel";
  impl->launch = {1, threads};
  impl->parameter_shapes = {shape};
  impl->result_shape = shape;
  impl->inputs = impl->outputs = {{shape, threads, 4}};
  impl->slices = {0, 1};
  impl->context = emit::MakeMlirContext();
  impl->module = mlir::parseSourceString<mlir::ModuleOp>(text, impl->context.get());
  EXPECT_TRUE(impl->module) << text.str();
  hlo::Literal argument(shape);
  for (int64_t i = 0; i < threads; ++i) argument.SetFloat(i, static_cast<double>(i) + 0.5);
  return emit::RunOnEmulator(emit::Kernel(std::move(impl)), {argument}, seed);
}

std::string ErrorOf(llvm::Expected<hlo::Literal> result) {
  return result ? "" : llvm::toString(result.takeError());
}

// Four threads. Each stores what @read answers for it at the index that `store_at` computes from
// %t.
llvm::Expected<hlo::Literal> RunCopy(const std::string& read_at, const std::string& store_at) {
  return RunText(R"(
    func.func @main_kernel(%p: tensor<4xf32>, %r: tensor<4xf32>) -> tensor<4xf32> {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %v = call @read(%p, %t) : (tensor<4xf32>, index) -> f32
      %at = )" + store_at +
                     R"(
      %out = tensor.insert %v into %r[%at] : tensor<4xf32>
      return %out : tensor<4xf32>
    }
    func.func private @read(%p: tensor<4xf32>, %t: index) -> f32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %at = )" + read_at +
                     R"(
      %v = tensor.extract %p[%at] : tensor<4xf32>
      return %v : f32
    })",
                 4);
}

const std::string kSame = "arith.addi %t, %c0 : index";

TEST(FaultyKernels, AGoodOneRuns) {
  llvm::Expected<hlo::Literal> result = RunCopy(kSame, kSame);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->GetFloat(3), 3.5);
}

TEST(FaultyKernels, AReadPastTheEndNamesBufferElementAndThread) {
  EXPECT_THAT(ErrorOf(RunCopy("arith.addi %t, %c1 : index", kSame)),
              HasSubstr("bounds: reads 4 bytes outside of a buffer of 16 bytes, parameter 0, "
                        "element 4 (byte 16), block 0, thread 3, line "));
}

TEST(FaultyKernels, AReadBeforeTheStart) {
  EXPECT_THAT(ErrorOf(RunCopy("arith.subi %t, %c1 : index", kSame)),
              AllOf(HasSubstr("bounds: reads 4 bytes outside of a buffer of 16 bytes"),
                    HasSubstr("block 0, thread 0")));
}

TEST(FaultyKernels, AWritePastTheEnd) {
  EXPECT_THAT(ErrorOf(RunCopy(kSame, "arith.addi %t, %c1 : index")),
              HasSubstr("bounds: writes 4 bytes outside of a buffer of 16 bytes, parameter 1, "
                        "element 4 (byte 16), block 0, thread 3, line "));
}

TEST(FaultyKernels, AnElementIsWrittenTwice) {
  EXPECT_THAT(ErrorOf(RunCopy(kSame, "arith.muli %t, %c0 : index")),
              AllOf(HasSubstr("another thread writes, and nothing orders them"),
                    HasSubstr("parameter 1, element 0")));
}

TEST(FaultyKernels, AnElementIsWrittenNever) {
  EXPECT_THAT(ErrorOf(RunText(R"(
    func.func @main_kernel(%p: tensor<4xf32>, %r: tensor<4xf32>) -> tensor<4xf32> {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %some = arith.cmpi ne, %t, %c0 : index
      %v = tensor.extract %p[%t] : tensor<4xf32>
      %out = affirm.predicated_insert %v into %r[%t] if %some : tensor<4xf32>
      return %out : tensor<4xf32>
    })",
                              4)),
              AllOf(HasSubstr("writes: "), HasSubstr("parameter 1, element 0")));
}

TEST(FaultyKernels, OutputsAreNotRead) {
  EXPECT_THAT(ErrorOf(RunText(R"(
    func.func @main_kernel(%p: tensor<4xf32>, %r: tensor<4xf32>) -> tensor<4xf32> {
      %t = gpu.thread_id x
      %v = tensor.extract %r[%t] : tensor<4xf32>
      %out = tensor.insert %v into %r[%t] : tensor<4xf32>
      return %out : tensor<4xf32>
    })",
                              4)),
              HasSubstr("reads an output"));
}

// 64 threads, two warps; `body` leads to %y, which thread %t stores at %t.
constexpr int64_t kThreads = 64;
llvm::Expected<hlo::Literal> RunBody(const std::string& body, uint64_t seed) {
  return RunText(R"(
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
    })",
                 kThreads, seed);
}

const char* kMirror = R"(
  %s = affirm.allocate_shared : tensor<64xf32>
  %s1 = tensor.insert %x into %s[%t] : tensor<64xf32>
  %s2 = affirm.sync_threads(%s1) : tensor<64xf32>
  %y = tensor.extract %s2[%mirror] : tensor<64xf32>)";

TEST(FaultyBlocks, AGoodOneExchangesThroughSharedMemory) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    auto result = RunBody(kMirror, seed);
    ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
    for (int64_t i = 0; i < kThreads; ++i) {
      EXPECT_EQ(result->GetFloat(i), static_cast<double>(kThreads - 1 - i) + 0.5);
    }
  }
}

TEST(FaultyBlocks, AMissingBarrier) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    EXPECT_THAT(ErrorOf(RunBody(R"(
      %s = affirm.allocate_shared : tensor<64xf32>
      %s1 = tensor.insert %x into %s[%t] : tensor<64xf32>
      %y = tensor.extract %s1[%mirror] : tensor<64xf32>)",
                                seed)),
                AnyOf(HasSubstr("a value that is stored in a result is not specified"),
                      AllOf(HasSubstr("nothing orders them"), HasSubstr("shared memory @"))))
        << seed;
  }
}

// Each thread reads what the one before it wrote: in order, every value is right.
TEST(FaultyBlocks, AMissingBarrierThatChangesNoValue) {
  EXPECT_THAT(ErrorOf(RunBody(R"(
    %s = affirm.allocate_shared : tensor<64xf32>
    %s1 = tensor.insert %x into %s[%t] : tensor<64xf32>
    %after = arith.maxui %t, %c1 : index
    %before = arith.subi %after, %c1 : index
    %y = tensor.extract %s1[%before] : tensor<64xf32>)",
                              0)),
              AllOf(HasSubstr("races: reads what another thread writes, and nothing orders them"),
                    HasSubstr("shared memory @")));
}

TEST(FaultyBlocks, AWriteAfterAReadWithoutABarrier) {
  for (uint64_t seed : {0, 1, 2}) {
    EXPECT_THAT(ErrorOf(RunBody(std::string(kMirror) + R"(
      %s3 = tensor.insert %y into %s2[%t] : tensor<64xf32>
      %s4 = affirm.sync_threads(%s3) : tensor<64xf32>)",
                                seed)),
                AllOf(HasSubstr("nothing orders them"), HasSubstr("shared memory @")))
        << seed;
  }
}

TEST(FaultyBlocks, AReadOfUninitializedSharedMemory) {
  EXPECT_THAT(ErrorOf(RunBody(R"(
    %s = affirm.allocate_shared : tensor<64xf32>
    %s2 = affirm.sync_threads(%s) : tensor<64xf32>
    %y = tensor.extract %s2[%t] : tensor<64xf32>)",
                              1)),
              HasSubstr("values: a value that is stored in a result is not specified"));
}

TEST(FaultyBlocks, AnAccessOutOfSharedMemory) {
  EXPECT_THAT(ErrorOf(RunBody(R"(
    %s = affirm.allocate_shared : tensor<63xf32>
    %s1 = tensor.insert %x into %s[%t] : tensor<63xf32>
    %s2 = affirm.sync_threads(%s1) : tensor<63xf32>
    %y = tensor.extract %s2[%c0] : tensor<63xf32>)",
                              1)),
              AllOf(HasSubstr("bounds: writes 4 bytes outside of a buffer of 252 bytes, shared"),
                    HasSubstr("element 63"), HasSubstr("thread 63")));
}

TEST(FaultyBlocks, ABarrierThatSomeThreadsNeverReach) {
  for (uint64_t seed : {0, 5}) {
    EXPECT_THAT(ErrorOf(RunBody(R"(
      %alone = arith.cmpi eq, %t, %c0 : index
      %y = scf.if %alone -> f32 {
        affirm.sync_threads
        scf.yield %x : f32
      } else {
        %z = affirm.shuffle_reduce @add(%x) distances(16 to 1) : f32
        scf.yield %z : f32
      })",
                                seed)),
                HasSubstr("barriers: waits for ever"));
  }
}

TEST(FaultyBlocks, AGoodOneShuffles) {
  for (uint64_t seed : {0, 1, 2}) {
    auto result = RunBody("%y = affirm.shuffle_reduce @add(%x) distances(16 to 1) : f32", seed);
    ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
    EXPECT_EQ(result->GetFloat(0), 512);          // 0.5 + ... + 31.5
    EXPECT_EQ(result->GetFloat(32), 512 + 1024);  // 32.5 + ... + 63.5
  }
}

// They end instead, and what it takes from them is not specified.
TEST(FaultyBlocks, AShuffleThatSomeLanesNeverReach) {
  EXPECT_THAT(ErrorOf(RunBody(R"(
    %c7 = arith.constant 7 : index
    %some = arith.cmpi ult, %t, %c7 : index
    %y = scf.if %some -> f32 {
      %z = affirm.shuffle_reduce @add(%x) distances(16 to 1) : f32
      scf.yield %z : f32
    } else {
      scf.yield %x : f32
    })",
                              1)),
              AllOf(HasSubstr("values: a value that is stored in a result is not specified"),
                    HasSubstr("llvm.nvvm.shfl.sync")));
}

}  // namespace
}  // namespace affirm::testing
