// copy, reshape, broadcast, transpose and reverse: an element of the result is one of the operand.
#include "verify/hlo/values/op_values.h"

namespace affirm::hlo_values {

Value Copy(const Query& q) { return q.Operand(0, q.index, q.leaf); }

// Both have their elements in the same row-major order, whatever their layouts are.
Value Reshape(const Query& q) {
  return q.Operand(0, Regroup(q.scope(), q.shape().dims, q.index, q.operand(0).dims));
}

// Operand dimension d is result dimension dimensions[d].
Value Broadcast(const Query& q) {
  Index index;
  for (int64_t d : q.op.attributes.dimensions) index.push_back(q.index[d]);
  return q.Operand(0, index);
}

// Dimension d of the result is dimension dimensions[d] of the operand.
Value Transpose(const Query& q) {
  Index index(q.index.size());
  for (size_t d = 0; d < index.size(); ++d) index[q.op.attributes.dimensions[d]] = q.index[d];
  return q.Operand(0, index);
}

Value Reverse(const Query& q) {
  Index index = q.index.vec();
  for (int64_t d : q.op.attributes.dimensions)
    index[d] = q.pool().Subtract(q.pool().Number(q.shape().dims[d] - 1), index[d]);
  return q.Operand(0, index);
}

}  // namespace affirm::hlo_values
