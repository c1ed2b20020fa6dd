// affirm-inline-calls: inlines functions that have a single call, which is pure.
#include "emit/transforms/calls.h"
#include "emit/transforms/pass_base.h"
#include "emit/transforms/passes.h"

namespace affirm::emit {
namespace {

namespace func = mlir::func;

// Moves the only block of the function to its call.
void Inline(ir::PureCallOp call, func::FuncOp function) {
  mlir::Block& body = function.getBody().front();
  for (auto [argument, value] : llvm::zip(body.getArguments(), call.getArguments())) {
    argument.replaceAllUsesWith(value);
  }
  auto ret = mlir::cast<func::ReturnOp>(body.getTerminator());
  call.replaceAllUsesWith(ret.getOperands());
  ret.erase();
  call->getBlock()->getOperations().splice(call->getIterator(), body.getOperations());
  call.erase();
  function.erase();
}

// Inlines functions with one call: code does not grow, and indices compose.
mlir::LogicalResult InlineCalls(mlir::ModuleOp module) {
  for (auto& [function, sites] : CollectCalls(module)) {
    auto call = mlir::dyn_cast<ir::PureCallOp>(sites.front());
    if (!call || sites.size() != 1 || function->isProperAncestor(call)) continue;
    if (func::FuncOp callee = function; callee.getBody().hasOneBlock()) Inline(call, callee);
  }
  return mlir::success();
}

}  // namespace

std::unique_ptr<mlir::Pass> CreateInlineCallsPass() {
  return std::make_unique<ModulePass>(
      "affirm-inline-calls", "functions with one call go where they are called", InlineCalls);
}

}  // namespace affirm::emit
