// Error values of emit/.
#ifndef AFFIRM_EMIT_ERROR_H_
#define AFFIRM_EMIT_ERROR_H_

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace affirm::emit {

// For what affirm can't do: ops, types and sizes without emission, missing libraries and devices.
inline llvm::Error NotSupported(const llvm::Twine& message) {
  return llvm::createStringError(std::make_error_code(std::errc::not_supported), message);
}

// For arguments that don't fit.
inline llvm::Error InvalidArgument(const llvm::Twine& message) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), message);
}

// For a kernel that misbehaves: an access outside of a buffer, an element not written once.
inline llvm::Error KernelFault(const llvm::Twine& message) {
  return llvm::createStringError(std::make_error_code(std::errc::result_out_of_range), message);
}

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_ERROR_H_
