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
using ::testing::HasSubstr;
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

// The statement of the width, as one text; "-" for none.
std::string WidthText(const IndexWidthParts& parts) {
  auto width = IndexWidthOf(parts);
  if (!width) return llvm::toString(width.takeError());
  if (!*width) return "-";
  return std::to_string((*width)->least) + " to " + std::to_string((*width)->most);
}

TEST(ExactCastsTest, OneRuleForTheWidth) {
  const std::string end = std::to_string(kMaxIndexBits);
  EXPECT_EQ(WidthText({}), "-");
  EXPECT_EQ(WidthText({.width = 1}), "1 to 1");
  EXPECT_EQ(WidthText({.width = 128}), "128 to 128");
  EXPECT_EQ(WidthText({.least = 16}), "16 to " + end);
  EXPECT_EQ(WidthText({.most = 64}), "1 to 64");
  EXPECT_EQ(WidthText({.least = 16, .most = 64}), "16 to 64");
  EXPECT_EQ(WidthText({.width = 32, .least = 16, .most = 64}), "32 to 32");
  EXPECT_EQ(WidthText({.width = 32, .least = 33}), "width 32 is less than least 33");
  EXPECT_EQ(WidthText({.width = 65, .most = 64}), "most 64 is less than width 65");
  EXPECT_EQ(WidthText({.least = 9, .most = 8}), "most 8 is less than least 9");
  for (int64_t bits : {int64_t{-1}, int64_t{0}, int64_t{kMaxIndexBits} + 1}) {
    EXPECT_THAT(WidthText({.width = bits}), HasSubstr("is no width of index"));
    EXPECT_THAT(WidthText({.least = bits}), HasSubstr("is no width of index"));
    EXPECT_THAT(WidthText({.most = bits}), HasSubstr("is no width of index"));
  }
}

// The declaration is read as it was written, and takes the place of the one before.
TEST(ExactCastsTest, TheLayoutDeclaresTheWidthOnce) {
  auto context = MakeMlirContext();
  std::string error;
  auto module = ParseModule(*context, "module {}", error);
  ASSERT_TRUE(module) << error;
  auto declared = [&] { return *DeclaredIndexWidth(*module); };
  EXPECT_FALSE(declared());
  for (IndexWidthBounds width :
       {IndexWidthBounds{32, 32}, {16, 64}, {16, kMaxIndexBits}, {1, 8}, {128, 128}}) {
    SetDeclaredIndexWidth(*module, width);
    EXPECT_EQ(declared(), width);
  }
}

// A cast of an i64 may lose bits, unless a declaration gives index 64 bits.
TEST(ExactCastsTest, AModuleWithoutADeclarationIsNotOfSixtyFourBits) {
  auto context = MakeMlirContext();
  constexpr llvm::StringLiteral kFunction = R"(
    func.func @f(%x: i64) -> index {
      %0 = arith.index_cast %x {affirm_index.exact} : i64 to index
      return %0 : index
    })";
  EXPECT_THAT(Verify(*context, kFunction), HasSubstr("exact is not proved"));
  std::string at_64 = "module attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>} {" +
                      kFunction.str() + "}";
  EXPECT_EQ(Verify(*context, at_64), "");
}

// An index of more than 64 bits may be more than an i64 holds.
TEST(ExactCastsTest, AnIndexOfAnyWidthIsNoI64) {
  auto context = MakeMlirContext();
  EXPECT_THAT(Verify(*context, R"(
    module attributes {dlti.dl_spec = #dlti.dl_spec<index = 128 : i32>} {
    func.func @f(%x: index) -> i64 {
      %0 = arith.index_cast %x {affirm_index.exact} : index to i64
      return %0 : i64
    }})"),
              HasSubstr("exact is not proved"));
}

// i + 50 of i8 wraps behind 100, and then i is -106.
TEST(ExactCastsTest, ALoopThatWrapsGoesOnBelow) {
  auto context = MakeMlirContext();
  std::string error = Verify(*context, R"(
    module attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>} {
    func.func @f() {
      %low = arith.constant 0 : i8
      %high = arith.constant 120 : i8
      %step = arith.constant 50 : i8
      scf.for %i = %low to %high step %step : i8 {
        %0 = arith.index_castui %i {affirm_index.exact} : i8 to index
        %1 = arith.index_castui %0 {affirm_index.exact} : index to i7
      }
      return
    }})");
  EXPECT_THAT(error, HasSubstr("exact is not proved"));
}

// 40 or 40 is at most 63, and 50 less that may be negative.
TEST(ExactCastsTest, BitsOfTwoNumbersMayBeMoreThanEither) {
  auto context = MakeMlirContext();
  auto difference = [](const std::string& from) {
    return "module attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>} {\n"
           "func.func @f() {\n"
           "  %x = gpu.thread_id x upper_bound 41\n"
           "  %y = gpu.block_id x upper_bound 41\n"
           "  %c = arith.constant " +
           from +
           " : index\n"
           "  %or = arith.ori %x, %y : index\n"
           "  %d = arith.subi %c, %or : index\n"
           "  %0 = arith.index_castui %d {affirm_index.exact} : index to i8\n"
           "  return\n}\n}\n";
  };
  EXPECT_EQ(Verify(*context, difference("63")), "");
  EXPECT_THAT(Verify(*context, difference("62")), HasSubstr("exact is not proved"));
}

// Without a sign, negative numbers are greater than all others.
TEST(ExactCastsTest, WhatIsGreaterWithoutASignMayBeNegative) {
  auto context = MakeMlirContext();
  auto where = [](const std::string& predicate) {
    return "module attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>} {\n"
           "func.func @f() {\n"
           "  %x = gpu.thread_id x upper_bound 41\n"
           "  %z = gpu.block_id x upper_bound 41\n"
           "  %c20 = arith.constant 20 : index\n"
           "  %y = arith.subi %z, %c20 : index\n"
           "  %less = arith.cmpi " +
           predicate +
           ", %x, %y : index\n"
           "  scf.if %less {\n"
           "    %0 = arith.index_castui %y {affirm_index.exact} : index to i8\n"
           "  }\n  return\n}\n}\n";
  };
  EXPECT_EQ(Verify(*context, where("slt")), "");
  EXPECT_THAT(Verify(*context, where("ult")), HasSubstr("exact is not proved"));
}

// A caller of a public function from elsewhere may pass anything.
TEST(ExactCastsTest, OnlyPrivateFunctionsAreKnownByTheirCalls) {
  auto context = MakeMlirContext();
  auto calls = [](const std::string& visibility, const std::string& other_use = "") {
    return "module attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>} {\n"
           "func.func " +
           visibility +
           " @callee(%x: index) {\n"
           "  %0 = arith.index_cast %x {affirm_index.exact} : index to i8\n  return\n}\n"
           "func.func @caller() {\n"
           "  %x = gpu.thread_id x upper_bound 100\n"
           "  func.call @callee(%x) : (index) -> ()\n" +
           other_use + "  return\n}\n}\n";
  };
  EXPECT_EQ(Verify(*context, calls("private")), "");
  EXPECT_THAT(Verify(*context, calls("public")), HasSubstr("exact is not proved"));
  // Another use of its name may call it with anything too.
  EXPECT_THAT(Verify(*context, calls("private",
                                     "  %f = func.constant @callee : (index) -> ()\n"
                                     "  %y = arith.constant 1000 : index\n"
                                     "  func.call_indirect %f(%y) : (index) -> ()\n")),
              HasSubstr("exact is not proved"));
  EXPECT_THAT(
      Verify(*context, calls("private", "  func.call @caller() {then = @callee} : () -> ()\n")),
      HasSubstr("exact is not proved"));
}

// An assumption is kept and marked; nothing is proved from it, and the proof of it needs one.
TEST(ExactCastsTest, AnAssumptionIsNoProof) {
  auto context = MakeMlirContext();
  std::string error;
  auto module = ParseModule(*context, R"(
    module attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>} {
    func.func @f(%x: index, %y: i8) -> (i8, i16, index) {
      %0 = arith.index_cast %x {affirm_index.exact} : index to i8
      %1 = arith.index_cast %x : index to i16
      %2 = arith.index_cast %y {affirm_index.assumed, affirm_index.exact} : i8 to index
      return %0, %1, %2 : i8, i16, index
    }})",
                            error);
  ASSERT_TRUE(module) << error;
  auto report = DeclareIndexWidth(*module);
  ASSERT_TRUE(mlir::succeeded(report));
  EXPECT_EQ(report->exact_casts, 1);
  EXPECT_EQ(report->assumed_casts, 1);
  auto casts = llvm::to_vector(
      (*module->getOps<mlir::func::FuncOp>().begin()).getBody().getOps<arith::IndexCastOp>());
  ASSERT_EQ(casts.size(), 3u);
  EXPECT_TRUE(IsExact(casts[0]) && !IsProvedExact(casts[0]));
  EXPECT_FALSE(IsExact(casts[1]));
  EXPECT_TRUE(IsProvedExact(casts[2]));
  EXPECT_TRUE(mlir::succeeded(VerifyIndexProofs(*module)));
}

TEST(ExactCastsTest, AMisspeltFlagIsRefused) {
  auto context = MakeMlirContext();
  auto read = [&](const std::string& attributes) {
    std::string error;
    auto module = ParseModule(*context,
                              "func.func @f(%x: i8) -> index {\n"
                              "  %0 = arith.index_cast %x " +
                                  attributes +
                                  " : i8 to index\n"
                                  "  return %0 : index\n}\n",
                              error);
    if (!module) return error;
    return llvm::toString(
        WithDiagnostics(*context, "", [&] { return ReadExactAttributes(*module); }));
  };
  EXPECT_EQ(read("{exact}"), "");
  EXPECT_EQ(read("{affirm_index.exact}"), "");
  EXPECT_THAT(read("{exakt}"), HasSubstr("unknown attribute"));
  EXPECT_THAT(read("{exact = true}"), HasSubstr("unknown attribute"));
  EXPECT_THAT(read("{affirm_index.exakt}"), HasSubstr("unknown attribute"));
  EXPECT_THAT(read("{affirm_index.assumed}"), HasSubstr("says nothing without"));
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
