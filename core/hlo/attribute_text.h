// Attributes of an instruction as HLO text. Internal to the parser and the printer.
#ifndef AFFIRM_CORE_HLO_ATTRIBUTE_TEXT_H_
#define AFFIRM_CORE_HLO_ATTRIBUTE_TEXT_H_

#include "core/hlo/module.h"
#include "core/hlo/scanner.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::hlo {

// Reads the value of `key` (behind the '=') into its field, or as raw text into `extra` when it has
// none.
llvm::Error ParseAttribute(Scanner& scanner, llvm::StringRef key, Opcode opcode,
                           Attributes& attributes);

// ", key=value" for each attribute that is not at its default or that the opcode always shows.
void PrintAttributes(const Attributes& attributes, Opcode opcode, llvm::raw_ostream& os);

// Text in double quotes, with C escapes.
void PrintString(llvm::StringRef value, llvm::raw_ostream& os);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_ATTRIBUTE_TEXT_H_
