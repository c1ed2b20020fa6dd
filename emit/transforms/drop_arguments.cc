// affirm-drop-arguments: functions lose the arguments that they do not read.
#include "emit/transforms/calls.h"
#include "emit/transforms/pass_base.h"
#include "emit/transforms/passes.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

namespace affirm::emit {
namespace {

namespace func = mlir::func;

// Functions are made with all dimensions of an index, and with each array that a value may read. A
// caller may read less once its calls do.
mlir::LogicalResult DropArguments(mlir::ModuleOp module) {
  const Calls calls = CollectCalls(module);
  llvm::SetVector<func::FuncOp> open;
  for (const auto& [function, sites] : calls) open.insert(function);
  while (!open.empty()) {
    func::FuncOp function = open.pop_back_val();
    const auto sites = calls.find(function);
    // Results of tensors are written to the last arguments.
    if (sites == calls.end() ||
        llvm::any_of(function.getResultTypes(), llvm::IsaPred<mlir::TensorType>))
      continue;
    llvm::BitVector unread(function.getNumArguments());
    for (mlir::BlockArgument argument : function.getArguments()) {
      if (argument.use_empty()) unread.set(argument.getArgNumber());
    }
    if (unread.none()) continue;
    if (mlir::failed(function.eraseArguments(unread))) return mlir::failure();
    for (mlir::Operation* call : sites->second) {
      call->eraseOperands(unread);
      open.insert(call->getParentOfType<func::FuncOp>());
    }
  }
  return mlir::success();
}

}  // namespace

std::unique_ptr<mlir::Pass> CreateDropArgumentsPass() {
  return std::make_unique<ModulePass>(
      "affirm-drop-arguments", "functions lose the arguments that they do not read", DropArguments);
}

}  // namespace affirm::emit
