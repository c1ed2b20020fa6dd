// Splits "slice-start" into async-start and slice.
#include "core/hlo/async_opcode.h"

namespace affirm::hlo {

AsyncForm AsyncFormOf(llvm::StringRef opcode_text) {
  struct Suffix {
    llvm::StringLiteral text;
    Opcode opcode;
  };
  constexpr Suffix kSuffixes[] = {{"-start", Opcode::kAsyncStart},
                                  {"-update", Opcode::kAsyncUpdate},
                                  {"-done", Opcode::kAsyncDone}};
  for (const Suffix& suffix : kSuffixes) {
    llvm::StringRef name = opcode_text;
    if (!name.consume_back(suffix.text)) continue;
    const Opcode wrapped = OpcodeFromName(name);
    if (wrapped != Opcode::kUnknown) return {suffix.opcode, wrapped};
  }
  return {};
}

}  // namespace affirm::hlo
