// Prints errors with the source location that they name, or behind the name of the tool.
#include "driver/errors.h"

#include <algorithm>
#include <optional>

#include "core/symbolic/error.h"
#include "driver/exit_status.h"
#include "driver/first_error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {

namespace {

struct Place {
  llvm::StringRef file;
  int64_t line = 0, column = 0;  // from 1
};

// The place in "file:line:column: error: ...".
std::optional<Place> PlaceOf(llvm::StringRef message) {
  auto [where, rest] = message.split(": error: ");
  if (where.size() == message.size()) return std::nullopt;
  Place place;
  auto [file_and_line, column] = where.rsplit(':');
  auto [file, line] = file_and_line.rsplit(':');
  auto is_number = [](llvm::StringRef text, int64_t& number) {
    return !text.empty() && llvm::all_of(text, llvm::isDigit) && !text.getAsInteger(10, number);
  };
  if (!is_number(column, place.column) || !is_number(line, place.line)) return std::nullopt;
  place.file = file;
  return place;
}

constexpr int64_t kMostColumns = 100;  // of a line that is shown

// "\n  the line\n     ^", or nothing where the text has no such place.
std::string SourceLine(llvm::StringRef text, Place place) {
  for (int64_t line = 1; line < place.line && !text.empty(); ++line) text = text.split('\n').second;
  llvm::StringRef shown = text.take_until([](char c) { return c == '\n' || c == '\r'; });
  int64_t column = place.column - 1;
  if (column < 0 || column > static_cast<int64_t>(shown.size()) || shown.trim().empty()) return "";
  // Around the column of a long line.
  const int64_t before = std::max<int64_t>(0, column - kMostColumns / 2);
  shown = shown.drop_front(before).take_front(kMostColumns);
  column -= before;
  const auto bytes = shown.take_front(column);  // of which some go on with a character
  const auto characters =
      llvm::count_if(bytes, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  std::string line = shown.str(), caret(characters, ' ');
  for (char& c : line) {
    if (!llvm::isPrint(c) && static_cast<unsigned char>(c) < 0x80) c = ' ';  // a tab is one column
  }
  return "\n  " + line + "\n  " + caret + "^";
}

std::string Quoted(std::string message, llvm::StringRef text) {
  auto place = PlaceOf(message);
  if (place && !llvm::StringRef(message).contains('\n')) message += SourceLine(text, *place);
  return message;
}

// Verbs report from the thread that they run on.
std::string& TheFirstReported() {
  static std::string message;
  return message;
}

}  // namespace

std::string MessageOf(llvm::Error error) {
  constexpr size_t kMaxMessage = 2000;
  std::string message = llvm::toString(std::move(error));
  if (message.size() > kMaxMessage) message = message.substr(0, kMaxMessage) + " ...";
  return message;
}

std::string FirstReported() { return TheFirstReported(); }

std::string FileOfError(llvm::StringRef message) {
  const auto place = PlaceOf(message);
  return place ? place->file.str() : "";
}

int Report(llvm::Error error) {
  std::string message = MessageOf(std::move(error));
  if (TheFirstReported().empty()) TheFirstReported() = message;
  auto place = PlaceOf(message);
  if (!place) {
    message = "affirm: error: " + message;
  } else if (auto file = llvm::MemoryBuffer::getFile(place->file)) {
    message = Quoted(std::move(message), (*file)->getBuffer());
  }
  llvm::outs().flush();
  llvm::errs() << message << "\n";
  return kBadInput;
}

int Report(llvm::Error error, llvm::StringRef file, hlo::SourceLocation where) {
  std::string message = MessageOf(std::move(error));
  if (PlaceOf(message)) return Report(MakeError(message));
  // "line:column: error: ..." lacks only the file.
  if (PlaceOf("file:" + message)) return Report(MakeError(file + ":" + message));
  return Report(ErrorAt(file, where, message));
}

llvm::Error WithSourceLine(llvm::Error error, llvm::StringRef text) {
  return MakeError(Quoted(MessageOf(std::move(error)), text));
}

llvm::Error ErrorAt(llvm::StringRef file, hlo::SourceLocation where, const llvm::Twine& message) {
  return MakeError(file + ":" + llvm::Twine(std::max<int64_t>(where.line, 1)) + ":" +
                   llvm::Twine(std::max<int64_t>(where.column, 1)) + ": error: " + message);
}

}  // namespace affirm::driver
