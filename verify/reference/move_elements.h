// The loop that all ops share whose result elements are elements of an operand.
#ifndef AFFIRM_VERIFY_REFERENCE_MOVE_ELEMENTS_H_
#define AFFIRM_VERIFY_REFERENCE_MOVE_ELEMENTS_H_

#include <cstring>

#include "verify/reference/index.h"
#include "verify/reference/ops.h"

namespace affirm::hlo {

// An element of an operand.
struct OperandElement {
  int64_t operand;
  int64_t linear;
};

// The result each of whose elements is, bit for bit, the operand element that `source(at)` names
// for the index `at`; reports the reads. An element outside of the operand, or another element
// type, is an error. `return OperandElement{0, operand.Linear(reversed index)}` makes a reverse of
// it.
template <typename SourceOf>
Result MoveElements(const OpInvocation& call, SourceOf source) {
  if (!call.instruction.shape.IsArray()) return Fail(call.instruction, "gives no array");
  Result result = NewLiteral(call);
  if (!result) return result;
  const size_t width = ByteWidth(call.instruction.shape.type);
  for (IndexIterator at(call.instruction.shape.dims); !at.Done(); at.Next()) {
    const OperandElement from = source(at);
    if (from.operand < 0 || from.operand >= std::ssize(call.operands)) {
      return Fail(call.instruction, "has elements that come from no operand");
    }
    const Literal& operand = call.operand(from.operand);
    if (operand.shape().type != call.instruction.shape.type || from.linear < 0 ||
        from.linear >= operand.NumElements()) {
      return Fail(call.instruction, "does not fit its operands");
    }
    std::memcpy(result->data() + at.linear() * width, operand.data() + from.linear * width, width);
    call.Read(0, at.linear(), from.operand, 0, from.linear);
  }
  return result;
}

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_MOVE_ELEMENTS_H_
