// affirm-merge-slices: pointers to one slice of memory become one pointer.
#include "emit/ir/argument_attributes.h"
#include "emit/transforms/pass_base.h"
#include "emit/transforms/passes.h"
#include "llvm/ADT/MapVector.h"

namespace affirm::emit {
namespace {

namespace func = mlir::func;
namespace LLVM = mlir::LLVM;

// The arguments of a function that have the slice of an earlier argument, which replaces them. No
// argument has a slice any more.
llvm::BitVector MergeArguments(func::FuncOp function) {
  ir::ArgumentAttributes attributes(function);
  llvm::SmallDenseMap<int64_t, mlir::BlockArgument> first;
  // A pointer to an unknown place may lead to any of them.
  bool all_known = llvm::all_of(function.getArguments(), [&](mlir::BlockArgument argument) {
    return !mlir::isa<LLVM::LLVMPointerType>(argument.getType()) ||
           function.getArgAttr(argument.getArgNumber(), ir::kSliceAttribute);
  });
  llvm::BitVector merged(function.getNumArguments());
  for (mlir::BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto slice = function.getArgAttrOfType<mlir::IntegerAttr>(number, ir::kSliceAttribute);
    if (!slice) continue;
    auto [known, is_new] = first.try_emplace(slice.getInt(), argument);
    if (is_new && all_known) {
      attributes[number].set(LLVM::LLVMDialect::getNoAliasAttrName(),
                             mlir::UnitAttr::get(function.getContext()));
    } else if (!is_new) {
      argument.replaceAllUsesWith(known->second);
      merged.set(number);
    }
  }
  attributes.Remove(ir::kSliceAttribute);
  attributes.Write();
  return merged;
}

// Behind lower_tensors: one pointer for each slice.
mlir::LogicalResult MergeSlices(mlir::ModuleOp module) {
  llvm::MapVector<mlir::StringAttr, llvm::BitVector> merged;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal()) continue;
    llvm::BitVector arguments = MergeArguments(function);
    if (mlir::failed(function.eraseArguments(arguments))) return mlir::failure();
    merged[function.getSymNameAttr()] = std::move(arguments);
  }
  module.walk([&](func::CallOp call) {
    auto arguments = merged.find(call.getCalleeAttr().getAttr());
    if (arguments != merged.end()) call->eraseOperands(arguments->second);
  });
  return mlir::success();
}

}  // namespace

std::unique_ptr<mlir::Pass> CreateMergeSlicesPass() {
  return std::make_unique<ModulePass>(
      "affirm-merge-slices",
      "of a function's pointers to one slice the first takes the place of the others, in calls "
      "too; pointers to different slices are `noalias`, so that inputs are read through the "
      "read-only cache",
      MergeSlices);
}

}  // namespace affirm::emit
