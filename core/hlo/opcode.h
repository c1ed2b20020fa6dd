// HLO opcodes: an enumerator, the HLO text and the number of operands of each (opcodes.def).
#ifndef AFFIRM_CORE_HLO_OPCODE_H_
#define AFFIRM_CORE_HLO_OPCODE_H_

#include <cstdint>

#include "llvm/ADT/StringRef.h"

namespace affirm::hlo {

enum class Opcode : uint8_t {
#define AFFIRM_OPCODE(id, text, arity) id,
#include "core/hlo/opcodes.def"
#undef AFFIRM_OPCODE
  kUnknown,
};

// kUnknown for a name that is not in the list.
Opcode OpcodeFromName(llvm::StringRef text);
llvm::StringRef Name(Opcode opcode);  // "?" for kUnknown
// Number of operands; -1 when it varies.
int Arity(Opcode opcode);

// One result element from the elements of the operands at the same index (select, clamp, compare
// and convert included; scalar predicates or bounds of select and clamp are then broadcast).
bool IsElementwise(Opcode opcode);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_OPCODE_H_
