// Computations on scalars as functions, and the identities of operations.
#ifndef AFFIRM_EMIT_ELEMENTS_SCALAR_FUNCTION_H_
#define AFFIRM_EMIT_ELEMENTS_SCALAR_FUNCTION_H_

#include "emit/elements/function_emitter.h"
#include "emit/elements/scalar.h"

namespace affirm::emit {

// Adds a private function of a computation on scalars (what a reduction or a scatter applies) to
// the module, under a name that starts with `name`.
llvm::Expected<mlir::func::FuncOp> EmitScalarFunction(KernelParts& parts,
                                                      const hlo::Computation& computation,
                                                      llvm::StringRef name);

// The e with op(e, x) = x for every x, NaNs and both zeros included; of operations that have one
// (emit/plan/regrouping.h).
mlir::Value EmitIdentity(Builder& b, hlo::Opcode operation, hlo::PrimitiveType type);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_ELEMENTS_SCALAR_FUNCTION_H_
