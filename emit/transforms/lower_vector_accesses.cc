// Accesses of several consecutive elements at once.
#include <algorithm>

#include "emit/transforms/lower_accesses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace affirm::emit {

namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace vector = mlir::vector;
using mlir::Value;

namespace {

unsigned Alignment(mlir::VectorType type) {
  int64_t bytes = type.getNumElements() * (type.getElementTypeBitWidth() / 8);
  return static_cast<unsigned>(std::min(bytes, kBufferAlignment));
}

}  // namespace

AccessLowering::ElementAddress AccessLowering::ComputeVectorAddress(
    Builder& b, const TensorBuffer& buffer, Value index, mlir::VectorType type, bool store) {
  mlir::Type i64 = b.getI64Type();
  int64_t length = type.getNumElements(), size = buffer.type.getNumElements();
  ElementAddress address;
  address.linear = arith::IndexCastOp::create(b, i64, index);
  if (!options_.checked) return address;
  Value last = arith::AddIOp::create(b, address.linear, IntConstant(b, i64, length - 1));
  Value rest = arith::RemUIOp::create(b, address.linear, IntConstant(b, i64, length));
  address.inside = Check(b, buffer, store, 0, address.linear, size);
  address.inside = arith::AndIOp::create(b, address.inside, Check(b, buffer, store, 0, last, size));
  Value aligned = Check(b, buffer, store, kMisalignedDimension, rest, 1);
  address.inside = arith::AndIOp::create(b, address.inside, aligned);
  return address;
}

void AccessLowering::Lower(vector::TransferReadOp read, const TensorBuffer& buffer) {
  Builder b(read.getLoc(), read);
  mlir::VectorType type = read.getVectorType();
  ElementAddress address =
      ComputeVectorAddress(b, buffer, read.getIndices()[0], type, /*store=*/false);
  auto load = [&]() -> Value {
    return LLVM::LoadOp::create(b, type, Element(b, buffer, address.linear), Alignment(type));
  };
  Value loaded;
  if (address.inside) {
    // Outside there may be less than a vector to read instead.
    auto branch = mlir::scf::IfOp::create(b, type, address.inside, /*withElseRegion=*/true);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    mlir::scf::YieldOp::create(b, load());
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    Value nothing = arith::ConstantOp::create(b, b.getZeroAttr(type));
    mlir::scf::YieldOp::create(b, nothing);
    loaded = branch.getResult(0);
  } else {
    loaded = load();
  }
  read.replaceAllUsesWith(loaded);
  read.erase();
}

void AccessLowering::Lower(vector::TransferWriteOp write, const TensorBuffer& buffer) {
  Builder b(write.getLoc(), write);
  mlir::VectorType type = write.getVectorType();
  ElementAddress address =
      ComputeVectorAddress(b, buffer, write.getIndices()[0], type, /*store=*/true);
  EnterInside(b, address);
  LLVM::StoreOp::create(b, write.getValueToStore(), Element(b, buffer, address.linear),
                        Alignment(type));
  for (int64_t i = 0; options_.checked && i < type.getNumElements(); ++i) {
    Value element = arith::AddIOp::create(b, address.linear, IntConstant(b, b.getI64Type(), i));
    CountWrite(b, buffer, element, /*atomic=*/false);
  }
  write.getResult().replaceAllUsesWith(write.getBase());
  write.erase();
}

}  // namespace affirm::emit
