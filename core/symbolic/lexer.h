// The tokens of expressions and maps, one step each.
#ifndef AFFIRM_CORE_SYMBOLIC_LEXER_H_
#define AFFIRM_CORE_SYMBOLIC_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/symbolic/text_cursor.h"
#include "llvm/ADT/StringRef.h"

namespace affirm {

// Stands at one token of a text and steps to the next; every character is looked at once. Space
// and comments stand between tokens. A copy remembers a place, to go back to. The text outlives it.
class Lexer {
 public:
  // The kind of a token; one that is none of these is a single character, and its kind is that
  // character ('(' and so on).
  static constexpr char kEnd = 'e';     // of the text
  static constexpr char kWord = 'w';    // [A-Za-z_.][A-Za-z0-9_.]*
  static constexpr char kNumber = '0';  // [0-9]+, of any size, without a sign
  static constexpr char kArrow = 'a';   // ->
  static constexpr char kOther = 'o';   // a character that is no printable one

  // Starts at the cursor's place. The cursor stays there, and knows what errors have to name.
  explicit Lexer(const TextCursor& cursor) : text_(cursor.text()), end_(cursor.offset()) { Next(); }

  bool Is(char kind) const { return kind_ == kind; }
  bool IsWord(llvm::StringRef word) const { return kind_ == kWord && token() == word; }
  // Where the token starts, and its text.
  size_t at() const { return at_; }
  llvm::StringRef token() const { return text_.slice(at_, end_); }
  // Whether nothing is between the token before this one and it.
  bool IsAdjacent() const { return at_ == end_before_; }
  // Whether the token is a minus that stands at a digit at once.
  bool IsSign() const;

  void Next();
  // Steps over the token if it is of this kind, or this word.
  bool Take(char kind) {
    if (kind_ != kind) return false;
    Next();
    return true;
  }
  bool Take(llvm::StringRef word) {
    if (!IsWord(word)) return false;
    Next();
    return true;
  }
  // Steps over a number, or a minus that IsSign and its number. Nothing, and no step, where it
  // leaves int64; there has to be a number.
  std::optional<int64_t> TakeInteger();

 private:
  llvm::StringRef text_;
  size_t at_ = 0, end_ = 0;  // of the token
  size_t end_before_ = 0;    // of the token before
  uint64_t number_ = 0;      // the value of a number of few digits
  char kind_ = kEnd;
};

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_LEXER_H_
