// Errors that name a source location. Internal to core/hlo.
#ifndef AFFIRM_CORE_HLO_DIAGNOSTIC_H_
#define AFFIRM_CORE_HLO_DIAGNOSTIC_H_

#include <system_error>

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo {

inline llvm::Error BadInput(const llvm::Twine& message) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), message);
}

// "where:line:column: error: message"
inline llvm::Error BadInputAt(llvm::StringRef where, const SourceLocation& at,
                              const llvm::Twine& message) {
  return BadInput(where + ":" + llvm::Twine(at.line) + ":" + llvm::Twine(at.column) +
                  ": error: " + message);
}

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_DIAGNOSTIC_H_
