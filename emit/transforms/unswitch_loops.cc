// affirm-unswitch-loops: a branch that does not depend on the loop goes around it.
#include "emit/elements/scalar.h"
#include "emit/transforms/pass_base.h"
#include "emit/transforms/passes.h"
#include "mlir/IR/IRMapping.h"

namespace affirm::emit {
namespace {

namespace scf = mlir::scf;

// The branch that a loop consists of, when its condition is known before the loop and the loop
// yields its results.
scf::IfOp InvariantBranch(scf::ForOp loop) {
  mlir::Block& body = *loop.getBody();
  auto branch = mlir::dyn_cast<scf::IfOp>(body.front());
  if (!branch || branch->getNextNode() != body.getTerminator() ||
      !loop.isDefinedOutsideOfLoop(branch.getCondition()) ||
      !llvm::equal(body.getTerminator()->getOperands(), branch.getResults())) {
    return {};
  }
  return branch;
}

// Puts a copy of the loop at the builder, with one side of the branch as its body.
void LoopOver(Builder& b, scf::ForOp loop, mlir::Region& side) {
  auto copy = scf::ForOp::create(b, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                 loop.getInits());
  mlir::IRMapping mapping;
  mapping.map(loop.getInductionVar(), copy.getInductionVar());
  mapping.map(loop.getRegionIterArgs(), copy.getRegionIterArgs());
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(copy.getBody());
    for (mlir::Operation& op : side.front().without_terminator()) b.clone(op, mapping);
    if (loop.getNumResults() > 0) b.clone(*side.front().getTerminator(), mapping);
  }
  if (loop.getNumResults() > 0) scf::YieldOp::create(b, copy.getResults());
}

void Unswitch(scf::ForOp loop) {
  scf::IfOp branch = InvariantBranch(loop);
  if (!branch) return;
  Builder b(loop.getLoc(), loop);
  bool results = loop.getNumResults() > 0, has_else = !branch.getElseRegion().empty();
  auto outer =
      scf::IfOp::create(b, loop.getResultTypes(), branch.getCondition(), results || has_else);
  b.setInsertionPointToStart(&outer.getThenRegion().front());
  LoopOver(b, loop, branch.getThenRegion());
  if (has_else) {
    b.setInsertionPointToStart(&outer.getElseRegion().front());
    LoopOver(b, loop, branch.getElseRegion());
  }
  loop.replaceAllUsesWith(outer.getResults());
  loop.erase();
}

mlir::LogicalResult UnswitchLoops(mlir::ModuleOp module) {
  llvm::SmallVector<scf::ForOp> loops;
  module.walk([&](scf::ForOp loop) { loops.push_back(loop); });  // inner ones first
  for (scf::ForOp loop : loops) Unswitch(loop);
  return mlir::success();
}

}  // namespace

std::unique_ptr<mlir::Pass> CreateUnswitchLoopsPass() {
  return std::make_unique<ModulePass>(
      "affirm-unswitch-loops",
      "a branch that makes up a loop and does not depend on it goes around it", UnswitchLoops);
}

}  // namespace affirm::emit
