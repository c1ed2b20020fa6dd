#include "core/stablehlo/attributes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::hlo::stablehlo {

using llvm::StringRef;

std::vector<int64_t> Integers(StringRef text) {
  if (text.starts_with("dense<")) {
    text = text.drop_front(6).take_until([](char c) { return c == '>'; });
  } else if (text.starts_with("array<")) {
    text = text.split(':').second;
  }
  std::vector<int64_t> values;
  while (!text.empty()) {
    text = text.drop_until([](char c) { return llvm::isDigit(c) || c == '-'; });
    int64_t value = 0;
    if (text.consumeInteger(10, value)) {
      text = text.drop_front(text.empty() ? 0 : 1);
    } else {
      values.push_back(value);
    }
  }
  return values;
}

std::string InBraces(const std::vector<int64_t>& values) {
  std::string text = "{";
  for (size_t k = 0; k < values.size(); ++k) text += (k ? "," : "") + std::to_string(values[k]);
  return text + "}";
}

std::vector<int64_t> IntegersOf(const Operation& operation, const std::string& name, size_t count) {
  StringRef text = Attribute(operation, name);
  if (!text.starts_with("array<")) text = text.split(" : ").first;
  std::vector<int64_t> values = Integers(text);
  if (values.size() == 1 && count != 1) values.assign(count, values[0]);
  return values;
}

StringRef Attribute(const Operation& operation, const std::string& name) {
  auto found = operation.attributes.find(name);
  return found == operation.attributes.end() ? StringRef() : StringRef(found->second);
}

StringRef Field(StringRef text, StringRef name) {
  for (size_t at = text.find(name); at != StringRef::npos; at = text.find(name, at + 1)) {
    StringRef rest = text.drop_front(at + name.size()).ltrim();
    if (at > 0 && (llvm::isAlnum(text[at - 1]) || text[at - 1] == '_')) continue;
    if (!rest.consume_front("=")) continue;
    rest = rest.ltrim();
    if (rest.starts_with("[")) return rest.take_front(rest.find(']') + 1);
    return rest.take_until([](char c) { return c == ',' || c == '>'; });
  }
  return {};
}

std::string FieldIn(StringRef text, StringRef name) {
  return InBraces(Integers(Field(text, name)));
}

bool IsTrue(const Operation& operation, const std::string& name) {
  return Attribute(operation, name).starts_with("true");
}

std::string LastWord(StringRef text) {
  text = text.rtrim("> ");
  return text.take_back(text.size() - (text.rfind(' ') + 1)).str();
}

std::string WindowPart(StringRef name, const std::vector<int64_t>& values, int64_t usual) {
  if (values.empty() || llvm::all_of(values, [=](int64_t v) { return v == usual; })) return "";
  std::string text = " " + name.str() + "=";
  for (size_t k = 0; k < values.size(); ++k) text += (k ? "x" : "") + std::to_string(values[k]);
  return text;
}

std::string WindowPadding(const std::vector<int64_t>& pairs) {
  if (llvm::all_of(pairs, [](int64_t v) { return v == 0; })) return "";
  std::string text = " pad=";
  for (size_t k = 0; k + 1 < pairs.size(); k += 2)
    text += (k ? "x" : "") + std::to_string(pairs[k]) + "_" + std::to_string(pairs[k + 1]);
  return text;
}

}  // namespace affirm::hlo::stablehlo
