// The kinds of errors that emit/ returns.
#ifndef AFFIRM_EMIT_PLAN_ERROR_H_
#define AFFIRM_EMIT_PLAN_ERROR_H_

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace affirm::emit {

// For ops, types and sizes that have no emission, and for missing libraries and devices.
inline llvm::Error NotSupported(const llvm::Twine& message) {
  return llvm::createStringError(std::make_error_code(std::errc::not_supported), message);
}

// For arguments whose number or shapes are not those of the kernel's parameters.
inline llvm::Error InvalidArgument(const llvm::Twine& message) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), message);
}

// For a kernel that misbehaves: an access outside of a buffer, an element not written once.
inline llvm::Error KernelFault(const llvm::Twine& message) {
  return llvm::createStringError(std::make_error_code(std::errc::result_out_of_range), message);
}

// For a kernel that was stopped before its end, without a verdict.
inline llvm::Error TooManySteps(const llvm::Twine& message) {
  return llvm::createStringError(std::make_error_code(std::errc::timed_out), message);
}

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_ERROR_H_
