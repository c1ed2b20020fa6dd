// MLIR text in tests: parsing, and what VerifyIndexProofs says of it.
#ifndef AFFIRM_TESTS_EMIT_MLIR_TESTING_H_
#define AFFIRM_TESTS_EMIT_MLIR_TESTING_H_

#include <string>

#include "emit/codegen/mlir_context.h"
#include "emit/transforms/index_width.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

namespace affirm::testing {

// Parses a module; empty text of `error` when it verifies.
inline mlir::OwningOpRef<mlir::ModuleOp> ParseModule(mlir::MLIRContext& context,
                                                     llvm::StringRef text, std::string& error) {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  error = llvm::toString(emit::WithDiagnostics(context, "parsing", [&] {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    return mlir::success(static_cast<bool>(module));
  }));
  return module;
}

// Runs VerifyIndexProofs; its message.
inline std::string Verify(mlir::MLIRContext& context, llvm::StringRef text) {
  std::string error;
  auto module = ParseModule(context, text, error);
  if (!module) return error;
  return llvm::toString(
      emit::WithDiagnostics(context, "", [&] { return emit::VerifyIndexProofs(*module); }));
}

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_EMIT_MLIR_TESTING_H_
