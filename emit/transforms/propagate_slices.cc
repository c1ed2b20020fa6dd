// affirm-propagate-slices: functions learn which slices of memory their callers pass.
#include <iterator>
#include <optional>

#include "emit/transforms/pass_base.h"
#include "emit/transforms/passes.h"
#include "llvm/ADT/MapVector.h"

namespace affirm::emit {
namespace {

namespace func = mlir::func;
using mlir::Value;

// The slice of a buffer that a function was given; nothing for what is no argument or has none.
std::optional<int64_t> SliceOf(Value tensor) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(tensor);
  if (!argument) return std::nullopt;
  auto function = mlir::dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function) return std::nullopt;
  auto slice =
      function.getArgAttrOfType<mlir::IntegerAttr>(argument.getArgNumber(), ir::kSliceAttribute);
  if (!slice) return std::nullopt;
  return slice.getInt();
}

// What each call of a function gives it.
using Calls = llvm::MapVector<func::FuncOp, llvm::SmallVector<mlir::OperandRange>>;

Calls CollectCalls(mlir::ModuleOp module) {
  Calls calls;
  module.walk([&](mlir::Operation* op) {
    mlir::FlatSymbolRefAttr callee;
    if (auto pure = mlir::dyn_cast<ir::PureCallOp>(op)) callee = pure.getCalleeAttr();
    if (auto call = mlir::dyn_cast<func::CallOp>(op)) callee = call.getCalleeAttr();
    if (!callee) return;
    if (auto function = module.lookupSymbol<func::FuncOp>(callee.getAttr())) {
      calls[function].push_back(op->getOperands());
    }
  });
  return calls;
}

// Whether the function's name is used by these calls alone.
bool AreAllUses(llvm::ArrayRef<mlir::OperandRange> calls, func::FuncOp function,
                mlir::ModuleOp module) {
  const auto uses = mlir::SymbolTable::getSymbolUses(function, module);
  return uses && static_cast<size_t>(std::distance(uses->begin(), uses->end())) == calls.size();
}

// Gives a private function's tensors the slices on which its calls agree; whether that is news.
bool Propagate(func::FuncOp function, llvm::ArrayRef<mlir::OperandRange> calls) {
  bool news = false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (!mlir::isa<mlir::RankedTensorType>(function.getArgument(i).getType())) continue;
    std::optional<int64_t> slice = SliceOf(calls.front()[i]);
    bool agree = llvm::all_of(
        calls, [&](mlir::OperandRange operands) { return SliceOf(operands[i]) == slice; });
    if (!slice || !agree || function.getArgAttr(i, ir::kSliceAttribute)) continue;
    function.setArgAttr(
        i, ir::kSliceAttribute,
        mlir::IntegerAttr::get(mlir::IntegerType::get(function.getContext(), 64), *slice));
    news = true;
  }
  return news;
}

// From callers to what they call, until nothing is new. A slice is given once all callers have
// theirs, so that none has to be taken back.
mlir::LogicalResult PropagateSlices(mlir::ModuleOp module) {
  Calls calls = CollectCalls(module);
  bool news = true;
  while (news) {
    news = false;
    for (auto& [function, operands] : calls) {
      if (function.isPrivate() && AreAllUses(operands, function, module) &&
          Propagate(function, operands))
        news = true;
    }
  }
  return mlir::success();
}

}  // namespace

std::unique_ptr<mlir::Pass> CreatePropagateSlicesPass() {
  return std::make_unique<ModulePass>(
      "affirm-propagate-slices",
      "tensors of functions get the slices that their callers pass, where all callers agree",
      PropagateSlices);
}

}  // namespace affirm::emit
