#include "core/hlo/fold_opcodes.h"

namespace affirm::hlo {

bool FoldsInAnyOrder(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
    case Opcode::kOr:
    case Opcode::kXor:
      return true;
    default:
      return false;
  }
}

}  // namespace affirm::hlo
