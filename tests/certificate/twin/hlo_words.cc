#include "tests/certificate/twin/hlo_words.h"

#include <algorithm>
#include <utility>

#include "tests/certificate/twin/rejection.h"

namespace twin {
namespace {

constexpr int kDeepest = 1000;
constexpr size_t kMostDimensions = 1000;

bool IsLower(char c) { return 'a' <= c && c <= 'z'; }
bool IsWordCharacter(char c) {
  return IsDigit(c) || IsLower(c) || ('A' <= c && c <= 'Z') || c == '_' || c == '.' || c == '-' ||
         c == '%';
}

// Where a string ends that begins at the quote `at`.
size_t EndOfString(std::string_view text, size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  Refuse("a string does not end");
}

size_t EndOfWord(std::string_view text, size_t at) {
  while (at < text.size() &&
         (IsWordCharacter(text[at]) || (text[at] == '>' && text[at - 1] == '-')))
    ++at;
  return at;
}

const std::set<std::string_view>& Irrelevant() {
  static const std::set<std::string_view> names = {"metadata",       "backend_config",
                                                   "sharding",       "frontend_attributes",
                                                   "select",         "operand_precision",
                                                   "algorithm",      "control-predecessors",
                                                   "statistics",     "indices_are_sorted",
                                                   "unique_indices", "result_accuracy",
                                                   "scatter",        "to_apply",
                                                   "is_stable",      "direction",
                                                   "largest",        "type",
                                                   "exponent_bits",  "mantissa_bits",
                                                   "origin",         "original_value"};
  return names;
}

void AddArrays(const Type& type, std::vector<ArrayType>& arrays) {
  if (!type.is_tuple) arrays.push_back(type.array);
  for (const Type& part : type.parts) AddArrays(part, arrays);
}

bool AreAlike(const Type& a, const Type& b, bool with_elements) {
  if (a.is_tuple != b.is_tuple || a.parts.size() != b.parts.size()) return false;
  for (size_t k = 0; k < a.parts.size(); ++k)
    if (!AreAlike(a.parts[k], b.parts[k], with_elements)) return false;
  return a.array.sizes == b.array.sizes && (!with_elements || a.array.element == b.array.element);
}

}  // namespace

std::vector<ArrayType> Type::Arrays() const {
  std::vector<ArrayType> arrays;
  AddArrays(*this, arrays);
  return arrays;
}
bool Type::HasSizesOf(const Type& other) const { return AreAlike(*this, other, false); }
bool Type::Is(const Type& other) const { return AreAlike(*this, other, true); }

HloWords::HloWords(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    if (text.substr(at).starts_with("/*")) {
      at = text.find("*/", at + 2);
      Expect(at != text.npos, "a comment does not end");
      at += 2;
      continue;
    }
    if (text[at] == '"') {
      end = EndOfString(text, at);
    } else if (IsWordCharacter(text[at])) {
      end = EndOfWord(text, at);
    }
    words_.push_back(text.substr(at, end - at));
    at = end;
  }
}

std::string_view HloWords::Next() {
  const std::string_view word = Peek();
  ++next_;
  return word;
}

bool HloWords::Takes(std::string_view word) {
  if (Peek() != word) return false;
  ++next_;
  return true;
}

void HloWords::ExpectWord(std::string_view word) {
  if (!Takes(word)) Refuse("expected '" + std::string(word) + "' in an instruction");
}

std::string HloWords::ReadName() {
  const std::string_view name = WithoutPercent(Next());
  Expect(!name.empty() && std::all_of(name.begin(), name.end(), IsWordCharacter),
         "expected a name");
  return std::string(name);
}

// Whether the layout that follows is that of an array in row-major order.
bool HloWords::SkipLayout(size_t rank) {
  std::vector<std::string> row_major = {"{"};
  for (size_t d = rank; d > 0; --d) {
    row_major.push_back(std::to_string(d - 1));
    row_major.emplace_back(d > 1 ? "," : "}");
  }
  if (rank == 0) row_major.emplace_back("}");
  const size_t begin = next_;
  int depth = 0;
  do {
    const std::string_view word = Next();
    Expect(!word.empty(), "a layout does not end");
    depth += (word == "{") - (word == "}");
  } while (depth > 0);
  return std::equal(words_.begin() + static_cast<std::ptrdiff_t>(begin),
                    words_.begin() + static_cast<std::ptrdiff_t>(next_), row_major.begin(),
                    row_major.end());
}

ArrayType HloWords::ReadArrayType() {
  ArrayType type;
  type.element = Next();
  Expect(!type.element.empty() && IsLower(type.element[0]) &&
             std::all_of(type.element.begin(), type.element.end(),
                         [](char c) { return IsLower(c) || IsDigit(c); }),
         "expected the type of an array");
  ExpectWord("[");
  if (!Takes("]")) {
    do {
      type.sizes.push_back(ReadSmallInteger(Next()));
      Expect(type.sizes.back() >= 0, "a size is negative");
    } while (Takes(","));
    ExpectWord("]");
  }
  if (Peek() == "{") type.row_major = SkipLayout(type.sizes.size());
  return type;
}

Type HloWords::ReadType(int depth) {
  Expect(depth < kDeepest, "a type is nested too deep");
  Type type;
  type.is_tuple = Takes("(");
  if (!type.is_tuple) {
    type.array = ReadArrayType();
  } else if (!Takes(")")) {
    do type.parts.push_back(ReadType(depth + 1));
    while (Takes(","));
    ExpectWord(")");
  }
  return type;
}

Words HloWords::ReadValue() {
  Words value;
  for (int depth = 0;;) {
    const std::string_view word = Peek();
    Expect(!word.empty() || depth == 0, "a bracket does not end");
    if (word.empty() || (depth == 0 && (word == "," || word == ")"))) return value;
    if (word == "{" || word == "[" || word == "(") ++depth;
    if (word == "}" || word == "]" || word == ")") --depth;
    Expect(depth >= 0, "there is a bracket too many");
    value.push_back(Next());
  }
}

std::string_view WithoutPercent(std::string_view word) {
  if (word.starts_with('%')) word.remove_prefix(1);
  return word;
}

Integer ReadSmallInteger(std::string_view word) {
  Expect(IsNumber(word) && word.size() < 19, "expected an integer in an instruction");
  return Integer(std::string(word), 10);
}

Integer ReadPlainInteger(std::string_view word) {
  const Integer value = ReadSmallInteger(word);
  Expect(value.get_str() == word, "a number has another spelling");
  return value;
}

size_t ReadDimension(std::string_view word) {
  const Integer value = ReadPlainInteger(word);
  Expect(value >= 0 && value <= kMostDimensions, "expected the number of a dimension");
  return value.get_ui();
}

Attributes ReadAttributes(HloWords& words, std::string_view kept) {
  Attributes all;
  while (!words.Peek().empty()) {
    words.ExpectWord(",");
    const std::string_view name = words.Next();
    words.ExpectWord("=");
    Expect(all.try_emplace(name, words.ReadValue()).second, "an attribute is given twice");
  }
  std::erase_if(all, [&](const auto& attribute) {
    return attribute.first != kept && Irrelevant().contains(attribute.first);
  });
  return all;
}

Words ItemsOf(const Words& value) {
  Expect(value.size() >= 2 && value.front() == "{" && value.back() == "}",
         "expected a list as {0,1}");
  Words items;
  for (size_t k = 1; k + 1 < value.size(); ++k) {
    if (k % 2 == 1) {
      items.push_back(value[k]);
    } else {
      Expect(value[k] == ",", "expected a list as {0,1}");
    }
  }
  Expect(value.size() == 2 || value.size() % 2 == 1, "expected a list as {0,1}");
  return items;
}

}  // namespace twin
