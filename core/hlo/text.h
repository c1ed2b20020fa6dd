// Reading and printing HLO text.
#ifndef AFFIRM_CORE_HLO_TEXT_H_
#define AFFIRM_CORE_HLO_TEXT_H_

#include <memory>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo {

// Reads every module of a text (several are separated by lines "// -----"), and verifies each (see
// verifier.h). Errors read "where:line:column: error: what, and what was expected".
llvm::Expected<std::vector<std::unique_ptr<Module>>> ParseModules(llvm::StringRef text,
                                                                  llvm::StringRef where);
// The same for a text that must hold exactly one module.
llvm::Expected<std::unique_ptr<Module>> ParseModule(llvm::StringRef text, llvm::StringRef where);

// Text that reads back to the same module.
std::string ToString(const Module& module);
std::string ToString(const Computation& computation);
std::string ToString(const Instruction& instruction);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_TEXT_H_
