// Errors as values (llvm::Error).
#ifndef AFFIRM_CORE_SYMBOLIC_ERROR_H_
#define AFFIRM_CORE_SYMBOLIC_ERROR_H_

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace affirm {

// An error that says what is wrong with the input or the request.
inline llvm::Error MakeError(const llvm::Twine& message) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), message);
}

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_ERROR_H_
