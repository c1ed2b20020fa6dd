// The tokens of MLIR that differ from those of HLO. Internal to the reader of StableHLO.
#ifndef AFFIRM_CORE_STABLEHLO_TOKENS_H_
#define AFFIRM_CORE_STABLEHLO_TOKENS_H_

#include <string>

#include "core/hlo/scanner.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo::stablehlo {

// A bare identifier (MLIR LangRef, "Identifiers and keywords"): letters, digits and "_$.", not a
// digit first. Empty where none stands here. `dims = [0]` has the word "dims".
llvm::StringRef TakeWord(Scanner& scanner);

// Whether a text is one such identifier: "a.b", not "a b".
bool IsWord(llvm::StringRef text);

// "word, found .." at this place.
llvm::Error Unexpected(Scanner& scanner, const llvm::Twine& expected);

// A value name, "%0" or "%arg$1#2". Result 0 of several has the name of the whole: "%0#0" is "%0".
llvm::Expected<std::string> ReadValueName(Scanner& scanner);

// A symbol after its '@', bare or quoted: `@"<lambda>"` is "<lambda>".
llvm::Expected<std::string> ReadSymbol(Scanner& scanner);

// The float that a text begins with (MLIR LangRef, "float-literal"): digits, a point, digits, and
// an exponent if it has digits. "1.5e+" begins with "1.5", ".5" and "1e3" with none.
llvm::StringRef DecimalAtFront(llvm::StringRef text);

// A quoted string without its escapes (\" \\ \n \t and two hexadecimal digits): "a\22" is `a"`.
llvm::Expected<std::string> ReadString(Scanner& scanner);

// The string with MLIR's escapes and quotes around it, as MLIR prints it: `a"` is "a\22".
std::string QuoteString(llvm::StringRef text);

// The text up to the bracket that closes one that was just read, which it consumes; comments are
// blanks in it. `[1, 2]>` after `<` gives "[1, 2]".
llvm::Expected<std::string> ReadBracketed(Scanner& scanner, char close);

// Skips `loc(..)` where one stands here. A location changes no value.
llvm::Error SkipLocation(Scanner& scanner);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_TOKENS_H_
