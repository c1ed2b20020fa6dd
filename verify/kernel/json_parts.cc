#include "verify/kernel/json_parts.h"

namespace affirm::kernel {
namespace {

constexpr llvm::StringLiteral kSpace = " \t\r\n";

// The characters of the value that `text` begins with.
size_t LengthOfValue(llvm::StringRef text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      if (--depth < 0) return i;  // of what the value stands in
    } else if (depth == 0 && (c == ',' || c == ':')) {
      return i;
    }
    if (depth == 0 && !in_string && (c == '"' || c == ']' || c == '}')) return i + 1;
  }
  return text.size();
}

// Takes the value that `rest` begins with, and a comma or colon behind it.
llvm::StringRef TakeValue(llvm::StringRef& rest) {
  rest = rest.ltrim(kSpace);
  const size_t length = LengthOfValue(rest);
  const llvm::StringRef value = rest.take_front(length).rtrim(kSpace);
  rest = rest.drop_front(length).ltrim(kSpace);
  if (!rest.empty() && (rest.front() == ',' || rest.front() == ':')) rest = rest.drop_front();
  rest = rest.ltrim(kSpace);
  return value;
}

// The text between the brackets of the value; empty for a value with other brackets.
llvm::StringRef Inside(llvm::StringRef text, char open, char close) {
  text = text.trim(kSpace);
  if (text.size() < 2 || text.front() != open || text.back() != close) return {};
  return text.drop_front().drop_back().trim(kSpace);
}

}  // namespace

std::vector<JsonMember> JsonMembers(llvm::StringRef text) {
  std::vector<JsonMember> members;
  llvm::StringRef rest = Inside(text, '{', '}');
  while (!rest.empty()) {
    const llvm::StringRef key = TakeValue(rest);
    const llvm::StringRef value = TakeValue(rest);
    members.push_back({key.size() < 2 ? key : key.drop_front().drop_back(), value});
  }
  return members;
}

std::vector<llvm::StringRef> JsonElements(llvm::StringRef text) {
  std::vector<llvm::StringRef> elements;
  llvm::StringRef rest = Inside(text, '[', ']');
  while (!rest.empty()) elements.push_back(TakeValue(rest));
  return elements;
}

}  // namespace affirm::kernel
