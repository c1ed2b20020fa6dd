#include "verify/kernel/emulator/finding.h"

namespace affirm::kernel {

std::string Finding::ToString() const {
  std::string text = std::string(Name(claim)) + ": " + what;
  if (!buffer.empty()) text += ", " + buffer;
  if (element >= 0 || byte >= 0) {
    text += ", element " + std::to_string(element) + " (byte " + std::to_string(byte) + ")";
  }
  if (block >= 0) text += ", block " + std::to_string(block);
  if (thread >= 0) text += ", thread " + std::to_string(thread);
  if (line > 0) text += ", line " + std::to_string(line) + ": " + instruction;
  return text;
}

}  // namespace affirm::kernel
