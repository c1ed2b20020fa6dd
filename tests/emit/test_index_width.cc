// The width of index: what is proved of index arithmetic holds when it is executed in so many bits,
// and what is not proved is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/symbolic/context.h"
#include "emit/codegen/kernel_impl.h"
#include "emit/codegen/mlir_context.h"
#include "emit/elements/index_emitter.h"
#include "emit/index_width_choice.h"
#include "emit/transforms/exact_casts.h"
#include "emit/transforms/index_width.h"
#include "emit/transforms/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "tests/decide/random_terms.h"
#include "tests/emit/kernel_testing.h"
#include "tests/emit/mlir_testing.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
using testing::Emit;
using testing::EmittedModule;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ParseModule;
using testing::Verify;

std::string Text(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

// A function that evaluates terms of thread and block id.
struct Sample {
  std::unique_ptr<mlir::MLIRContext> mlir = MakeMlirContext();
  Context context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<int64_t> sizes;  // of the ids
  std::vector<SymbolicExpr> results;
  IndexingMap map;

  Sample(std::vector<int64_t> ids, llvm::function_ref<std::vector<SymbolicExpr>(Context&)> terms)
      : sizes(std::move(ids)), results(terms(context)) {
    map = IndexingMap::FromShapes(context, results, sizes, {});
    mlir::OpBuilder at(mlir.get());
    module = mlir::ModuleOp::create(at.getUnknownLoc());
    at.setInsertionPointToStart(module->getBody());
    llvm::SmallVector<mlir::Type> types(results.size(), at.getIndexType());
    auto f = mlir::func::FuncOp::create(at, at.getUnknownLoc(), "f", at.getFunctionType({}, types));
    Builder b(f.getLoc(), mlir.get());
    b.setInsertionPointToStart(f.addEntryBlock());
    IndexEmitter index(b);
    index.SetDim(0, mlir::gpu::ThreadIdOp::create(b, b.getIndexType(), mlir::gpu::Dimension::x,
                                                  b.getIndexAttr(sizes[0])));
    index.SetDim(1, mlir::gpu::BlockIdOp::create(b, b.getIndexType(), mlir::gpu::Dimension::x,
                                                 b.getIndexAttr(sizes[1])));
    llvm::SmallVector<mlir::Value> values;
    for (SymbolicExpr e : results) values.push_back(index.Emit(e, map));
    mlir::func::ReturnOp::create(b, values);
    mlir::PassManager lower(mlir.get());
    lower.addPass(CreateLowerIndexingPass());
    EXPECT_TRUE(mlir::succeeded(lower.run(*module)));
  }

  mlir::Block& body() { return (*module->getOps<mlir::func::FuncOp>().begin()).getBody().front(); }
};

std::vector<SymbolicExpr> RandomTerms(Context& context) {
  std::vector<SymbolicExpr> variables = {context.Dim(0), context.Dim(1)}, terms;
  for (int64_t i = Pick(1, 2); i > 0; --i) {
    terms.push_back(RandomTerm(context, variables, 3, {.products = true}));
  }
  return terms;
}

// Executes a straight-line function in integers of `bits` bits and checks each op against what is
// claimed.
class Machine {
 public:
  Machine(Sample& sample, unsigned bits, const IndexAnalysis& analysis)
      : sample_(sample), bits_(bits), analysis_(analysis) {}

  // The faults at these ids; empty if there are none.
  std::string Run(llvm::ArrayRef<int64_t> ids) {
    std::string wrong;
    for (mlir::Operation& op : sample_.body().without_terminator()) {
      Step(&op, ids);
      auto proof = analysis_.proofs.find(&op);
      if (proof == analysis_.proofs.end()) continue;
      const OpProof& p = proof->second;
      if (p.nsw && Overflows(&op, true)) wrong += "nsw ";
      if (p.nuw && Overflows(&op, false)) wrong += "nuw ";
      bool divides = In(&op, 0).isNonNegative() && In(&op, 1).isStrictlyPositive();
      if (p.nonnegative && !divides) wrong += "nonnegative ";
    }
    if (!analysis_.Safe()) return wrong;
    auto terminator = sample_.body().getTerminator();
    for (auto [value, e] : llvm::zip(terminator->getOperands(), sample_.results)) {
      if (values_[value].getSExtValue() != *e.Evaluate(ids).value) wrong += "result ";
    }
    return wrong;
  }

 private:
  const llvm::APInt& In(mlir::Operation* op, unsigned k) { return values_[op->getOperand(k)]; }

  bool Overflows(mlir::Operation* op, bool is_signed) {
    unsigned wide = 2 * bits_ + 2;
    auto extend = [&](const llvm::APInt& v) { return is_signed ? v.sext(wide) : v.zext(wide); };
    llvm::APInt a = extend(In(op, 0)), b = extend(In(op, 1)), exact;
    if (mlir::isa<arith::AddIOp>(op)) exact = a + b;
    if (mlir::isa<arith::SubIOp>(op)) exact = a - b;
    if (mlir::isa<arith::MulIOp>(op)) exact = a * b;
    return exact != extend(values_[op->getResult(0)]);
  }

  void Step(mlir::Operation* op, llvm::ArrayRef<int64_t> ids) {
    auto number = [&](int64_t v) {
      return llvm::APInt(bits_, static_cast<uint64_t>(v), true, /*implicitTrunc=*/true);
    };
    llvm::APInt& to = values_[op->getResult(0)];
    if (mlir::isa<mlir::gpu::ThreadIdOp>(op)) {
      to = number(ids[0]);
    } else if (mlir::isa<mlir::gpu::BlockIdOp>(op)) {
      to = number(ids[1]);
    } else if (auto constant = mlir::dyn_cast<arith::ConstantOp>(op)) {
      to = number(mlir::cast<mlir::IntegerAttr>(constant.getValue()).getInt());
    } else if (auto select = mlir::dyn_cast<arith::SelectOp>(op)) {
      to = In(op, 0).isZero() ? In(op, 2) : In(op, 1);
    } else if (auto compare = mlir::dyn_cast<arith::CmpIOp>(op)) {
      to = llvm::APInt(1, arith::applyCmpPredicate(compare.getPredicate(), In(op, 0), In(op, 1)));
    } else {
      to = Binary(op, In(op, 0), In(op, 1));
    }
  }

  static llvm::APInt Binary(mlir::Operation* op, const llvm::APInt& a, const llvm::APInt& b) {
    if (mlir::isa<arith::AddIOp>(op)) return a + b;
    if (mlir::isa<arith::SubIOp>(op)) return a - b;
    if (mlir::isa<arith::MulIOp>(op)) return a * b;
    if (mlir::isa<arith::AndIOp>(op)) return a & b;
    if (mlir::isa<arith::XOrIOp>(op)) return a ^ b;
    if (mlir::isa<arith::MinSIOp>(op)) return a.slt(b) ? a : b;
    if (mlir::isa<arith::MaxSIOp>(op)) return a.slt(b) ? b : a;
    if (b.isZero()) return b;  // a constant that wrapped to 0
    if (mlir::isa<arith::DivSIOp>(op)) return a.sdiv(b);
    if (mlir::isa<arith::RemSIOp>(op)) return a.srem(b);
    return mlir::isa<arith::DivUIOp>(op) ? a.udiv(b) : a.urem(b);
  }

  Sample& sample_;
  unsigned bits_;
  const IndexAnalysis& analysis_;
  llvm::DenseMap<mlir::Value, llvm::APInt> values_;
};

RC_GTEST_PROP(IndexWidthTest, WhatIsProvedHoldsInExecution, ()) {
  Sample sample({Pick(1, 6), Pick(1, 6)}, RandomTerms);
  auto bits = static_cast<unsigned>(Pick(3, 10));
  IndexAnalysis analysis = AnalyzeIndices(*sample.module, {bits, bits});
  RC_TAG(analysis.Safe() ? "safe" : "refused");
  RC_LOG() << bits << " bits\n" << Text(*sample.module);
  if (!analysis.Safe()) RC_LOG() << analysis.Reason().text << "\n";
  Machine machine(sample, bits, analysis);
  for (int64_t th = 0; th < sample.sizes[0]; ++th) {
    for (int64_t bl = 0; bl < sample.sizes[1]; ++bl) {
      std::string wrong = machine.Run({th, bl});
      RC_LOG() << "th " << th << " bl " << bl << ": " << wrong << "\n";
      RC_ASSERT(wrong.empty());
    }
  }
}

EmittedModule Negate(int64_t elements) {
  std::string type = "s8[" + std::to_string(elements) + "]";
  return Emit("HloModule m\nENTRY e {\n  p = " + type + " parameter(0)\n  ROOT n = " + type +
              " negate(p)\n}\n");
}

TEST(IndexWidthTest, AKernelOfMoreThanTwoToThe31ElementsIsRefused32Bits) {
  EmittedModule large = Negate((int64_t{1} << 31) + 128);
  ASSERT_TRUE(large.kernel) << large.error;
  auto choice = ChooseIndexWidth(*large.kernel);
  ASSERT_TRUE(static_cast<bool>(choice));
  EXPECT_EQ(choice->bits, 64u);
  EXPECT_TRUE(choice->proved);
  EXPECT_THAT(choice->refusal, HasSubstr("at bl_x = "));
  auto forced = ChooseIndexWidth(*large.kernel, 32);
  ASSERT_FALSE(static_cast<bool>(forced));
  EXPECT_THAT(llvm::toString(forced.takeError()), HasSubstr("at bl_x = "));

  EmittedModule small = Negate((int64_t{1} << 31) - 128);
  choice = ChooseIndexWidth(*small.kernel);
  ASSERT_TRUE(static_cast<bool>(choice));
  EXPECT_EQ(choice->bits, 32u);
  EXPECT_TRUE(choice->proved && choice->refusal.empty());
}

TEST(IndexWidthTest, NarrowingsHaveFlagsInLlvm) {
  EmittedModule m = Emit(R"(HloModule m
    ENTRY e {
      p = f32[1000] parameter(0)
      i = s64[] parameter(1)
      ROOT d = f32[300] dynamic-slice(p, i), dynamic_slice_sizes={300}
    })");
  ASSERT_TRUE(m.kernel) << m.error;
  auto text = m.kernel->Text(Target::kNvptx, Stage::kLlvm);
  ASSERT_TRUE(static_cast<bool>(text));
  EXPECT_THAT(*text, HasSubstr("trunc nsw i64"));
  EXPECT_THAT(*text, HasSubstr("nsw i32"));
  SetIndexWidth(*m.kernel, 64);
  auto wide = m.kernel->Text(Target::kNvptx, Stage::kLlvm);
  ASSERT_TRUE(static_cast<bool>(wide));
  EXPECT_THAT(*wide, Not(HasSubstr("trunc")));
}

// The code of a pass that skips a proof is caught.
TEST(IndexWidthTest, WhatIsNotProvedIsCaught) {
  auto context = MakeMlirContext();
  auto function = [](const std::string& body) {
    return "module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {\n"
           "func.func @f() -> index {\n"
           "  %c = arith.constant 65536 : index\n"
           "  %x = gpu.thread_id x upper_bound 32768\n"
           "  %y = gpu.block_id x upper_bound 1048576\n" +
           body + "  return %r : index\n}\n}\n";
  };
  EXPECT_EQ(Verify(*context, function("  %r = arith.muli %x, %c overflow<nsw, nuw> : index\n")),
            "");
  EXPECT_THAT(Verify(*context, function("  %r = arith.muli %y, %c overflow<nsw> : index\n")),
              HasSubstr("at bl_x = "));
  EXPECT_THAT(Verify(*context, function("  %d = arith.subi %x, %c : index\n"
                                        "  %r = arith.divui %d, %c : index\n")),
              HasSubstr("unsigned division"));
  EXPECT_THAT(
      Verify(*context, function("  %i = arith.index_cast %c {affirm_index.exact} : index to i16\n"
                                "  %r = arith.index_cast %i : i16 to index\n")),
      HasSubstr("exact is not proved"));
  EXPECT_THAT(
      Verify(*context, function("  %i = arith.index_cast %x {affirm_index.exact} : index to i8\n"
                                "  %r = arith.index_cast %i : i8 to index\n")),
      HasSubstr("exact is not proved"));
  EXPECT_THAT(Verify(*context, function("  %r = arith.addi %x, %c {affirm_index.exact} : index\n")),
              HasSubstr("belongs on"));
}

TEST(IndexWidthTest, RewritesAskForExact) {
  auto context = MakeMlirContext();
  std::string error;
  // The declared bounds make the casts of x exact, not those of y.
  auto module = ParseModule(*context, R"(
    module attributes {dlti.dl_spec = #dlti.dl_spec<"affirm_index.least" = 16 : i32,
                                                    "affirm_index.most" = 64 : i32>} {
    func.func @f(%z: i32) -> (index, index, i32) {
      %x = gpu.thread_id x upper_bound 100
      %y = gpu.block_id x upper_bound 1000
      %a = arith.index_cast %x : index to i8
      %b = arith.index_cast %a : i8 to index
      %c = arith.index_cast %y : index to i8
      %d = arith.index_cast %c : i8 to index
      return %b, %d, %z : index, index, i32
    }})",
                            error);
  ASSERT_TRUE(module) << error;
  auto report = DeclareIndexWidth(*module);
  ASSERT_TRUE(mlir::succeeded(report));
  EXPECT_EQ(report->width.least, 16u);
  EXPECT_EQ(report->exact_casts, 3);  // both of x, and the last: an i8 always fits
  EXPECT_TRUE(mlir::succeeded(VerifyIndexProofs(*module)));
  mlir::PassManager folds(context.get());
  folds.addPass(CreateFoldExactCastsPass());
  ASSERT_TRUE(mlir::succeeded(folds.run(*module)));
  auto f = *module->getOps<mlir::func::FuncOp>().begin();
  mlir::Operation* ret = f.getBody().front().getTerminator();
  EXPECT_TRUE(ret->getOperand(0).getDefiningOp<mlir::gpu::ThreadIdOp>());
  EXPECT_TRUE(ret->getOperand(1).getDefiningOp<arith::IndexCastOp>());
}

}  // namespace
}  // namespace affirm::emit
