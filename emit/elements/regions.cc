// Loops and branches within a function of the partition: scf.for and scf.if.
#include "emit/elements/node_emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace affirm::emit {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Value;
using Values = NodeEmitter::Values;

Value NodeEmitter::Conditions(int64_t node, int64_t first, int64_t count) {
  Value all;
  for (int64_t k = first; k < first + count; ++k) {
    for (const Constraint& condition : plan(node).operands[k].conditions) {
      // Asked outside of the scope that the condition guards.
      Value holds = index_.EmitWithin(condition.expr, condition.bounds, Domain(plan(node).scope));
      all = all ? Value(arith::AndIOp::create(b_, all, holds)) : holds;
    }
  }
  return all;
}

llvm::Expected<Values> NodeEmitter::Branch(Value condition, mlir::TypeRange types, Body then_body,
                                           Body else_body) {
  auto branch = scf::IfOp::create(b_, types, condition, /*withElseRegion=*/true);
  auto fill = [&](mlir::Region& region, Body body) -> llvm::Error {
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(&region.front());
    index_.Enter();
    llvm::Expected<Values> values = body();
    index_.Leave();
    if (!values) return values.takeError();
    scf::YieldOp::create(b_, *values);
    return llvm::Error::success();
  };
  if (llvm::Error error = fill(branch.getThenRegion(), then_body)) return error;
  if (llvm::Error error = fill(branch.getElseRegion(), else_body)) return error;
  return Values(branch.getResults());
}

llvm::Expected<Values> NodeEmitter::LoopNest(
    llvm::ArrayRef<LoopVariable> loops, mlir::ValueRange init,
    llvm::function_ref<llvm::Expected<Values>(mlir::ValueRange)> body) {
  if (loops.empty()) return body(init);
  const LoopVariable& variable = loops.front();
  auto loop =
      scf::ForOp::create(b_, IndexConstant(b_, variable.bounds.lower),
                         IndexConstant(b_, variable.bounds.upper + 1), IndexConstant(b_, 1), init);
  mlir::OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(loop.getBody());
  index_.Enter();
  index_.SetDim(variable.dim, loop.getInductionVar());
  llvm::Expected<Values> next = LoopNest(loops.drop_front(), loop.getRegionIterArgs(), body);
  index_.Leave();
  if (!next) return next.takeError();
  scf::YieldOp::create(b_, *next);
  return Values(loop.getResults());
}

}  // namespace affirm::emit
