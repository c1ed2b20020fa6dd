#include "driver/report_model/escape.h"

#include <algorithm>

#include "driver/json_text.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {
namespace {

constexpr llvm::StringLiteral kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Valid UTF-8 without what XML and terminals cannot hold.
std::string Printable(llvm::StringRef text) {
  const std::string valid = JsonText(text);
  std::string printable;
  for (size_t i = 0; i < valid.size(); ++i) {
    const auto c = static_cast<unsigned char>(valid[i]);
    const bool control = (c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7F;
    // U+FFFE and U+FFFF are no characters.
    const bool none = llvm::StringRef(valid).substr(i).starts_with("\xEF\xBF\xBE") ||
                      llvm::StringRef(valid).substr(i).starts_with("\xEF\xBF\xBF");
    if (control || none) {
      printable += kReplacement;
      i += none ? 2 : 0;
    } else {
      printable += valid[i];
    }
  }
  return printable;
}

// The longest run of backticks.
size_t LongestRun(llvm::StringRef text) {
  size_t longest = 0, run = 0;
  for (char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string XmlText(llvm::StringRef text) {
  std::string escaped;
  for (char c : Printable(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      // In an attribute these would be read as spaces.
      case '\n':
        escaped += "&#10;";
        break;
      case '\t':
        escaped += "&#9;";
        break;
      case '\r':
        escaped += "&#13;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string MarkdownCode(llvm::StringRef text) {
  std::string line;
  for (char c : Printable(text)) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    if (c == '|') line += '\\';  // a table takes it away again
    line += c;
  }
  if (llvm::StringRef(line).trim().empty()) return "(nothing)";
  const std::string fence(LongestRun(line) + 1, '`');
  // Spaces at both ends are taken away again.
  const bool pad = line.front() == '`' || line.back() == '`';
  return fence + (pad ? " " : "") + line + (pad ? " " : "") + fence;
}

std::string MarkdownBlock(llvm::StringRef text, llvm::StringRef language) {
  const std::string printable = Printable(text);
  const std::string fence(std::max<size_t>(LongestRun(printable) + 1, 3), '`');
  const bool ends = !printable.empty() && printable.back() == '\n';
  return fence + language.str() + "\n" + printable + (ends ? "" : "\n") + fence + "\n";
}

std::string UriOf(llvm::StringRef path) {
  std::string uri = path.starts_with("/") ? "file://" : "";
  for (char c : path) {
    if (llvm::isAlnum(c) || llvm::StringRef("/._-~").contains(c)) {
      uri += c;
    } else {
      uri += '%';
      uri += llvm::hexdigit(static_cast<unsigned char>(c) >> 4);
      uri += llvm::hexdigit(static_cast<unsigned char>(c) & 15);
    }
  }
  return uri;
}

}  // namespace affirm::driver
