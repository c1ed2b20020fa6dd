// Workarounds for faults of libclc's functions.
#ifndef AFFIRM_EMIT_CODEGEN_LIBRARY_WORKAROUNDS_H_
#define AFFIRM_EMIT_CODEGEN_LIBRARY_WORKAROUNDS_H_

#include "emit/plan/target.h"
#include "llvm/IR/Module.h"

namespace affirm::emit {

// The prefix of functions that replace the library's.
inline constexpr char kWorkaroundPrefix[] = "affirm_";

// For PTX libclc's exp and fmod of f32 flush subnormal numbers, and its f64 pow is NaN on every
// device where the logarithm of the result overflows. Calls of these become calls of functions that
// change the operands so that neither happens. The kernel's own IR, up to here, calls the function
// that it means.
void WorkAroundLibrary(llvm::Module& module, Target target);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_CODEGEN_LIBRARY_WORKAROUNDS_H_
