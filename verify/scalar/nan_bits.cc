#include "verify/scalar/nan_bits.h"

#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo {

bool HasFloats(const Shape& shape) {
  if (shape.IsTuple()) return llvm::any_of(shape.tuple, HasFloats);
  return IsFloat(shape.type) || IsComplex(shape.type);
}

bool SeesBitsOfNaN(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
      return HasFloats(op.operands[0]->shape) && op.operands[0]->shape.type != op.shape.type;
    case Opcode::kCompare:
      return op.attributes.comparison_type == "TOTALORDER" && HasFloats(op.operands[0]->shape);
    case Opcode::kReducePrecision:  // a NaN becomes an infinity with its sign
      return op.attributes.mantissa_bits == 0 && HasFloats(op.operands[0]->shape);
    case Opcode::kTopk:
      return HasFloats(op.operands[0]->shape);
    default:
      return false;
  }
}

bool SeesBitsOfNaN(const Computation& computation) {
  return llvm::any_of(computation.instructions, [](const auto& op) {
    return SeesBitsOfNaN(*op) || llvm::any_of(op->called, [](const Computation* called) {
             return SeesBitsOfNaN(*called);
           });
  });
}

}  // namespace affirm::hlo
