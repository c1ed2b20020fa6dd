// affirm-propagate-slices: functions learn which slices of memory their callers pass.
#include <optional>

#include "emit/ir/argument_attributes.h"
#include "emit/transforms/calls.h"
#include "emit/transforms/pass_base.h"
#include "emit/transforms/passes.h"

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

// Gives a function's tensors the slices on which its calls agree; whether that is news.
bool Propagate(func::FuncOp function, llvm::ArrayRef<mlir::Operation*> calls) {
  bool news = false;
  ir::ArgumentAttributes attributes(function);
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (!mlir::isa<mlir::RankedTensorType>(function.getArgument(i).getType())) continue;
    std::optional<int64_t> slice = SliceOf(calls.front()->getOperand(i));
    bool agree = llvm::all_of(
        calls, [&](mlir::Operation* call) { return SliceOf(call->getOperand(i)) == slice; });
    if (!slice || !agree || attributes[i].get(ir::kSliceAttribute)) continue;
    attributes[i].set(
        ir::kSliceAttribute,
        mlir::IntegerAttr::get(mlir::IntegerType::get(function.getContext(), 64), *slice));
    news = true;
  }
  if (news) attributes.Write();
  return news;
}

// From callers to what they call, until nothing is new. A slice is given once all callers have
// theirs, so that none has to be taken back.
mlir::LogicalResult PropagateSlices(mlir::ModuleOp module) {
  const Calls calls = CollectCalls(module);
  bool news = true;
  while (news) {
    news = false;
    for (const auto& [function, sites] : calls) news |= Propagate(function, sites);
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
