// Tuples, and calls, which are built as if they stood in the caller.
#include "core/hlo/leaves.h"
#include "verify/hlo/values/op_values.h"

namespace affirm::hlo_values {

Value Tuple(const Query& q) {
  int64_t leaf = q.leaf;
  for (size_t k = 0; k < q.op.operands.size(); ++k) {
    const int64_t count = hlo::NumLeaves(q.operand(k));
    if (leaf < count) return q.Operand(k, q.index, leaf);
    leaf -= count;
  }
  return NoValueTerm(q.op);
}

Value GetTupleElement(const Query& q) {
  const int64_t first = hlo::FirstLeafOfElement(q.operand(0), q.op.attributes.tuple_index);
  return q.Operand(0, q.index, first + q.leaf);
}

// The value of the first operand; of a barrier of several, of all of them.
Value Forward(const Query& q) {
  if (q.op.opcode == hlo::Opcode::kOptimizationBarrier && q.op.operands.size() > 1) return Tuple(q);
  return q.Operand(0, q.index, q.leaf);
}

Value Call(const Query& q) {
  if (q.op.called.size() != 1) return NoValueTerm(q.op);
  Frame& frame = q.builder.Called(q.frame, q.op);
  return q.builder.At(frame, *q.op.called[0]->root, q.leaf, q.index);
}

}  // namespace affirm::hlo_values
