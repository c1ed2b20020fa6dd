#include "tests/certificate/twin/certificate_text.h"

#include <algorithm>
#include <utility>

#include "tests/certificate/twin/rejection.h"

namespace twin {
namespace {

constexpr size_t kMostDigits = 200;
constexpr size_t kMostWords = 2000;

}  // namespace

Lines::Lines(std::string_view text) : lines_(Split(text, '\n')) {
  if (lines_.back().empty()) lines_.pop_back();
}

std::string_view Lines::Peek() const {
  Expect(!AtEnd(), "expected another line");
  return lines_[next_];
}

std::string_view Lines::Next() {
  const std::string_view line = Peek();
  ++next_;
  return line;
}

bool Lines::NextBegins(std::string_view prefix) const {
  return !AtEnd() && lines_[next_].size() > prefix.size() && lines_[next_].starts_with(prefix);
}

void Lines::ExpectLine(std::string_view line) {
  if (Next() != line) Refuse("expected '" + std::string(line) + "'");
}

Words Split(std::string_view text, char separator) {
  Words parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Words WordsOf(std::string_view line) {
  Words words = Split(line, ' ');
  std::erase(words, "");
  return words;
}

bool IsDigit(char c) { return '0' <= c && c <= '9'; }

bool IsNumber(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  return !word.empty() && std::all_of(word.begin(), word.end(), IsDigit);
}

Integer ReadInteger(std::string_view word) {
  Expect(IsNumber(word) && word.size() <= kMostDigits, "expected an integer");
  return Integer(std::string(word), 10);
}

Atom ReadIndex(std::string_view word) {
  Expect(IsNumber(word) && word.size() <= 9, "expected the number of a fact or an atom");
  const Integer index(std::string(word), 10);
  Expect(index > 0, "facts and atoms are numbered from 1");
  return static_cast<Atom>(index.get_ui());
}

Polynomial ReadForm(const Words& words) {
  Expect(words.size() <= kMostWords, "a form has too many summands");
  Polynomial form;
  for (std::string_view word : words) {
    const Words factors = Split(word, '*');
    Monomial atoms;
    for (size_t k = 1; k < factors.size(); ++k) atoms.push_back(ReadIndex(factors[k]));
    form.Add(std::move(atoms), ReadInteger(factors[0]));
  }
  return form;
}

}  // namespace twin
