// Calls, shared memory, barriers, shuffles, predicated and atomic accesses.
#include "emit/ir/dialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define GET_OP_CLASSES
#include "affirm_ops.cc.inc"

namespace affirm::ir {
namespace {

mlir::LogicalResult VerifyCall(mlir::Operation* op, mlir::FlatSymbolRefAttr callee,
                               mlir::TypeRange arguments, mlir::TypeRange results,
                               mlir::SymbolTableCollection& symbols) {
  auto function = symbols.lookupNearestSymbolFrom<mlir::FunctionOpInterface>(op, callee);
  if (!function) return op->emitOpError("calls ") << callee << ", which is no function";
  if (!llvm::equal(function.getArgumentTypes(), arguments) ||
      !llvm::equal(function.getResultTypes(), results)) {
    return op->emitOpError("calls ") << callee << ", which has another type";
  }
  return mlir::success();
}

mlir::LogicalResult VerifyRank(mlir::Operation* op, mlir::Type tensor, size_t indices) {
  auto rank = static_cast<size_t>(mlir::cast<mlir::RankedTensorType>(tensor).getRank());
  if (rank == indices) return mlir::success();
  return op->emitOpError("has ") << indices << " indices for a tensor of rank " << rank;
}

bool IsPowerOfTwoBelow32(int64_t v) { return v > 0 && v < 32 && (v & (v - 1)) == 0; }

}  // namespace

mlir::LogicalResult PureCallOp::verifySymbolUses(mlir::SymbolTableCollection& symbols) {
  return VerifyCall(*this, getCalleeAttr(), getArguments().getTypes(), getResultTypes(), symbols);
}

mlir::LogicalResult AllocateSharedOp::verify() {
  if (getTensor().getType().getNumElements() > 0) return mlir::success();
  return emitOpError("allocates no element");
}

mlir::LogicalResult SyncThreadsOp::inferReturnTypes(mlir::MLIRContext*,
                                                    std::optional<mlir::Location>,
                                                    mlir::ValueRange operands, mlir::DictionaryAttr,
                                                    mlir::OpaqueProperties, mlir::RegionRange,
                                                    llvm::SmallVectorImpl<mlir::Type>& types) {
  types.assign(operands.getTypes().begin(), operands.getTypes().end());
  return mlir::success();
}

mlir::LogicalResult ShuffleReduceOp::inferReturnTypes(mlir::MLIRContext*,
                                                      std::optional<mlir::Location>,
                                                      mlir::ValueRange operands,
                                                      mlir::DictionaryAttr, mlir::OpaqueProperties,
                                                      mlir::RegionRange,
                                                      llvm::SmallVectorImpl<mlir::Type>& types) {
  types.assign(operands.getTypes().begin(), operands.getTypes().end());
  return mlir::success();
}

mlir::LogicalResult ShuffleReduceOp::verify() {
  int64_t first = getFirstDistance(), last = getLastDistance();
  if (!IsPowerOfTwoBelow32(first) || !IsPowerOfTwoBelow32(last) || first < last) {
    return emitOpError("needs distances that are powers of two, at most 16 and falling");
  }
  for (mlir::Type type : getInputs().getTypes()) {
    if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64) {
      return emitOpError("shuffles numbers of at most 64 bits");
    }
  }
  return mlir::success();
}

mlir::LogicalResult ShuffleReduceOp::verifySymbolUses(mlir::SymbolTableCollection& symbols) {
  llvm::SmallVector<mlir::Type> arguments(getInputs().getTypes());
  arguments.append(getInputs().getTypes().begin(), getInputs().getTypes().end());
  return VerifyCall(*this, getCombinerAttr(), arguments, getInputs().getTypes(), symbols);
}

mlir::LogicalResult PredicatedInsertOp::verify() {
  return VerifyRank(*this, getDest().getType(), getIndices().size());
}

mlir::OpFoldResult PredicatedInsertOp::fold(FoldAdaptor adaptor) {
  auto predicate = mlir::dyn_cast_or_null<mlir::IntegerAttr>(adaptor.getPredicate());
  return predicate && predicate.getValue().isZero() ? mlir::OpFoldResult(getDest())
                                                    : mlir::OpFoldResult();
}

mlir::LogicalResult PredicatedExtractOp::verify() {
  return VerifyRank(*this, getTensor().getType(), getIndices().size());
}

mlir::OpFoldResult PredicatedExtractOp::fold(FoldAdaptor adaptor) {
  auto predicate = mlir::dyn_cast_or_null<mlir::IntegerAttr>(adaptor.getPredicate());
  return predicate && predicate.getValue().isZero() ? mlir::OpFoldResult(getFallback())
                                                    : mlir::OpFoldResult();
}

mlir::LogicalResult AtomicRMWOp::verify() {
  mlir::Type element = getTensor().getType().getElementType();
  auto yield = mlir::cast<YieldOp>(getBody().front().getTerminator());
  if (!llvm::equal(getBody().getArgumentTypes(), mlir::TypeRange(element)) ||
      !llvm::equal(yield.getOperandTypes(), mlir::TypeRange(element))) {
    return emitOpError("needs a region from an element to an element");
  }
  return VerifyRank(*this, getTensor().getType(), getIndices().size());
}

}  // namespace affirm::ir
