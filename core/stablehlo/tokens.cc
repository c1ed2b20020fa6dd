#include "core/stablehlo/tokens.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::hlo::stablehlo {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

bool IsWordChar(char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.'; }

// The number of characters of a string with its quotes; 0 where it does not end on its line.
size_t LengthOfString(StringRef text) {
  for (size_t at = 1; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return 0;
}

}  // namespace

StringRef TakeWord(Scanner& scanner) {
  scanner.SkipSpace();
  const StringRef rest = scanner.Rest();
  if (rest.empty() || !(llvm::isAlpha(rest[0]) || rest[0] == '_')) return {};
  const StringRef word = rest.take_while(IsWordChar);
  scanner.set_pos(scanner.pos() + word.size());
  return word;
}

bool IsWord(StringRef text) {
  return !text.empty() && (llvm::isAlpha(text[0]) || text[0] == '_') &&
         llvm::all_of(text, IsWordChar);
}

Error Unexpected(Scanner& scanner, const llvm::Twine& expected) {
  return scanner.FailHere(expected + ", found " + scanner.Found());
}

Expected<std::string> ReadValueName(Scanner& scanner) {
  if (!scanner.Consume('%')) return Unexpected(scanner, "expected a value, such as %0");
  const StringRef rest = scanner.Rest();
  StringRef name = rest.take_while(llvm::isDigit);
  if (name.empty()) name = rest.take_while([](char c) { return IsWordChar(c) || c == '-'; });
  if (name.empty()) return scanner.FailHere("expected the name of a value after '%'");
  scanner.set_pos(scanner.pos() + name.size());
  std::string value = "%" + name.str();
  if (!scanner.Rest().starts_with("#")) return value;
  scanner.set_pos(scanner.pos() + 1);
  const StringRef digits = scanner.Rest().take_while(llvm::isDigit);
  unsigned number = 0;
  if (digits.getAsInteger(10, number))
    return scanner.FailHere("expected the number of a result after '" + value + "#'");
  scanner.set_pos(scanner.pos() + digits.size());
  return number == 0 ? value : value + "#" + std::to_string(number);
}

Expected<std::string> ReadSymbol(Scanner& scanner) {
  if (scanner.Rest().starts_with("\"")) return ReadString(scanner);
  const StringRef rest = scanner.Rest();
  const StringRef name = TakeWord(scanner);
  if (name.empty() || name.data() != rest.data())
    return Unexpected(scanner, "expected the name of a symbol after '@'");
  return name.str();
}

StringRef DecimalAtFront(StringRef text) {
  const auto digits = [&](size_t at) { return text.substr(at).take_while(llvm::isDigit).size(); };
  size_t length = digits(0);
  if (length == 0 || !text.substr(length).starts_with(".")) return {};
  length += 1 + digits(length + 1);
  const StringRef exponent = text.substr(length);
  if (!exponent.starts_with("e") && !exponent.starts_with("E")) return text.take_front(length);
  const StringRef sign = exponent.substr(1, 1);
  const size_t begin = length + (sign == "-" || sign == "+" ? 2 : 1);
  return text.take_front(digits(begin) == 0 ? length : begin + digits(begin));
}

Expected<std::string> ReadString(Scanner& scanner) {
  if (scanner.Peek() != '"') return Unexpected(scanner, "expected a string in double quotes");
  const size_t length = LengthOfString(scanner.Rest());
  if (length == 0)
    return scanner.FailHere("expected a closing '\"' for this string on the same line");
  const StringRef inside = scanner.Rest().substr(1, length - 2);
  std::string text;
  text.reserve(inside.size());
  for (size_t at = 0; at < inside.size(); ++at) {
    if (inside[at] != '\\') {
      text += inside[at];
      continue;
    }
    const char next = inside[++at];
    if (next == '"' || next == '\\') {
      text += next;
    } else if (next == 'n' || next == 't') {
      text += next == 'n' ? '\n' : '\t';
    } else if (at + 1 < inside.size() && llvm::isHexDigit(next) &&
               llvm::isHexDigit(inside[at + 1])) {
      text += static_cast<char>(llvm::hexFromNibbles(next, inside[++at]));
    } else {
      return scanner.FailHere(
          "this string has an escape other than \\\" \\\\ \\n \\t and two "
          "hexadecimal digits");
    }
  }
  scanner.set_pos(scanner.pos() + length);
  return text;
}

std::string QuoteString(StringRef text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '\\') {
      quoted += "\\\\";
    } else if (llvm::isPrint(c) && c != '"') {
      quoted += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      quoted += '\\';
      quoted += llvm::hexdigit(byte >> 4);
      quoted += llvm::hexdigit(byte & 15);
    }
  }
  return quoted + "\"";
}

Expected<std::string> ReadBracketed(Scanner& scanner, char close) {
  const size_t begin = scanner.pos();
  llvm::SmallVector<char> open = {close};
  std::string text;
  while (!scanner.Rest().empty()) {
    const StringRef rest = scanner.Rest();
    const char c = rest[0];
    size_t length = 1;
    if (rest.starts_with("//")) {
      scanner.SkipSpace();
      text += ' ';
      continue;
    }
    if (c == '"') {
      length = LengthOfString(rest);
      if (length == 0)
        return scanner.FailHere("expected a closing '\"' for this string on the same line");
    } else if (rest.starts_with("->")) {
      length = 2;
    } else if (StringRef("([{<").contains(c)) {
      if (open.size() >= kMaxNesting) return scanner.FailHere("brackets are nested too deeply");
      open.push_back(c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '>');
    } else if (StringRef(")]}>").contains(c)) {
      if (open.back() != c)
        return scanner.FailHere(llvm::Twine("expected '") + llvm::Twine(open.back()) +
                                "' before '" + llvm::Twine(c) + "'");
      open.pop_back();
    }
    scanner.set_pos(scanner.pos() + length);
    if (open.empty()) return text;
    text += rest.take_front(length);
  }
  return scanner.Fail(begin, llvm::Twine("expected a closing '") + llvm::Twine(close) +
                                 "', found the end of the text");
}

Error SkipLocation(Scanner& scanner) {
  const size_t before = scanner.pos();
  if (TakeWord(scanner) != "loc" || !scanner.Consume('(')) {
    scanner.set_pos(before);
    return Error::success();
  }
  auto location = ReadBracketed(scanner, ')');
  return location ? Error::success() : location.takeError();
}

}  // namespace affirm::hlo::stablehlo
