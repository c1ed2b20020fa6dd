#include "core/hlo/instruction_error.h"

#include <system_error>

namespace affirm::hlo {

std::string MessageAt(const Instruction& instruction, const llvm::Twine& what) {
  return (llvm::Twine(instruction.location.line) + ":" + llvm::Twine(instruction.location.column) +
          ": error: " +
          (instruction.opcode_text.empty() ? Name(instruction.opcode)
                                           : llvm::StringRef(instruction.opcode_text)) +
          " " + instruction.name + " " + what)
      .str();
}

llvm::Error Fail(const Instruction& instruction, const llvm::Twine& what) {
  return llvm::make_error<llvm::StringError>(MessageAt(instruction, what),
                                             std::make_error_code(std::errc::invalid_argument));
}

}  // namespace affirm::hlo
