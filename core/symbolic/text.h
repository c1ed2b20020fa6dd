// Reading and printing expressions in XLA's text form: "(d0 * 8 + s0) floordiv 4".
#ifndef AFFIRM_CORE_SYMBOLIC_TEXT_H_
#define AFFIRM_CORE_SYMBOLIC_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/symbolic/context.h"
#include "core/symbolic/expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm {

// Gives a variable its printed name.
using VariableNamer = llvm::function_ref<std::string(VarKind, int64_t)>;
// d0, s0, rt0.
std::string DefaultVariableName(VarKind kind, int64_t index);

void Print(SymbolicExpr e, llvm::raw_ostream& os, VariableNamer namer = DefaultVariableName);

// A cursor over text that knows its line and column. Shared by the readers of expressions, maps and
// rules; `//` starts a comment that runs to the end of the line.
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

// Resolves a name to a variable; null when unknown.
using VariableLookup = llvm::function_ref<SymbolicExpr(llvm::StringRef)>;

// A divisor that is no constant, as it was written. The constructors of expressions drop terms,
// as in (1 floordiv d0) * 0, so the expression that is read may not have it any more.
struct ReadDivisor {
  SymbolicExpr expr;
  bool is_modulus = false;
  friend bool operator==(const ReadDivisor&, const ReadDivisor&) = default;
};

// Reads one expression: + - *, floordiv (floorDiv, /), ceildiv (ceilDiv), mod or %, min(a, b),
// max(a, b), parentheses, unary minus (binding to the primary that follows it), and 100d0 for
// 100 * d0. Nesting is bounded (error past 1,000 levels). Appends to `divisors`, if given, each
// divisor that is no constant; constant ones that have no quotient are errors.
llvm::Expected<SymbolicExpr> ParseExpr(TextCursor& cursor, Context& context, VariableLookup lookup,
                                       std::vector<ReadDivisor>* divisors = nullptr);

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_TEXT_H_
