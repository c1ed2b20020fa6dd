// Mathematical operations that have no LLVM intrinsic on some target, as calls.
#ifndef AFFIRM_EMIT_TRANSFORMS_LOWER_MATH_H_
#define AFFIRM_EMIT_TRANSFORMS_LOWER_MATH_H_

#include "emit/plan/target.h"
#include "mlir/IR/BuiltinOps.h"

namespace affirm::emit {

// Replaces transcendental ops of `math`, and arith.remf, by calls: of libm on the host ("expf",
// "exp"), of libclc's mangled OpenCL functions on devices ("_Z3expf", "_Z3expd").
void LowerMathToCalls(mlir::ModuleOp module, Target target);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_LOWER_MATH_H_
