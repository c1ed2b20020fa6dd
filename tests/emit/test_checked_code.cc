// The SIMT emulator reports kernels that misbehave. They are written by hand at the tensor level,
// since the emitters make none.
#include "emit/codegen/kernel_impl.h"
#include "emit/codegen/mlir_context.h"
#include "emit/runtime/run.h"
#include "gtest/gtest.h"
#include "mlir/Parser/Parser.h"

namespace affirm::testing {
namespace {

// A kernel of one block of four threads from f32[4] to f32[4].
llvm::Expected<hlo::Literal> RunText(llvm::StringRef text) {
  auto impl = std::make_unique<emit::Kernel::Impl>();
  hlo::Shape shape = hlo::Shape::Array(hlo::PrimitiveType::kF32, {4});
  impl->name = "main_kernel";
  impl->launch = {1, 4};
  impl->parameter_shapes = {shape};
  impl->result_shape = shape;
  impl->inputs = impl->outputs = {{shape, 4, 4}};
  impl->context = emit::MakeMlirContext();
  impl->module = mlir::parseSourceString<mlir::ModuleOp>(text, impl->context.get());
  EXPECT_TRUE(impl->module);
  hlo::Literal argument(shape);
  for (int64_t i = 0; i < 4; ++i) argument.SetFloat(i, static_cast<double>(i) + 0.5);
  return emit::RunOnEmulator(emit::Kernel(std::move(impl)), {argument});
}

// An entry that stores what @read answers for its thread at the index that `store_at` computes from
// %t.
std::string KernelText(const std::string& read_at, const std::string& store_at) {
  return R"(
    func.func @main_kernel(%p: tensor<4xf32>, %r: tensor<4xf32>) -> tensor<4xf32> {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %v = call @read(%p, %t) : (tensor<4xf32>, index) -> f32
      %at = )" +
         store_at + R"(
      %out = tensor.insert %v into %r[%at] : tensor<4xf32>
      return %out : tensor<4xf32>
    }
    func.func private @read(%p: tensor<4xf32>, %t: index) -> f32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %at = )" +
         read_at + R"(
      %v = tensor.extract %p[%at] : tensor<4xf32>
      return %v : f32
    })";
}

std::string ErrorOf(const std::string& text) {
  llvm::Expected<hlo::Literal> result = RunText(text);
  return result ? "" : llvm::toString(result.takeError());
}

const std::string kSame = "arith.addi %t, %c0 : index";

TEST(CheckedCode, AGoodKernelRuns) {
  llvm::Expected<hlo::Literal> result = RunText(KernelText(kSame, kSame));
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->GetFloat(3), 3.5);
}

TEST(CheckedCode, AReadPastTheEndNamesFunctionBufferAndIndex) {
  EXPECT_EQ(
      ErrorOf(KernelText("arith.addi %t, %c1 : index", kSame)),
      "read reads argument 0 out of bounds: index 4 of dimension 0, whose size is 4 (thread 3 "
      "of block 0)");
}

TEST(CheckedCode, AReadBeforeTheStart) {
  EXPECT_NE(
      ErrorOf(KernelText("arith.subi %t, %c1 : index", kSame)).find("index -1 of dimension 0"),
      std::string::npos);
}

TEST(CheckedCode, AnElementWrittenTwiceOrNever) {
  EXPECT_EQ(ErrorOf(KernelText(kSame, "arith.muli %t, %c0 : index")),
            "element 0 of result 0 of main_kernel was written more than once");
  EXPECT_EQ(ErrorOf(KernelText(kSame, "arith.maxui %t, %c1 : index")),
            "element 0 of result 0 of main_kernel was written never");
}

TEST(CheckedCode, OutputsAreNotRead) {
  EXPECT_NE(ErrorOf(R"(
    func.func @main_kernel(%p: tensor<4xf32>, %r: tensor<4xf32>) -> tensor<4xf32> {
      %t = gpu.thread_id x
      %v = tensor.extract %r[%t] : tensor<4xf32>
      %out = tensor.insert %v into %r[%t] : tensor<4xf32>
      return %out : tensor<4xf32>
    })")
                .find("reads an output"),
            std::string::npos);
}

}  // namespace
}  // namespace affirm::testing
