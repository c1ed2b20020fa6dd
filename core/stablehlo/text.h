// Reading StableHLO text, as `jax.jit(f).lower(..).as_text()` and MLIR's generic form have it.
#ifndef AFFIRM_CORE_STABLEHLO_TEXT_H_
#define AFFIRM_CORE_STABLEHLO_TEXT_H_

#include <memory>

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo::stablehlo {

// Whether a text is a module of StableHLO and none of HLO: it begins with `module`,
// `builtin.module` or `func.func`, or with an alias, `#a = ..` or `!t = ..`.
bool IsStableHlo(llvm::StringRef text);

// The module as HLO (to_hlo.h), verified. Its instructions have their places in the text that was
// read. Errors read "where:line:column: error: what, and what was expected".
llvm::Expected<std::unique_ptr<Module>> ReadModule(llvm::StringRef text, llvm::StringRef where);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_TEXT_H_
