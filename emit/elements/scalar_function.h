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

// Whether the operation is associative and commutative on values of the type (for floats: up to
// rounding) and has an identity.
bool HasIdentity(hlo::Opcode operation, hlo::PrimitiveType type);
// The e with op(e, x) = x for every x, NaNs and both zeros included.
mlir::Value EmitIdentity(Builder& b, hlo::Opcode operation, hlo::PrimitiveType type);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_ELEMENTS_SCALAR_FUNCTION_H_
