// Accesses of tensors as loads and stores: of one element, and of several consecutive ones.
#ifndef AFFIRM_EMIT_TRANSFORMS_LOWER_ACCESSES_H_
#define AFFIRM_EMIT_TRANSFORMS_LOWER_ACCESSES_H_

#include "emit/ir/dialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace affirm::emit {

// Where a tensor's elements lie, row-major.
struct TensorBuffer {
  mlir::Value pointer;
  mlir::RankedTensorType type;
};

// Each replaces the op (its result, if a tensor, by the tensor that it took) and erases it.
void LowerAccess(mlir::tensor::ExtractOp extract, const TensorBuffer& buffer);
void LowerAccess(mlir::tensor::InsertOp insert, const TensorBuffer& buffer);
void LowerAccess(ir::AtomicRMWOp atomic, const TensorBuffer& buffer);
// Requires tensors of one dimension, and an index that is a multiple of the vector's length.
void LowerAccess(mlir::vector::TransferReadOp read, const TensorBuffer& buffer);
void LowerAccess(mlir::vector::TransferWriteOp write, const TensorBuffer& buffer);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_LOWER_ACCESSES_H_
