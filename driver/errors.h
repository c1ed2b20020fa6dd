// Errors as the user sees them: "file:line:column: error: what, and what was expected".
#ifndef AFFIRM_DRIVER_ERRORS_H_
#define AFFIRM_DRIVER_ERRORS_H_

#include <string>

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

// Prints the error to stderr, as it stands when it says where, with the line of the file that it
// names; else behind "affirm: error: ". Answers kBadInput.
int Report(llvm::Error error);
// The same; an error that does not name a file is put into this one, at `where` unless it has a
// location of its own.
int Report(llvm::Error error, llvm::StringRef file, hlo::SourceLocation where);
// The text of an error, shortened when it quotes too much of the input.
std::string MessageOf(llvm::Error error);
// The error with the line of the text that it names, and a caret below the column:
//
//   m.hlo:4:8: error: expected the shape f32[4] for negate, found f32[5]
//     ROOT n = f32[5] negate(p)
//          ^
//
// As it stands where it names no place in the text, or has further lines already.
llvm::Error WithSourceLine(llvm::Error error, llvm::StringRef text);
// "file:line:column: error: message"
llvm::Error ErrorAt(llvm::StringRef file, hlo::SourceLocation where, const llvm::Twine& message);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_ERRORS_H_
