// Prints errors with the source location that they name, or behind the name of the tool.
#include "driver/errors.h"

#include <algorithm>

#include "core/symbolic/error.h"
#include "driver/exit_status.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {

namespace {

// True of "where:line:column: error: ...".
bool SaysWhere(llvm::StringRef message) {
  auto [where, rest] = message.split(": error: ");
  if (where.size() == message.size()) return false;
  auto is_number = [](llvm::StringRef text) {
    return !text.empty() && llvm::all_of(text, llvm::isDigit);
  };
  auto [file_and_line, column] = where.rsplit(':');
  return is_number(column) && is_number(file_and_line.rsplit(':').second);
}

}  // namespace

std::string MessageOf(llvm::Error error) {
  constexpr size_t kMaxMessage = 2000;
  std::string message = llvm::toString(std::move(error));
  if (message.size() > kMaxMessage) message = message.substr(0, kMaxMessage) + " ...";
  return message;
}

int Report(llvm::Error error) {
  std::string message = MessageOf(std::move(error));
  if (!SaysWhere(message)) message = "affirm: error: " + message;
  llvm::outs().flush();
  llvm::errs() << message << "\n";
  return kBadInput;
}

int Report(llvm::Error error, llvm::StringRef file, hlo::SourceLocation where) {
  std::string message = MessageOf(std::move(error));
  if (SaysWhere(message)) return Report(MakeError(message));
  // "line:column: error: ..." lacks only the file.
  if (SaysWhere("file:" + message)) return Report(MakeError(file + ":" + message));
  return Report(ErrorAt(file, where, message));
}

llvm::Error ErrorAt(llvm::StringRef file, hlo::SourceLocation where, const llvm::Twine& message) {
  return MakeError(file + ":" + llvm::Twine(std::max<int64_t>(where.line, 1)) + ":" +
                   llvm::Twine(std::max<int64_t>(where.column, 1)) + ": error: " + message);
}

}  // namespace affirm::driver
