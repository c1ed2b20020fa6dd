// Errors as the user sees them: "file:line:column: error: what, and what was expected".
#ifndef AFFIRM_DRIVER_ERRORS_H_
#define AFFIRM_DRIVER_ERRORS_H_

#include <string>

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

// Prints the error to stderr, as it stands when it says where, else behind "affirm: error: ";
// answers kBadInput.
int Report(llvm::Error error);
// The same; an error that does not name a file is put into this one, at `where` unless it has a
// location of its own.
int Report(llvm::Error error, llvm::StringRef file, hlo::SourceLocation where);
// The text of an error, shortened when it quotes too much of the input.
std::string MessageOf(llvm::Error error);
// "file:line:column: error: message"
llvm::Error ErrorAt(llvm::StringRef file, hlo::SourceLocation where, const llvm::Twine& message);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_ERRORS_H_
