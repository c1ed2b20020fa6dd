// The address of an element, and the loads and stores there.
#include "emit/transforms/lower_accesses.h"

#include <algorithm>

#include "emit/elements/scalar.h"
#include "emit/transforms/atomic_update.h"
#include "emit/transforms/lower_tensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace affirm::emit {

namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace {

Value Address(Builder& b, const TensorBuffer& buffer, mlir::ValueRange indices) {
  mlir::Type i64 = b.getI64Type();
  Value linear;
  for (auto [d, index] : llvm::enumerate(indices)) {
    Value at = arith::IndexCastOp::create(b, i64, index);
    if (linear) {
      Value size = IntConstant(b, i64, buffer.type.getDimSize(d));
      at = arith::AddIOp::create(b, arith::MulIOp::create(b, linear, size), at);
    }
    linear = at;
  }
  if (!linear) linear = IntConstant(b, i64, 0);  // a scalar
  return LLVM::GEPOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                             buffer.type.getElementType(), buffer.pointer,
                             llvm::ArrayRef<LLVM::GEPArg>{linear});
}

unsigned Alignment(mlir::VectorType type) {
  int64_t bytes = type.getNumElements() * (type.getElementTypeBitWidth() / 8);
  return static_cast<unsigned>(std::min(bytes, kBufferAlignment));
}

}  // namespace

void LowerAccess(mlir::tensor::ExtractOp extract, const TensorBuffer& buffer) {
  Builder b(extract.getLoc(), extract);
  Value address = Address(b, buffer, extract.getIndices());
  Value loaded = LLVM::LoadOp::create(b, buffer.type.getElementType(), address);
  extract.replaceAllUsesWith(loaded);
  extract.erase();
}

void LowerAccess(mlir::tensor::InsertOp insert, const TensorBuffer& buffer) {
  Builder b(insert.getLoc(), insert);
  Value address = Address(b, buffer, insert.getIndices());
  LLVM::StoreOp::create(b, insert.getScalar(), address);
  insert.replaceAllUsesWith(insert.getDest());
  insert.erase();
}

void LowerAccess(ir::AtomicRMWOp atomic, const TensorBuffer& buffer) {
  Builder b(atomic.getLoc(), atomic);
  Value address = Address(b, buffer, atomic.getIndices());
  EmitAtomicUpdate(b, atomic.getBody(), address);
  atomic.replaceAllUsesWith(atomic.getTensor());
  atomic.erase();
}

void LowerAccess(mlir::vector::TransferReadOp read, const TensorBuffer& buffer) {
  Builder b(read.getLoc(), read);
  mlir::VectorType type = read.getVectorType();
  Value address = Address(b, buffer, read.getIndices());
  Value loaded = LLVM::LoadOp::create(b, type, address, Alignment(type));
  read.replaceAllUsesWith(loaded);
  read.erase();
}

void LowerAccess(mlir::vector::TransferWriteOp write, const TensorBuffer& buffer) {
  Builder b(write.getLoc(), write);
  mlir::VectorType type = write.getVectorType();
  Value address = Address(b, buffer, write.getIndices());
  LLVM::StoreOp::create(b, write.getValueToStore(), address, Alignment(type));
  write.getResult().replaceAllUsesWith(write.getBase());
  write.erase();
}

}  // namespace affirm::emit
