// Access relations of tuples, asynchronous ops and control flow: which array leaf of an operand is
// which array leaf of the result.
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {

namespace {

// The leaves of the result are those of the operands, one operand after the other.
std::optional<OperandLeaf> LeafOfOperands(const hlo::Instruction& op, int64_t leaf) {
  for (int64_t k = 0; k < std::ssize(op.operands); ++k) {
    const int64_t leaves = NumLeaves(op.operands[k]->shape);
    if (leaf < leaves) return OperandLeaf{k, leaf};
    leaf -= leaves;
  }
  return std::nullopt;
}

OptionalRelation ReadsOnly(const AccessQuery& q, const std::optional<OperandLeaf>& read) {
  if (!read) return std::nullopt;
  return *read == OperandLeaf{q.operand, q.leaf} ? SameIndex(q) : OptionalRelation(ReadsNothing(q));
}

}  // namespace

OptionalRelation HandOn(const AccessQuery& q) { return ReadsOnly(q, HandedOn(q.op, q.output_id)); }

// The result is (destination, source, context): the first two hold the operand.
OptionalRelation CopyStart(const AccessQuery& q) {
  return q.output_id < 2 ? SameIndex(q) : OptionalRelation(ReadsNothing(q));
}

// The result is ((operands), result, contexts).
OptionalRelation AsyncStart(const AccessQuery& q) {
  if (!q.op.shape.IsTuple() || q.op.shape.tuple.size() < 2) return std::nullopt;
  int64_t operands = NumLeaves(q.op.shape.tuple[0]);
  int64_t results = NumLeaves(q.op.shape.tuple[1]);
  if (q.output_id < operands) return ReadsOnly(q, LeafOfOperands(q.op, q.output_id));
  return q.output_id < operands + results ? std::nullopt : OptionalRelation(ReadsNothing(q));
}

// Every element depends on the selector. What the branches read is proved by ProveFusion.
OptionalRelation Conditional(const AccessQuery& q) {
  return q.operand == 0 && q.input.IsScalar() ? OptionalRelation(ReadsAll(q)) : std::nullopt;
}

// The operand is ((operands), result, contexts).
OptionalRelation AsyncDone(const AccessQuery& q) {
  const hlo::Shape& in = q.op.operands[0]->shape;
  if (!in.IsTuple() || in.tuple.size() < 2) return std::nullopt;
  int64_t first = NumLeaves(in.tuple[0]);
  return q.leaf == first + q.output_id ? SameIndex(q) : OptionalRelation(ReadsNothing(q));
}

namespace {

// Whether array leaf `leaf` of the op's result is leaf `wanted` of parameter 0, handed through
// tuples alone.
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

// A leaf that the body hands through is the operand's, however often the loop runs. What another
// leaf reads depends on the number of trips.
OptionalRelation While(const AccessQuery& q) {
  for (size_t i = 0; i < q.op.called.size() && i < q.op.called_as.size(); ++i) {
    const hlo::Computation* body = q.op.called[i];
    if (q.op.called_as[i] != "body" || !body || !body->root) continue;
    if (!IsParameterLeaf(*body->root, q.output_id, q.output_id)) return std::nullopt;
    return q.leaf == q.output_id ? SameIndex(q) : OptionalRelation(ReadsNothing(q));
  }
  return std::nullopt;
}

}  // namespace affirm::hlo_semantics

namespace affirm {

std::optional<OperandLeaf> HandedOn(const hlo::Instruction& op, int64_t output_id) {
  using hlo::Opcode;
  switch (op.opcode) {
    case Opcode::kTuple:
    case Opcode::kOptimizationBarrier:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
    case Opcode::kAsyncUpdate:
    case Opcode::kCopyDone:
    case Opcode::kAllReduceDone:
      return hlo_semantics::LeafOfOperands(op, output_id);
    case Opcode::kGetTupleElement: {
      const int64_t first = FirstLeafOfElement(op.operands[0]->shape, op.attributes.tuple_index);
      return first < 0 ? std::nullopt : std::optional(OperandLeaf{0, first + output_id});
    }
    default:
      return std::nullopt;
  }
}

}  // namespace affirm
