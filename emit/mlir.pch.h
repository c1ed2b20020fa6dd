// Precompiled for the translation units of emit/ that build or lower MLIR. LLVM's dialect is not
// here: its declarations take as long to precompile as all others, and two translation units use
// them.
#ifndef AFFIRM_EMIT_MLIR_PCH_H_
#define AFFIRM_EMIT_MLIR_PCH_H_

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#endif  // AFFIRM_EMIT_MLIR_PCH_H_
