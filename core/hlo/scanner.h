// Reads the characters of HLO text: blanks and comments, names, numbers, strings, balanced text.
// Internal to the parser.
#ifndef AFFIRM_CORE_HLO_SCANNER_H_
#define AFFIRM_CORE_HLO_SCANNER_H_

#include <cstdint>
#include <string>

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo {

// How deep braces, tuples and operands may nest in HLO text.
inline constexpr int kMaxNesting = 500;

class Scanner {
 public:
  // Reads text[begin, end). Source locations count from the start of the text, whose name is
  // `where`.
  Scanner(llvm::StringRef text, llvm::StringRef where, size_t begin, size_t end)
      : text_(text.take_front(end)), where_(where), pos_(begin) {}

  size_t pos() const { return pos_; }
  void set_pos(size_t pos) { pos_ = pos; }
  llvm::StringRef Rest() const { return text_.drop_front(pos_); }
  llvm::StringRef Since(size_t begin) const { return text_.slice(begin, pos_); }

  // Every function below but ConsumeHere and Remaining first skips blanks and comments.
  void SkipSpace();
  bool AtEnd();
  char Peek();  // '\0' at the end
  bool LooksAt(llvm::StringRef what);
  bool Consume(char c);
  bool ConsumeText(llvm::StringRef what);
  // The whole identifier `word`, not the beginning of a longer one.
  bool ConsumeWord(llvm::StringRef word);
  llvm::Error Expect(char c, const llvm::Twine& context);

  // Letters, digits and "_.-", starting with a letter or '_'; empty when none stands here. "->"
  // ends it.
  llvm::StringRef Identifier();
  // An identifier, or '%' and any of its characters (digits first, too); without the '%'.
  llvm::StringRef Name();
  llvm::Expected<int64_t> Integer(const llvm::Twine& what);
  // "..." with C escapes, decoded.
  llvm::Expected<std::string> String();
  // The text of an attribute: up to a blank, a comma or a closing bracket outside of its own
  // brackets and strings.
  llvm::Expected<llvm::StringRef> RawValue();
  // Text up to a '}' that closes no brace of its own; the brace stays.
  llvm::Expected<llvm::StringRef> UntilClosingBrace();

  // The next token, for a message: "'abc'" or "the end of the text".
  std::string Found();
  SourceLocation LocationOf(size_t pos);
  // "where:line:column: error: message"
  llvm::Error Fail(size_t pos, const llvm::Twine& message);
  llvm::Error FailHere(const llvm::Twine& message);  // after blanks
  llvm::Error FailAt(const SourceLocation& at, const llvm::Twine& message) const;

 private:
  llvm::Error SkipString();
  llvm::Expected<llvm::StringRef> Balanced(bool stop_at_blank);

  llvm::StringRef text_;
  llvm::StringRef where_;
  size_t pos_;
  // The last position that LocationOf has located. Positions are asked for in order, so that
  // counting lines costs one pass over the text.
  size_t known_pos_ = 0;
  size_t known_line_start_ = 0;
  int64_t known_line_ = 1;
};

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_SCANNER_H_
