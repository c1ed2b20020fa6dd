// Loads and stores of single elements, with the tests that checked code makes.
#include "emit/transforms/lower_accesses.h"

#include "emit/transforms/atomic_update.h"
#include "emit/transforms/emulator_calls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace affirm::emit {

namespace arith = mlir::arith;
namespace func = mlir::func;
namespace scf = mlir::scf;
namespace LLVM = mlir::LLVM;
using mlir::Value;

AccessLowering::ElementAddress AccessLowering::ComputeAddress(Builder& b,
                                                              const TensorBuffer& buffer,
                                                              mlir::ValueRange indices,
                                                              bool store) {
  ElementAddress address;
  mlir::Type i64 = b.getI64Type();
  auto constant = [&](int64_t v) { return IntConstant(b, i64, v); };
  address.linear = constant(0);
  for (auto [d, index] : llvm::enumerate(indices)) {
    Value at = arith::IndexCastOp::create(b, i64, index);
    Value size = constant(buffer.type.getDimSize(d));
    address.linear = arith::AddIOp::create(b, arith::MulIOp::create(b, address.linear, size), at);
    if (!options_.checked) continue;
    Value ok = Check(b, buffer, store, static_cast<int64_t>(d), at, buffer.type.getDimSize(d));
    address.inside = address.inside ? Value(arith::AndIOp::create(b, address.inside, ok)) : ok;
  }
  return address;
}

Value AccessLowering::Check(Builder& b, const TensorBuffer& buffer, bool store, int64_t d, Value at,
                            int64_t size) {
  auto constant = [&](int64_t v) { return IntConstant(b, b.getI64Type(), v); };
  llvm::SmallVector<Value> record = {
      constant(function_), constant(buffer.number), constant(store), constant(d), at,
      constant(size)};
  return func::CallOp::create(b, kBoundsCheck, b.getI1Type(), record).getResult(0);
}

Value AccessLowering::Element(Builder& b, const TensorBuffer& buffer, Value linear) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  return LLVM::GEPOp::create(b, pointer, buffer.type.getElementType(), buffer.pointer,
                             llvm::ArrayRef<LLVM::GEPArg>{linear});
}

void AccessLowering::EnterInside(Builder& b, const ElementAddress& address) {
  if (!address.inside) return;
  auto branch = scf::IfOp::create(b, address.inside, /*withElseRegion=*/false);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
}

void AccessLowering::ReportSharedAccess(Builder& b, const TensorBuffer& buffer, Value linear,
                                        bool store) {
  if (!options_.checked || !buffer.IsShared()) return;
  mlir::Type i64 = b.getI64Type();
  CallEmulator(
      b, module_, kEmulatorAccessShared, {},
      {IntConstant(b, i64, kSharedBuffer - buffer.number), linear, IntConstant(b, i64, store)});
}

void AccessLowering::Lower(mlir::tensor::ExtractOp extract, const TensorBuffer& buffer) {
  Builder b(extract.getLoc(), extract);
  ElementAddress address = ComputeAddress(b, buffer, extract.getIndices(), /*store=*/false);
  if (address.inside) {
    Value zero = IntConstant(b, b.getI64Type(), 0);
    address.linear = arith::SelectOp::create(b, address.inside, address.linear, zero);
  }
  ReportSharedAccess(b, buffer, address.linear, /*store=*/false);
  Value loaded =
      LLVM::LoadOp::create(b, buffer.type.getElementType(), Element(b, buffer, address.linear));
  extract.replaceAllUsesWith(loaded);
  extract.erase();
}

void AccessLowering::Lower(mlir::tensor::InsertOp insert, const TensorBuffer& buffer) {
  Builder b(insert.getLoc(), insert);
  ElementAddress address = ComputeAddress(b, buffer, insert.getIndices(), /*store=*/true);
  EnterInside(b, address);
  ReportSharedAccess(b, buffer, address.linear, /*store=*/true);
  LLVM::StoreOp::create(b, insert.getScalar(), Element(b, buffer, address.linear));
  CountWrite(b, buffer, address.linear, /*atomic=*/false);
  insert.replaceAllUsesWith(insert.getDest());
  insert.erase();
}

void AccessLowering::Lower(ir::AtomicRMWOp atomic, const TensorBuffer& buffer) {
  Builder b(atomic.getLoc(), atomic);
  ElementAddress address = ComputeAddress(b, buffer, atomic.getIndices(), /*store=*/true);
  EnterInside(b, address);
  EmitAtomicUpdate(b, atomic.getBody(), Element(b, buffer, address.linear));
  CountWrite(b, buffer, address.linear, /*atomic=*/true);
  atomic.replaceAllUsesWith(atomic.getTensor());
  atomic.erase();
}

void AccessLowering::CountWrite(Builder& b, const TensorBuffer& buffer, Value linear, bool atomic) {
  if (!options_.checked || buffer.IsShared()) return;
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  mlir::Type i8 = b.getI8Type();
  int64_t bytes =
      buffer.type.getNumElements() * (buffer.type.getElementType().getIntOrFloatBitWidth() / 8);
  Value counts =
      LLVM::GEPOp::create(b, pointer, i8, buffer.pointer,
                          llvm::ArrayRef<LLVM::GEPArg>{IntConstant(b, b.getI64Type(), bytes)});
  Value count = LLVM::GEPOp::create(b, pointer, i8, counts, llvm::ArrayRef<LLVM::GEPArg>{linear});
  Value before = LLVM::LoadOp::create(b, i8, count);
  Value after;
  if (atomic) {
    after = arith::OrIOp::create(b, before, IntConstant(b, i8, kAtomicWrite));
  } else {
    // Stays at the highest number, so that no number of writes looks like none.
    Value plain = arith::AndIOp::create(b, before, IntConstant(b, i8, kMostWrites));
    Value full =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, plain, IntConstant(b, i8, kMostWrites));
    Value step = arith::SelectOp::create(b, full, IntConstant(b, i8, 0), IntConstant(b, i8, 1));
    after = arith::AddIOp::create(b, before, step);
  }
  LLVM::StoreOp::create(b, after, count);
}

// func @affirm_bounds(function, buffer, store, dimension, index, size) -> i1
void AccessLowering::AddChecker() {
  AddEmulatorPointer(module_);
  Builder b(module_.getLoc(), module_.getContext());
  b.setInsertionPointToEnd(module_.getBody());
  mlir::Type i64 = b.getI64Type();
  auto array = LLVM::LLVMArrayType::get(i64, sizeof(FaultRecord) / sizeof(int64_t));
  auto record = LLVM::GlobalOp::create(b, array, /*isConstant=*/false, LLVM::Linkage::External,
                                       kFaultRecord, b.getZeroAttr(i64));
  record.removeValueAttr();
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.createBlock(&record.getInitializerRegion());
    LLVM::ReturnOp::create(b, LLVM::ZeroOp::create(b, array));
  }
  llvm::SmallVector<mlir::Type> inputs(6, i64);
  auto check = func::FuncOp::create(b, kBoundsCheck, b.getFunctionType(inputs, b.getI1Type()));
  check.setPrivate();
  b.setInsertionPointToStart(check.addEntryBlock());
  Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, check.getArgument(4),
                                       check.getArgument(5));
  Value address = LLVM::AddressOfOp::create(b, record);
  Value happened = LLVM::LoadOp::create(b, i64, address);
  Value first =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, happened, IntConstant(b, i64, 0));
  Value outside = arith::XOrIOp::create(b, inside, IntConstant(b, b.getI1Type(), 1));
  auto branch = scf::IfOp::create(b, arith::AndIOp::create(b, outside, first), false);
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    LLVM::StoreOp::create(b, IntConstant(b, i64, 1), address);
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    for (int32_t i = 0; i < 6; ++i) {
      Value field =
          LLVM::GEPOp::create(b, pointer, i64, address, llvm::ArrayRef<LLVM::GEPArg>{i + 1});
      LLVM::StoreOp::create(b, check.getArgument(i), field);
    }
  }
  func::ReturnOp::create(b, inside);
}

}  // namespace affirm::emit
