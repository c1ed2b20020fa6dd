// Errors that name a source location. Internal to core/hlo.
#ifndef AFFIRM_CORE_HLO_DIAGNOSTIC_H_
#define AFFIRM_CORE_HLO_DIAGNOSTIC_H_

#include "core/hlo/module.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo {

// "where:line:column: error: message"
inline llvm::Error MakeErrorAt(llvm::StringRef where, const SourceLocation& at,
                               const llvm::Twine& message) {
  return MakeError(where + ":" + llvm::Twine(at.line) + ":" + llvm::Twine(at.column) +
                   ": error: " + message);
}

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_DIAGNOSTIC_H_
