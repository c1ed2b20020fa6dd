// A cursor over text, which the readers of expressions, maps and rules share.
#ifndef AFFIRM_CORE_SYMBOLIC_TEXT_CURSOR_H_
#define AFFIRM_CORE_SYMBOLIC_TEXT_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm {

// A cursor over text that knows its line and column. `//` starts a comment that runs to the
// end of the line.
class TextCursor {
 public:
  // `where` is the file name for errors; line and column count from 1.
  TextCursor(llvm::StringRef text, llvm::StringRef where, int64_t first_line = 1)
      : text_(text), where_(where.str()), first_line_(first_line) {}

  void SkipSpace();
  bool AtEnd();
  char Peek();                      // 0 at the end; skips space first
  bool Consume(llvm::StringRef t);  // punctuation, or a whole word; skips space first
  bool LooksAt(llvm::StringRef t);
  // [A-Za-z_][A-Za-z0-9_.]*; empty when there is none.
  llvm::StringRef Identifier();
  // An optionally signed decimal integer; an error when it leaves int64 or is absent.
  llvm::Expected<int64_t> Integer();
  llvm::Error Expect(llvm::StringRef t, llvm::StringRef what_for);
  // "where:line:column: error: message" at the cursor (after space) or at an offset.
  llvm::Error Error(const llvm::Twine& message);
  llvm::Error ErrorAt(size_t offset, const llvm::Twine& message) const;

  size_t offset() const { return at_; }
  void set_offset(size_t o) { at_ = o; }
  llvm::StringRef text() const { return text_; }
  llvm::StringRef where() const { return where_; }

 private:
  llvm::StringRef text_;
  std::string where_;
  int64_t first_line_;
  size_t at_ = 0;
};

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_TEXT_CURSOR_H_
