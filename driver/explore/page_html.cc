#include "driver/explore/page_html.h"

#include "driver/json_text.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

// Text between tags, or in an attribute.
std::string Escaped(llvm::StringRef text) {
  std::string out;
  for (char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

// JSON in which no text ends the element that it stands in.
std::string JsonForScript(llvm::json::Object data) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::json::Value(std::move(data));
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

llvm::StringRef TextOf(llvm::StringRef name) {
  for (const PageFile& file : PageFiles()) {
    if (file.name == name) return file.text;
  }
  return "";
}

// The text for "{{NAME}}" in page.html.
std::string Part(llvm::StringRef name, llvm::StringRef title, llvm::json::Object& data) {
  if (name == "TITLE") return Escaped(JsonText(title));
  if (name == "STYLE") return TextOf("style.css").str();
  if (name == "DATA") return JsonForScript(std::move(data));
  std::string programs;
  for (const PageFile& file : PageFiles()) {
    if (file.name.ends_with(".js")) programs += (file.text + "\n").str();
  }
  return programs;
}

}  // namespace

std::string PageHtml(llvm::StringRef title, llvm::json::Object data) {
  std::string html;
  llvm::StringRef rest = TextOf("page.html");
  while (true) {
    auto [before, behind] = rest.split("{{");
    html += before;
    if (behind.empty()) return html;
    auto [name, after] = behind.split("}}");
    html += Part(name, title, data);
    rest = after;
  }
}

}  // namespace affirm::driver
