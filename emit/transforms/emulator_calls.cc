// Declares and calls the functions of the SIMT emulator in a module.
#include "emit/transforms/emulator_calls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace affirm::emit {

namespace LLVM = mlir::LLVM;
using mlir::Value;

Value CallEmulator(Builder& b, mlir::ModuleOp module, llvm::StringRef name, mlir::Type result,
                   llvm::ArrayRef<Value> arguments) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto global = module.lookupSymbol<LLVM::GlobalOp>(kEmulatorPointer);
  Value address = LLVM::AddressOfOp::create(b, global);
  llvm::SmallVector<Value> all = {LLVM::LoadOp::create(b, pointer, address)};
  all.append(arguments.begin(), arguments.end());
  llvm::SmallVector<mlir::Type> results;
  if (result) results.push_back(result);
  if (!module.lookupSymbol(name)) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    auto type = b.getFunctionType(mlir::ValueRange(all).getTypes(), results);
    mlir::func::FuncOp::create(b, name, type).setPrivate();
  }
  auto call = mlir::func::CallOp::create(b, name, results, all);
  return result ? call.getResult(0) : Value();
}

void AddEmulatorPointer(mlir::ModuleOp module) {
  Builder b(module.getLoc(), module.getContext());
  b.setInsertionPointToStart(module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto global = LLVM::GlobalOp::create(b, pointer, /*isConstant=*/false, LLVM::Linkage::External,
                                       kEmulatorPointer, mlir::Attribute());
  b.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(b, LLVM::ZeroOp::create(b, pointer));
}

}  // namespace affirm::emit
