// A cursor over text.
#include "core/symbolic/text_cursor.h"

#include <algorithm>
#include <cctype>

#include "core/symbolic/error.h"
#include "llvm/ADT/Twine.h"

namespace affirm {
namespace {

bool IsWordChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

}  // namespace

void TextCursor::SkipSpace() {
  while (at_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
      ++at_;
    } else if (text_.substr(at_).starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

bool TextCursor::AtEnd() {
  SkipSpace();
  return at_ >= text_.size();
}

char TextCursor::Peek() {
  SkipSpace();
  return at_ < text_.size() ? text_[at_] : 0;
}

bool TextCursor::LooksAt(llvm::StringRef t) {
  SkipSpace();
  if (!text_.substr(at_).starts_with(t)) return false;
  // A word must not run on into a longer one.
  bool word = IsWordChar(t.back());
  return !word || at_ + t.size() >= text_.size() || !IsWordChar(text_[at_ + t.size()]);
}

bool TextCursor::Consume(llvm::StringRef t) {
  if (!LooksAt(t)) return false;
  at_ += t.size();
  return true;
}

llvm::StringRef TextCursor::Identifier() {
  SkipSpace();
  size_t end = at_;
  if (end < text_.size() && !std::isdigit(static_cast<unsigned char>(text_[end]))) {
    while (end < text_.size() && IsWordChar(text_[end])) ++end;
  }
  llvm::StringRef id = text_.slice(at_, end);
  at_ = end;
  return id;
}

llvm::Expected<int64_t> TextCursor::Integer() {
  SkipSpace();
  size_t end = at_;
  if (end < text_.size() && text_[end] == '-') ++end;
  size_t digits = end;
  while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end]))) ++end;
  int64_t v;
  if (end == digits) return Error("expected an integer");
  if (text_.slice(at_, end).getAsInteger(10, v)) return Error("the integer leaves 64 bits");
  at_ = end;
  return v;
}

llvm::Error TextCursor::Expect(llvm::StringRef t, llvm::StringRef what_for) {
  if (Consume(t)) return llvm::Error::success();
  return Error("expected '" + t + "' " + what_for);
}

llvm::Error TextCursor::Error(const llvm::Twine& message) {
  SkipSpace();
  return ErrorAt(at_, message);
}

llvm::Error TextCursor::ErrorAt(size_t offset, const llvm::Twine& message) const {
  llvm::StringRef before = text_.take_front(offset);
  int64_t line = first_line_ + static_cast<int64_t>(before.count('\n'));
  size_t newline = before.rfind('\n');
  size_t column = newline == llvm::StringRef::npos ? offset + 1 : offset - newline;
  return MakeError(llvm::Twine(where_) + ":" + llvm::Twine(line) + ":" + llvm::Twine(column) +
                   ": error: " + message);
}

}  // namespace affirm
