// Tuples and their elements: which leaf array of an operand is which leaf array of the result.
#include "verify/hlo/meanings.h"

namespace affirm::meaning {

// The leaves of the operands one behind the other are those of the result.
Answer Tuple(const Query& q) {
  int64_t leaf = q.leaf;
  for (int64_t k = 0; k < q.operand; ++k) {
    leaf += static_cast<int64_t>(Leaves(q.op.operands[k]->shape).size());
  }
  return leaf == q.output_id ? SameIndex(q) : Answer(Nothing(q));
}

Answer GetTupleElement(const Query& q) {
  const hlo::Shape& tuple = q.op.operands[0]->shape;
  int64_t element = q.op.attributes.tuple_index;
  if (!tuple.IsTuple() || element < 0 || element >= static_cast<int64_t>(tuple.tuple.size())) {
    return std::nullopt;
  }
  int64_t leaf = q.output_id;
  for (int64_t k = 0; k < element; ++k) {
    leaf += static_cast<int64_t>(Leaves(tuple.tuple[k]).size());
  }
  return leaf == q.leaf ? SameIndex(q) : Answer(Nothing(q));
}

}  // namespace affirm::meaning
