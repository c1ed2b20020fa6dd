// Skips blanks and comments, and reads the tokens of HLO text.
#include "core/hlo/scanner.h"

#include "core/hlo/diagnostic.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm::hlo {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

bool IsNameStart(char c) { return llvm::isAlpha(c) || c == '_'; }

bool IsNameChar(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '-'; }

char ClosingOf(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

llvm::StringRef TakeName(llvm::StringRef text) {
  size_t n = 0;
  while (n < text.size() && IsNameChar(text[n])) {
    if (text[n] == '-' && n + 1 < text.size() && text[n + 1] == '>') break;
    ++n;
  }
  return text.take_front(n);
}

}  // namespace

void Scanner::SkipSpace() {
  while (pos_ < text_.size()) {
    if (IsBlank(text_[pos_])) {
      ++pos_;
    } else if (text_[pos_] == '/' && Rest().starts_with("//")) {
      pos_ = std::min(text_.find('\n', pos_), text_.size());
    } else if (text_[pos_] == '/' && Rest().starts_with("/*")) {
      const size_t close = text_.find("*/", pos_ + 2);
      pos_ = close == llvm::StringRef::npos ? text_.size() : close + 2;
    } else {
      return;
    }
  }
}

bool Scanner::AtEnd() {
  SkipSpace();
  return pos_ >= text_.size();
}

char Scanner::Peek() { return AtEnd() ? '\0' : text_[pos_]; }

bool Scanner::LooksAt(llvm::StringRef what) {
  SkipSpace();
  return Rest().starts_with(what);
}

bool Scanner::Consume(char c) {
  if (AtEnd() || text_[pos_] != c) return false;
  ++pos_;
  return true;
}

bool Scanner::ConsumeText(llvm::StringRef what) {
  if (!LooksAt(what)) return false;
  pos_ += what.size();
  return true;
}

bool Scanner::ConsumeWord(llvm::StringRef word) {
  SkipSpace();
  if (TakeName(Rest()) != word) return false;
  pos_ += word.size();
  return true;
}

llvm::Error Scanner::Expect(char c, const llvm::Twine& context) {
  if (Consume(c)) return llvm::Error::success();
  return FailHere("expected '" + llvm::Twine(c) + "' " + context + ", found " + Found());
}

llvm::StringRef Scanner::Identifier() {
  if (AtEnd() || !IsNameStart(text_[pos_])) return {};
  const llvm::StringRef name = TakeName(Rest());
  pos_ += name.size();
  return name;
}

llvm::StringRef Scanner::Name() {
  if (AtEnd() || text_[pos_] != '%') return Identifier();
  const llvm::StringRef name = TakeName(Rest().drop_front());
  if (!name.empty()) pos_ += 1 + name.size();
  return name;
}

llvm::Expected<int64_t> Scanner::Integer(const llvm::Twine& what) {
  SkipSpace();
  const size_t begin = pos_;
  size_t end = pos_;
  if (end < text_.size() && text_[end] == '-') ++end;
  while (end < text_.size() && llvm::isDigit(text_[end])) ++end;
  const llvm::StringRef digits = text_.slice(begin, end);
  int64_t value = 0;
  if (digits.empty() || digits == "-") {
    return FailHere("expected " + what + ", found " + Found());
  }
  if (digits.getAsInteger(10, value)) {
    return FailHere("expected " + what + ", a number that fits 64 bits, found " + Found());
  }
  pos_ = end;
  return value;
}

llvm::Error Scanner::SkipString() {
  const size_t begin = pos_++;
  while (pos_ < text_.size() && text_[pos_] != '"') pos_ += text_[pos_] == '\\' ? 2 : 1;
  if (pos_ >= text_.size()) {
    pos_ = text_.size();
    return Fail(begin, "expected a closing '\"' for this string, found the end of the text");
  }
  ++pos_;
  return llvm::Error::success();
}

llvm::Expected<std::string> Scanner::String() {
  if (Peek() != '"') return FailHere("expected a string in double quotes, found " + Found());
  const size_t begin = pos_;
  if (llvm::Error error = SkipString()) return error;
  const llvm::StringRef inside = Since(begin).drop_front().drop_back();
  std::string value;
  value.reserve(inside.size());
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      value += inside[i];
      continue;
    }
    const char escaped = inside[++i];
    if (escaped == 'n') {
      value += '\n';
    } else if (escaped == 't') {
      value += '\t';
    } else if (escaped == 'r') {
      value += '\r';
    } else if (escaped == 'x' && i + 2 < inside.size() && llvm::isHexDigit(inside[i + 1]) &&
               llvm::isHexDigit(inside[i + 2])) {
      value += static_cast<char>(llvm::hexFromNibbles(inside[i + 1], inside[i + 2]));
      i += 2;
    } else if (escaped >= '0' && escaped <= '7') {
      int code = 0;
      size_t digits = 0;
      for (; digits < 3 && i + digits < inside.size(); ++digits) {
        const char c = inside[i + digits];
        if (c < '0' || c > '7') break;
        code = code * 8 + (c - '0');
      }
      value += static_cast<char>(code);
      i += digits - 1;
    } else {
      value += escaped;
    }
  }
  return value;
}

llvm::Expected<llvm::StringRef> Scanner::RawValue() {
  SkipSpace();
  return Balanced(/*stop_at_blank=*/true);
}

llvm::Expected<llvm::StringRef> Scanner::UntilClosingBrace() {
  return Balanced(/*stop_at_blank=*/false);
}

llvm::Expected<llvm::StringRef> Scanner::Balanced(bool stop_at_blank) {
  const size_t begin = pos_;
  llvm::SmallVector<size_t> open;  // places of the brackets that wait for their closing
  while (pos_ < text_.size()) {
    const char c = text_[pos_];
    if (open.empty()) {
      if (c == '}' || c == ')' || c == ']') break;
      if (stop_at_blank &&
          (c == ',' || IsBlank(c) || Rest().starts_with("//") || Rest().starts_with("/*"))) {
        break;
      }
    }
    if (c == '"') {
      if (llvm::Error error = SkipString()) return error;
      continue;
    }
    if (c == '/' && (Rest().starts_with("//") || Rest().starts_with("/*"))) {
      SkipSpace();
      continue;
    }
    if (c == '(' || c == '[' || c == '{') {
      if (open.size() >= kMaxNesting) return Fail(pos_, "expected at most 500 nested brackets");
      open.push_back(pos_);
    } else if (c == ')' || c == ']' || c == '}') {
      const char expected = ClosingOf(text_[open.back()]);
      if (c != expected) {
        return Fail(pos_, llvm::Twine("expected '") + llvm::Twine(expected) +
                              "' to close the bracket opened before, found '" + llvm::Twine(c) +
                              "'");
      }
      open.pop_back();
    }
    ++pos_;
  }
  if (!open.empty()) {
    return Fail(open.back(), llvm::Twine("expected a '") +
                                 llvm::Twine(ClosingOf(text_[open.back()])) +
                                 "' that closes this bracket, found the end of the text");
  }
  const llvm::StringRef value = Since(begin);
  if (stop_at_blank && value.empty()) return FailHere("expected a value, found " + Found());
  return value;
}

std::string Scanner::Found() {
  if (AtEnd()) return "the end of the text";
  constexpr size_t kLongestShown = 24;
  llvm::StringRef shown = TakeName(Rest());
  if (shown.empty()) shown = Rest().take_front(1);
  std::string text = "'";
  for (char c : shown.take_front(kLongestShown)) {
    if (llvm::isPrint(c)) {
      text += c;
    } else {
      text += "\\x" + llvm::utohexstr(static_cast<uint8_t>(c), /*LowerCase=*/true, /*Width=*/2);
    }
  }
  return text + (shown.size() > kLongestShown ? "...'" : "'");
}

SourceLocation Scanner::LocationOf(size_t pos) {
  if (pos < known_pos_) {
    known_pos_ = known_line_start_ = 0;
    known_line_ = 1;
  }
  const llvm::StringRef before = text_.take_front(pos);
  for (size_t i = before.find('\n', known_pos_); i < pos; i = before.find('\n', i + 1)) {
    ++known_line_;
    known_line_start_ = i + 1;
  }
  known_pos_ = pos;
  return {known_line_, static_cast<int64_t>(pos - known_line_start_) + 1};
}

llvm::Error Scanner::Fail(size_t pos, const llvm::Twine& message) {
  return FailAt(LocationOf(pos), message);
}

llvm::Error Scanner::FailAt(const SourceLocation& at, const llvm::Twine& message) const {
  // Messages quote names and numbers of the text, which may have any length.
  constexpr size_t kMaxMessage = 800;
  std::string text = message.str();
  if (text.size() > kMaxMessage) text.replace(kMaxMessage, std::string::npos, "...");
  return MakeErrorAt(where_, at, text);
}

llvm::Error Scanner::FailHere(const llvm::Twine& message) {
  SkipSpace();
  return Fail(pos_, message);
}

}  // namespace affirm::hlo
