// Access relations of batch-norm-training, batch-norm-inference and batch-norm-grad.

#include "core/hlo/attribute_values.h"
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {

// Result 0 has the shape of the array, the others hold a number for each feature. What belongs to a
// feature, a slice of an array or an entry of a vector, may depend on all that belongs to it. Only
// inference, which is given the statistics, reads the array at the element itself.
OptionalRelation BatchNorm(const AccessQuery& q) {
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
  return UpperBound(Where(q, {Formula::Eq(q.In(to_array ? dim : 0), feature)}));
}

}  // namespace affirm::hlo_semantics
