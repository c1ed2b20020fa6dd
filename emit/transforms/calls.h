// The calls in a module of kernels, collected once: MLIR walks the module for every question about
// a symbol.
#ifndef AFFIRM_EMIT_TRANSFORMS_CALLS_H_
#define AFFIRM_EMIT_TRANSFORMS_CALLS_H_

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace affirm::emit {

// The calls of private functions, pure or not, in the order of the text.
using Calls = llvm::MapVector<mlir::func::FuncOp, llvm::SmallVector<mlir::Operation*>>;

// The private functions with a body whose names are used by calls alone, at least one.
Calls CollectCalls(mlir::ModuleOp module);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_CALLS_H_
