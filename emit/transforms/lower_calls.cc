// affirm-lower-calls: pure calls become calls, and predicated accesses become branches.
#include "emit/elements/scalar.h"
#include "emit/transforms/pass_base.h"
#include "emit/transforms/passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace affirm::emit {
namespace {

namespace scf = mlir::scf;
using mlir::Value;

void Lower(ir::PureCallOp op) {
  Builder b(op.getLoc(), op);
  auto call = mlir::func::CallOp::create(b, op.getCallee(), op.getResultTypes(), op.getArguments());
  op.replaceAllUsesWith(call.getResults());
  op.erase();
}

// A branch that yields `make` of the then-builder, or `otherwise`.
void Branch(mlir::Operation* op, Value predicate, Value otherwise,
            llvm::function_ref<Value(Builder&)> make) {
  Builder b(op->getLoc(), op);
  auto branch = scf::IfOp::create(b, otherwise.getType(), predicate, /*withElseRegion=*/true);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  scf::YieldOp::create(b, make(b));
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  scf::YieldOp::create(b, otherwise);
  op->replaceAllUsesWith(branch.getResults());
  op->erase();
}

mlir::LogicalResult LowerCalls(mlir::ModuleOp module) {
  // Each lowering erases the op.
  module.walk([](mlir::Operation* op) {
    if (auto call = mlir::dyn_cast<ir::PureCallOp>(op)) return Lower(call);
    if (auto insert = mlir::dyn_cast<ir::PredicatedInsertOp>(op)) {
      return Branch(op, insert.getPredicate(), insert.getDest(), [&](Builder& b) -> Value {
        return mlir::tensor::InsertOp::create(b, insert.getScalar(), insert.getDest(),
                                              insert.getIndices());
      });
    }
    if (auto extract = mlir::dyn_cast<ir::PredicatedExtractOp>(op)) {
      return Branch(op, extract.getPredicate(), extract.getFallback(), [&](Builder& b) -> Value {
        return mlir::tensor::ExtractOp::create(b, extract.getTensor(), extract.getIndices());
      });
    }
  });
  return mlir::success();
}

}  // namespace

std::unique_ptr<mlir::Pass> CreateLowerCallsPass() {
  return std::make_unique<ModulePass>(
      "affirm-lower-calls", "pure calls to calls, predicated accesses to branches", LowerCalls);
}

}  // namespace affirm::emit
