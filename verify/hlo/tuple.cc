// Tuples and their elements: which leaf array of an operand is which leaf array of the result.
#include "verify/hlo/meanings.h"

namespace affirm::meaning {

// The leaves of the operands one behind the other are those of the result.
Answer Tuple(const Query& q) {
  int64_t leaf = q.leaf;
  for (int64_t k = 0; k < q.operand; ++k) leaf += NumLeaves(q.op.operands[k]->shape);
  return leaf == q.output_id ? SameIndex(q) : Answer(Nothing(q));
}

Answer GetTupleElement(const Query& q) {
  int64_t first = FirstLeafOfElement(q.op.operands[0]->shape, q.op.attributes.tuple_index);
  if (first < 0) return std::nullopt;
  return first + q.output_id == q.leaf ? SameIndex(q) : Answer(Nothing(q));
}

// (destination, source, context) of the operand.
Answer CopyStart(const Query& q) { return q.output_id < 2 ? SameIndex(q) : Answer(Nothing(q)); }

// Leaf k of the result is leaf k of the operand.
Answer CopyDone(const Query& q) {
  return q.leaf == q.output_id ? SameIndex(q) : Answer(Nothing(q));
}

// Gives ((operands), result, contexts).
Answer AsyncStart(const Query& q) {
  if (!q.op.shape.IsTuple() || q.op.shape.tuple.size() < 2) return std::nullopt;
  int64_t operands = NumLeaves(q.op.shape.tuple[0]);
  int64_t results = NumLeaves(q.op.shape.tuple[1]);
  if (q.output_id < operands) return Tuple(q);
  return q.output_id < operands + results ? std::nullopt : Answer(Nothing(q));
}

// Every element depends on which branch runs; what that reads is for ProveFusion.
Answer Conditional(const Query& q) {
  return q.operand == 0 && q.input.IsScalar() ? Answer(Everything(q)) : std::nullopt;
}

// The operand is ((operands), result, contexts).
Answer AsyncDone(const Query& q) {
  const hlo::Shape& in = q.op.operands[0]->shape;
  if (!in.IsTuple() || in.tuple.size() < 2) return std::nullopt;
  int64_t first = NumLeaves(in.tuple[0]);
  return q.leaf == first + q.output_id ? SameIndex(q) : Answer(Nothing(q));
}

namespace {

// Whether leaf `leaf` of what `op` gives is leaf `wanted` of parameter 0, moved about in tuples
// only.
bool IsParameterLeaf(const hlo::Instruction& op, int64_t leaf, int64_t wanted) {
  switch (op.opcode) {
    case hlo::Opcode::kParameter:
      return op.parameter_number == 0 && leaf == wanted;
    case hlo::Opcode::kTuple:
      for (const hlo::Instruction* operand : op.operands) {
        int64_t leaves = NumLeaves(operand->shape);
        if (leaf < leaves) return IsParameterLeaf(*operand, leaf, wanted);
        leaf -= leaves;
      }
      return false;
    case hlo::Opcode::kGetTupleElement: {
      int64_t first = FirstLeafOfElement(op.operands[0]->shape, op.attributes.tuple_index);
      return first >= 0 && IsParameterLeaf(*op.operands[0], first + leaf, wanted);
    }
    default:
      return false;
  }
}

}  // namespace

// A leaf that every trip hands through is the operand's; what another one reads depends on the
// number of trips.
Answer While(const Query& q) {
  for (size_t i = 0; i < q.op.called.size() && i < q.op.called_as.size(); ++i) {
    const hlo::Computation* body = q.op.called[i];
    if (q.op.called_as[i] != "body" || !body || !body->root) continue;
    if (!IsParameterLeaf(*body->root, q.output_id, q.output_id)) return std::nullopt;
    return q.leaf == q.output_id ? SameIndex(q) : Answer(Nothing(q));
  }
  return std::nullopt;
}

}  // namespace affirm::meaning
