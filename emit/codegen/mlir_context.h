// The MLIR context that kernels live in, and errors of MLIR as error values.
#ifndef AFFIRM_EMIT_CODEGEN_MLIR_CONTEXT_H_
#define AFFIRM_EMIT_CODEGEN_MLIR_CONTEXT_H_

#include <memory>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

namespace affirm::emit {

// The dialects that kernels are made of.
void InsertDialects(mlir::DialectRegistry& registry);

// A context with the dialects of emit/ and no threads.
std::unique_ptr<mlir::MLIRContext> MakeMlirContext();

// The errors that MLIR reports while `fn` runs, as one error; success when fn succeeds.
llvm::Error WithDiagnostics(mlir::MLIRContext& context, llvm::StringRef what,
                            llvm::function_ref<mlir::LogicalResult()> fn);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_CODEGEN_MLIR_CONTEXT_H_
