// Words of HLO instructions: names, types and attributes as they are written.
#ifndef AFFIRM_TESTS_CERTIFICATE_TWIN_HLO_WORDS_H_
#define AFFIRM_TESTS_CERTIFICATE_TWIN_HLO_WORDS_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/certificate/twin/certificate_text.h"

namespace twin {

using Sizes = std::vector<Integer>;
using Dims = std::vector<size_t>;

struct ArrayType {
  std::string element;
  Sizes sizes;
  bool row_major = true;
};
// `f32[8]`, or a tuple of types.
struct Type {
  bool is_tuple = false;
  ArrayType array;
  std::vector<Type> parts;

  // The arrays, in order.
  std::vector<ArrayType> Arrays() const;
  bool HasSizesOf(const Type& other) const;
  // Elements and sizes are the same.
  bool Is(const Type& other) const;
};

// The words of a line; comments are none, strings are one each. The empty word is the end.
class HloWords {
 public:
  explicit HloWords(std::string_view text);

  std::string_view Peek(size_t ahead = 0) const {
    return next_ + ahead < words_.size() ? words_[next_ + ahead] : std::string_view();
  }
  std::string_view Next();
  bool Takes(std::string_view word);
  void ExpectWord(std::string_view word);
  // A name, without the % before it.
  std::string ReadName();
  Type ReadType(int depth = 0);
  // Up to the comma or parenthesis that ends it.
  Words ReadValue();

 private:
  ArrayType ReadArrayType();
  bool SkipLayout(size_t rank);

  Words words_;
  size_t next_ = 0;
};

std::string_view WithoutPercent(std::string_view word);
Integer ReadSmallInteger(std::string_view word);
// The same, in its one spelling: no zeros before it.
Integer ReadPlainInteger(std::string_view word);
size_t ReadDimension(std::string_view word);

// Attributes by their names.
using Attributes = std::map<std::string_view, Words>;
// Reads to the end of a line. Those on which reading does not depend are left out, except `kept`.
Attributes ReadAttributes(HloWords& words, std::string_view kept);
// The items of `{0,1}`.
Words ItemsOf(const Words& value);

}  // namespace twin

#endif  // AFFIRM_TESTS_CERTIFICATE_TWIN_HLO_WORDS_H_
