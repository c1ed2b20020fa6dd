// The error that an instruction cannot be evaluated, proved or emitted, at its place in the text.
//
//   Fail(op, "has no meaning on f8e8m0fnu")  // "3:5: error: add y has no meaning on f8e8m0fnu"
#ifndef AFFIRM_CORE_HLO_INSTRUCTION_ERROR_H_
#define AFFIRM_CORE_HLO_INSTRUCTION_ERROR_H_

#include <string>

#include "core/hlo/module.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo {

// "LINE:COLUMN: error: OPCODE NAME what". An opcode that is not known is named as it is written.
std::string MessageAt(const Instruction& instruction, const llvm::Twine& what);
// The message of MessageAt as an error with the code `invalid_argument`.
llvm::Error Fail(const Instruction& instruction, const llvm::Twine& what);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_INSTRUCTION_ERROR_H_
