// Casts of index: which are folded, which are exact, and what is said of the width of index.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emit/transforms/exact_casts.h"
#include "emit/transforms/passes.h"
#include "emit/transforms/tensor_passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "tests/emit/mlir_testing.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
using testing::ParseModule;
using testing::Verify;

// Casts of index, by kind and type, in a module with none that is exact.
std::string CastsOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.walk([&](mlir::Operation* op) {
    if (!mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) return;
    os << op->getName().stripDialect() << " " << op->getOperand(0).getType() << " to "
       << op->getResult(0).getType() << "\n";
  });
  return text;
}

// index -> i8 -> index loses bits, and a constant of i64 may not be an index.
TEST(ExactCastsTest, NoPassOfThePipelineFoldsCastsThatAreNotExact) {
  auto context = MakeMlirContext();
  for (const OptionalPass& pass : OptionalPasses()) {
    std::string error;
    auto module = ParseModule(*context, R"(
      func.func @f(%x: index, %y: i32) -> (index, index, i32, i32, index, i32) {
        %0 = arith.index_cast %x : index to i8
        %1 = arith.index_cast %0 : i8 to index
        %2 = arith.index_castui %x : index to i8
        %3 = arith.index_castui %2 : i8 to index
        %4 = arith.index_cast %y : i32 to index
        %5 = arith.index_cast %4 : index to i32
        %6 = arith.index_castui %y : i32 to index
        %7 = arith.index_castui %6 : index to i32
        %c = arith.constant 5 : i64
        %i = arith.constant 6 : index
        %8 = arith.index_cast %c : i64 to index
        %9 = arith.index_castui %i : index to i32
        return %1, %3, %5, %7, %8, %9 : index, index, i32, i32, index, i32
      })",
                              error);
    ASSERT_TRUE(module) << error;
    std::string before = CastsOf(*module);
    mlir::PassManager passes(context.get());
    passes.addPass(pass.create());
    ASSERT_TRUE(mlir::succeeded(passes.run(*module))) << pass.name;
    EXPECT_EQ(CastsOf(*module), before) << pass.name;
  }
}

TEST(ExactCastsTest, CanonicalizeFoldsExactCasts) {
  auto context = MakeMlirContext();
  std::string error;
  auto module = ParseModule(*context, R"(
    func.func @f(%x: i32) -> (i32, index) {
      %0 = arith.index_cast %x {affirm_index.exact} : i32 to index
      %1 = arith.index_cast %0 : index to i32
      %c = arith.constant 5 : i64
      %2 = arith.index_castui %c {affirm_index.exact} : i64 to index
      return %1, %2 : i32, index
    })",
                            error);
  ASSERT_TRUE(module) << error;
  mlir::PassManager passes(context.get());
  passes.addPass(CreateCanonicalizePass());
  ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
  EXPECT_EQ(CastsOf(*module), "");
}

}  // namespace
}  // namespace affirm::emit
