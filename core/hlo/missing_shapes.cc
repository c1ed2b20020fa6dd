// Infers the shapes that the text of instructions leaves out.
#include <utility>

#include "core/hlo/parser.h"
#include "core/hlo/verifier.h"

namespace affirm::hlo {

// Shapes that the text leaves out could double with every line (a tuple of a tuple twice). An
// inferred shape is no larger than those it is inferred from.
bool InstructionListParser::ChargeInference(const Shape& shape) {
  if (--table_.budget().inferred_shapes < 0) return false;
  for (const Shape& element : shape.tuple) {
    if (!ChargeInference(element)) return false;
  }
  return true;
}

llvm::Error InstructionListParser::InferMissingShape(Instruction& instruction, size_t pos) {
  if (instruction.shape.type != PrimitiveType::kInvalid) return llvm::Error::success();
  bool affordable = true;
  for (const Instruction* operand : instruction.operands) {
    affordable = affordable && ChargeInference(operand->shape);
  }
  for (const Computation* callee : instruction.called) {
    if (callee == nullptr) {
      return scanner_.Fail(pos, "expected a shape for " + instruction.opcode_text +
                                    ", which calls a computation defined further down");
    }
    affordable = affordable && ChargeInference(callee->root->shape);
  }
  if (!affordable) {
    return scanner_.Fail(pos, "expected the shapes of tuples this large to be written");
  }
  llvm::Expected<Shape> shape = InferShape(instruction);
  if (!shape) return scanner_.Fail(pos, llvm::toString(shape.takeError()));
  instruction.shape = std::move(*shape);
  return llvm::Error::success();
}

}  // namespace affirm::hlo
