// affirm-flatten-tensors: every tensor gets one dimension.
#include "emit/elements/scalar.h"
#include "emit/transforms/pass_base.h"
#include "emit/transforms/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace affirm::emit {
namespace {

using mlir::Value;

mlir::Type Flat(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 1) return type;
  return mlir::RankedTensorType::get({tensor.getNumElements()}, tensor.getElementType());
}

// The row-major position of an index, which is assumed to lie inside of the tensor.
Value Linear(Builder& b, Context& context, mlir::RankedTensorType type, mlir::ValueRange index) {
  if (type.getRank() == 0 || type.getNumElements() == 0) return IndexConstant(b, 0);
  SymbolicExpr linear = context.Constant(0);
  for (int64_t d = 0; d < type.getRank(); ++d) {
    linear = linear * type.getDimSize(d) + context.Dim(d);
  }
  IndexingMap map = IndexingMap::FromShapes(context, linear, type.getShape(), {});
  return ir::ApplyIndexingOp::create(b, b.getIndexType(), ir::MapAttr(b.getContext(), map), index)
      .getResult(0);
}

void FlattenAccess(mlir::Operation* op, mlir::Type tensor, mlir::MutableOperandRange indices) {
  auto type = mlir::cast<mlir::RankedTensorType>(tensor);
  if (type.getRank() == 1) return;
  Builder b(op->getLoc(), op);
  Context& context = op->getContext()->getLoadedDialect<ir::AffirmDialect>()->symbols();
  mlir::OperandRange range = indices;
  llvm::SmallVector<Value> index(range.begin(), range.end());
  indices.assign(Linear(b, context, type, index));
}

void FlattenTypes(mlir::Operation* op) {
  for (Value result : op->getResults()) result.setType(Flat(result.getType()));
  for (mlir::Region& region : op->getRegions()) {
    for (mlir::Block& block : region) {
      for (Value argument : block.getArguments()) argument.setType(Flat(argument.getType()));
    }
  }
  if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(op)) {
    auto elements = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
    if (!elements) return;
    auto type = mlir::cast<mlir::ShapedType>(constant.getResult().getType());
    constant.setValueAttr(elements.reshape(type));
  } else if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(op)) {
    llvm::SmallVector<mlir::Type> inputs, results;
    for (mlir::Type type : function.getArgumentTypes()) inputs.push_back(Flat(type));
    for (mlir::Type type : function.getResultTypes()) results.push_back(Flat(type));
    function.setType(mlir::FunctionType::get(op->getContext(), inputs, results));
  }
}

mlir::LogicalResult FlattenTensors(mlir::ModuleOp module) {
  module.walk([](mlir::Operation* op) {
    namespace tensor = mlir::tensor;
    if (auto extract = mlir::dyn_cast<tensor::ExtractOp>(op)) {
      FlattenAccess(op, extract.getTensor().getType(), extract.getIndicesMutable());
    } else if (auto insert = mlir::dyn_cast<tensor::InsertOp>(op)) {
      FlattenAccess(op, insert.getDest().getType(), insert.getIndicesMutable());
    } else if (auto some = mlir::dyn_cast<ir::PredicatedExtractOp>(op)) {
      FlattenAccess(op, some.getTensor().getType(), some.getIndicesMutable());
    } else if (auto maybe = mlir::dyn_cast<ir::PredicatedInsertOp>(op)) {
      FlattenAccess(op, maybe.getDest().getType(), maybe.getIndicesMutable());
    } else if (auto atomic = mlir::dyn_cast<ir::AtomicRMWOp>(op)) {
      FlattenAccess(op, atomic.getTensor().getType(), atomic.getIndicesMutable());
    }
  });
  module.walk(FlattenTypes);
  return mlir::success();
}

}  // namespace

std::unique_ptr<mlir::Pass> CreateFlattenTensorsPass() {
  return std::make_unique<ModulePass>(
      "affirm-flatten-tensors",
      "tensors of one dimension, row-major, so that indices compose and simplify", FlattenTensors);
}

}  // namespace affirm::emit
