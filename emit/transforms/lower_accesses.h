// Single accesses of tensors as loads and stores, with the bounds checks of checked code around
// them.
#ifndef AFFIRM_EMIT_TRANSFORMS_LOWER_ACCESSES_H_
#define AFFIRM_EMIT_TRANSFORMS_LOWER_ACCESSES_H_

#include "emit/elements/scalar.h"
#include "emit/ir/dialect.h"
#include "emit/transforms/lower_tensors.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace affirm::emit {

// Where a tensor's elements lie.
struct TensorBuffer {
  mlir::Value pointer;
  mlir::RankedTensorType type;
  // As FaultRecord::buffer has it: an argument's number, kConstantBuffer, or kSharedBuffer minus
  // the allocation's number.
  int64_t number = 0;
  bool IsShared() const { return number <= kSharedBuffer; }
};

class AccessLowering {
 public:
  AccessLowering(mlir::ModuleOp module, LowerTensorsOptions options)
      : module_(module), options_(options) {}

  // The function that the following accesses stand in, by its position in the module.
  void Enter(int64_t function) { function_ = function; }

  // Each replaces the op (its result, if a tensor, by the tensor that it took) and erases it.
  void Lower(mlir::tensor::ExtractOp extract, const TensorBuffer& buffer);
  void Lower(mlir::tensor::InsertOp insert, const TensorBuffer& buffer);
  void Lower(ir::AtomicRMWOp atomic, const TensorBuffer& buffer);
  // Of tensors of one dimension, at a multiple of the vector's length (lower_vector_accesses.cc).
  void Lower(mlir::vector::TransferReadOp read, const TensorBuffer& buffer);
  void Lower(mlir::vector::TransferWriteOp write, const TensorBuffer& buffer);

  // Adds kBoundsCheck, FaultRecord and the pointer to the SIMT emulator.
  void AddChecker();

 private:
  struct ElementAddress {
    mlir::Value linear;  // i64
    mlir::Value inside;  // null: unchecked
  };
  ElementAddress ComputeAddress(Builder& b, const TensorBuffer& buffer, mlir::ValueRange indices,
                                bool store);
  // The same for a vector's first element; its length and alignment are checked too.
  ElementAddress ComputeVectorAddress(Builder& b, const TensorBuffer& buffer, mlir::Value index,
                                      mlir::VectorType type, bool store);
  // `at` as dimension `d` of an access: whether it lies below `size`.
  mlir::Value Check(Builder& b, const TensorBuffer& buffer, bool store, int64_t d, mlir::Value at,
                    int64_t size);
  mlir::Value Element(Builder& b, const TensorBuffer& buffer, mlir::Value linear);
  // Counts a write of an element of a result, behind its elements.
  void CountWrite(Builder& b, const TensorBuffer& buffer, mlir::Value linear, bool atomic);
  void ReportSharedAccess(Builder& b, const TensorBuffer& buffer, mlir::Value linear, bool store);
  // A branch for what happens inside of the buffer alone; the builder enters it.
  void EnterInside(Builder& b, const ElementAddress& address);

  mlir::ModuleOp module_;
  LowerTensorsOptions options_;
  int64_t function_ = 0;
};

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_LOWER_ACCESSES_H_
