// Mathematical operations that devices have no instruction for, as calls.
#ifndef AFFIRM_EMIT_TRANSFORMS_LOWER_MATH_H_
#define AFFIRM_EMIT_TRANSFORMS_LOWER_MATH_H_

#include "mlir/IR/BuiltinOps.h"

namespace affirm::emit {

// Replaces transcendental ops of `math`, and arith.remf, by calls of libclc's mangled OpenCL
// functions ("_Z3expf", "_Z3expd").
void LowerMathToCalls(mlir::ModuleOp module);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_LOWER_MATH_H_
