// Batch normalization: training, inference and gradient.
#include <utility>

#include "core/hlo/attribute_values.h"
#include "verify/hlo/meanings.h"

namespace affirm::meaning {
// Result 0 has the array's shape, the others hold a number a feature. All that belongs to a feature
// may depend on all that belongs to it: its slice of the arrays, its entry in the vectors. Only
// inference, which is given the statistics, reads the array at the element itself.
Answer BatchNorm(const Query& q) {
  const hlo::Shape& array = q.op.operands[0]->shape;
  int64_t dim = hlo::IntegerAttribute(q.op.attributes, "feature_index").value_or(-1);
  if (dim < 0 || dim >= array.rank()) return std::nullopt;
  bool from_array = q.output_id == 0, to_array = q.input.dims == array.dims;
  if (from_array ? q.output.dims != array.dims : q.out_rank() != 1) return std::nullopt;
  if (q.op.opcode == hlo::Opcode::kBatchNormInference && q.operand == 0) return SameIndex(q);
  if (!to_array || (q.operand > 0 && q.in_rank() == 1)) {
    if (q.in_rank() != 1 || q.input.dims[0] != array.dims[dim]) return std::nullopt;
    to_array = false;
  }
  SymbolicExpr feature = q.Out(from_array ? dim : 0);
  return AtMost(All(q, {Formula::Eq(q.In(to_array ? dim : 0), feature)}));
}

}  // namespace affirm::meaning
