// The base class of the passes of this folder: the name, the description and the dialects.
#ifndef AFFIRM_EMIT_TRANSFORMS_PASS_BASE_H_
#define AFFIRM_EMIT_TRANSFORMS_PASS_BASE_H_

#include "emit/ir/dialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace affirm::emit {

// A pass over a module that runs one C++ function.
class ModulePass : public mlir::PassWrapper<ModulePass, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ModulePass)
  using Work = mlir::LogicalResult (*)(mlir::ModuleOp);
  ModulePass(llvm::StringRef argument, llvm::StringRef description, Work work)
      : argument_(argument), description_(description), work_(work) {}

  llvm::StringRef getArgument() const override { return argument_; }
  llvm::StringRef getDescription() const override { return description_; }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<ir::AffirmDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                    mlir::LLVM::LLVMDialect, mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
                    mlir::vector::VectorDialect>();
  }
  void runOnOperation() override {
    if (mlir::failed(work_(getOperation()))) signalPassFailure();
  }

 private:
  llvm::StringRef argument_, description_;
  Work work_;
};

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_PASS_BASE_H_
