// A function that LLVM's x86 code calls for bf16 and that older compiler runtimes lack.
#ifndef AFFIRM_EMIT_CODEGEN_BF16_RUNTIME_H_
#define AFFIRM_EMIT_CODEGEN_BF16_RUNTIME_H_

#include "llvm/IR/Module.h"

namespace affirm::emit {

// Defines `bfloat __truncsfbf2(float)`, rounding to nearest even and keeping denormals, when the
// module has bf16 values: code generation moves them through f32 registers.
void DefineBf16Rounding(llvm::Module& module);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_CODEGEN_BF16_RUNTIME_H_
