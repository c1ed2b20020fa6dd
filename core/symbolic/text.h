// Reading and printing expressions in XLA's text form: "(d0 * 8 + s0) floordiv 4".
#ifndef AFFIRM_CORE_SYMBOLIC_TEXT_H_
#define AFFIRM_CORE_SYMBOLIC_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/symbolic/context.h"
#include "core/symbolic/expr.h"
#include "core/symbolic/text_cursor.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm {

class Lexer;

// Gives a variable its printed name.
using VariableNamer = llvm::function_ref<std::string(VarKind, int64_t)>;
// d0, s0, rt0.
std::string DefaultVariableName(VarKind kind, int64_t index);

void Print(SymbolicExpr e, llvm::raw_ostream& os, VariableNamer namer = DefaultVariableName);

// Resolves a name to a variable; null when unknown.
using VariableLookup = llvm::function_ref<SymbolicExpr(llvm::StringRef)>;

// A divisor that is no constant, as it was written. The constructors of expressions drop terms,
// as in (1 floordiv d0) * 0, so the expression that is read may not have it any more.
struct ReadDivisor {
  SymbolicExpr expr;
  bool is_modulus = false;
  friend bool operator==(const ReadDivisor&, const ReadDivisor&) = default;
};

// Why a text is no expression, and the offset of the error.
struct ReadProblem {
  size_t at = 0;
  std::string message;
};

// Reads one expression: + - *, floordiv (floorDiv, /), ceildiv (ceilDiv), mod or %, min(a, b),
// max(a, b), parentheses, unary minus (binding to the primary that follows it), and 100d0 for
// 100 * d0. Nesting is bounded (error past 1,000 levels). Appends to `divisors`, if given, each
// divisor that is no constant; constant ones that have no quotient are errors.
llvm::Expected<SymbolicExpr> ParseExpr(TextCursor& cursor, Context& context, VariableLookup lookup,
                                       std::vector<ReadDivisor>* divisors = nullptr);
// The same from the token at which `lexer` stands to the first one behind the expression. Null for
// an error, which is put into `problem`; the lexer then stands at some token.
SymbolicExpr ParseExpr(Lexer& lexer, Context& context, VariableLookup lookup,
                       std::vector<ReadDivisor>* divisors, ReadProblem& problem);

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_TEXT_H_
