// canonicalize: MLIR's canonicalizer, which may fold casts of index where `exact` says so alone.
//
// MLIR 22 folds index -> i8 -> index to nothing, and constants as if index had 64 bits. Patterns
// can be left out by name, folds cannot. So the casts are operations that are not folded while
// MLIR's canonicalizer runs, and afterwards the rewrites that ask for `exact` get their turn.
#include "emit/ir/dialect.h"
#include "emit/transforms/exact_casts.h"
#include "emit/transforms/passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
using mlir::Operation;

// MLIR's pattern that merges equal operands of the end of a loop or branch compares each two.
constexpr char kComparesEachTwo[] = "(anonymous namespace)::RemoveDuplicateSuccessorInputUses";

// Whether that is left out: of 800 results it takes more time than all other patterns.
bool HasManyResults(Operation* root) {
  constexpr unsigned kMostResults = 64;
  auto has = [](Operation* op) {
    return op->getNumResults() > kMostResults ? mlir::WalkResult::interrupt()
                                              : mlir::WalkResult::advance();
  };
  return root->walk(has).wasInterrupted();
}

// Puts a cast of one kind in the place of another, with the attributes that it has.
void ReplaceCast(Operation* cast, Operation* by) {
  by->setDiscardableAttrs(cast->getDiscardableAttrDictionary());
  cast->replaceAllUsesWith(by->getResults());
  cast->erase();
}

void HideCasts(Operation* root) {
  root->walk([](Operation* op) {
    bool is_unsigned = mlir::isa<arith::IndexCastUIOp>(op);
    if (!is_unsigned && !mlir::isa<arith::IndexCastOp>(op)) return;
    mlir::OpBuilder b(op);
    ReplaceCast(op, ir::OpaqueCastOp::create(b, op->getLoc(), op->getResult(0).getType(),
                                             op->getOperand(0), is_unsigned));
  });
}

void RevealCasts(Operation* root) {
  root->walk([](ir::OpaqueCastOp op) {
    mlir::OpBuilder b(op);
    Operation* cast;
    if (op.getIsUnsigned()) {
      cast = arith::IndexCastUIOp::create(b, op.getLoc(), op.getType(), op.getIn());
    } else {
      cast = arith::IndexCastOp::create(b, op.getLoc(), op.getType(), op.getIn());
    }
    ReplaceCast(op, cast);
  });
}

class CanonicalizePass : public mlir::PassWrapper<CanonicalizePass, mlir::OperationPass<>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CanonicalizePass)
  llvm::StringRef getArgument() const override { return "canonicalize"; }
  llvm::StringRef getDescription() const override {
    return "MLIR's canonicalizer, with folds of index casts where they are exact alone";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<arith::ArithDialect, ir::AffirmDialect, IndexDialect>();
  }

  void runOnOperation() override {
    mlir::OpPassManager canonicalizer(getOperation()->getName());
    std::vector<std::string> disabled;
    if (HasManyResults(getOperation())) disabled.push_back(kComparesEachTwo);
    canonicalizer.addPass(mlir::createCanonicalizerPass(mlir::GreedyRewriteConfig(), disabled));
    do {
      HideCasts(getOperation());
      if (mlir::failed(runPipeline(canonicalizer, getOperation()))) return signalPassFailure();
      RevealCasts(getOperation());
      // Each round has fewer casts than the one before.
    } while (FoldExactCasts(getOperation()));
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateCanonicalizePass() {
  return std::make_unique<CanonicalizePass>();
}

}  // namespace affirm::emit
