// Lines, words and numbers of a file of certificates.
#ifndef AFFIRM_TESTS_CERTIFICATE_TWIN_CERTIFICATE_TEXT_H_
#define AFFIRM_TESTS_CERTIFICATE_TWIN_CERTIFICATE_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "tests/certificate/twin/polynomial.h"

namespace twin {

class Lines {
 public:
  // The text outlives this.
  explicit Lines(std::string_view text);

  bool AtEnd() const { return next_ == lines_.size(); }
  // The number of the line that was read last, from 1.
  size_t number() const { return next_; }
  std::string_view Peek() const;
  std::string_view Next();
  // Whether the next line begins with this and goes on; nothing is read.
  bool NextBegins(std::string_view prefix) const;
  void ExpectLine(std::string_view line);

 private:
  std::vector<std::string_view> lines_;
  size_t next_ = 0;
};

using Words = std::vector<std::string_view>;
// The parts between separators, empty ones too.
Words Split(std::string_view text, char separator);
// The parts between blanks that are not empty.
Words WordsOf(std::string_view line);

bool IsDigit(char c);
bool IsNumber(std::string_view word);
Integer ReadInteger(std::string_view word);
// The number of an atom or a fact.
Atom ReadIndex(std::string_view word);
// `3*1*2 -7`: three times atom 1 times atom 2, less 7.
Polynomial ReadForm(const Words& words);

}  // namespace twin

#endif  // AFFIRM_TESTS_CERTIFICATE_TWIN_CERTIFICATE_TEXT_H_
