// Maps of the ops that call computations: fusion, call, conditional, while, async-start and -done.
#include "core/analysis/computation.h"
#include "core/analysis/ops/op_helpers.h"

namespace affirm::analysis {
namespace {

// The called computation takes the operands and gives the result.
bool FitsCall(const hlo::Instruction& op, const hlo::Shape& result) {
  if (op.called.size() != 1 || !op.called[0] || !op.called[0]->root) return false;
  const hlo::Computation& callee = *op.called[0];
  return callee.parameters.size() == op.operands.size() &&
         NumLeaves(callee.root->shape) == NumLeaves(result);
}

// Follows leaf `leaf` of `op` through tuples and their elements. The leaf of parameter 0 that it
// is, or -1.
int64_t ParameterLeaf(const hlo::Instruction* op, int64_t leaf) {
  while (true) {
    if (op->opcode == hlo::Opcode::kParameter) return op->parameter_number == 0 ? leaf : -1;
    if (op->opcode == hlo::Opcode::kGetTupleElement && op->operands.size() == 1) {
      int64_t first = FirstLeafOfElement(op->operands[0]->shape, op->attributes.tuple_index);
      if (first < 0) return -1;
      leaf += first;
      op = op->operands[0];
    } else if (op->opcode == hlo::Opcode::kTuple) {
      size_t k = 0;
      for (; k < op->operands.size(); ++k) {
        int64_t n = NumLeaves(op->operands[k]->shape);
        if (leaf < n) break;
        leaf -= n;
      }
      if (k == op->operands.size()) return -1;
      op = op->operands[k];
    } else {
      return -1;
    }
  }
}

// The branch that runs, when the predicate or index is a constant; else -1. An index out of range
// runs the last one.
int64_t KnownBranch(const hlo::Instruction& op) {
  const hlo::Instruction& choice = *op.operands[0];
  if (choice.opcode != hlo::Opcode::kConstant || !choice.literal || !choice.shape.IsScalar()) {
    return -1;
  }
  int64_t v = choice.literal->GetInt(0), last = static_cast<int64_t>(op.called.size()) - 1;
  if (choice.shape.type == hlo::PrimitiveType::kPred) return v ? 0 : last;
  return v < 0 || v > last ? last : v;
}

// Leaf `id` of what the called computation gives.
InstructionIndexing CallResult(const hlo::Instruction& op, int64_t id, Session& session) {
  InstructionIndexing out = ToParameters(*op.called[0], id, session);
  return out.maps.size() == op.operands.size() ? out : UnknownOutputToInput(op, id, session);
}

}  // namespace

InstructionIndexing CallOutputToInput(const hlo::Instruction& op, int64_t id, Session& session) {
  if (!FitsCall(op, op.shape)) return UnknownOutputToInput(op, id, session);
  return CallResult(op, id, session);
}

InstructionIndexing CallInputToOutput(const hlo::Instruction& op, int64_t operand,
                                      Session& session) {
  if (!FitsCall(op, op.shape)) return UnknownInputToOutput(op, operand, session);
  InstructionIndexing out = FromParameter(*op.called[0], operand, session);
  bool ok = static_cast<int64_t>(out.maps.size()) == NumLeaves(op.shape);
  return ok ? out : UnknownInputToOutput(op, operand, session);
}

// Operands: the predicate or branch index, then one argument per branch. Where it is not known
// which branch runs, the maps are over-approximate.
InstructionIndexing ConditionalOutputToInput(const hlo::Instruction& op, int64_t id,
                                             Session& session) {
  InstructionIndexing out = NothingRead(op);
  if (op.operands.size() != op.called.size() + 1 || op.called.empty()) {
    return UnknownOutputToInput(op, id, session);
  }
  out.maps[0].push_back(Exact(ReadsScalar(session.context, LeafShape(op.shape, id)->dims)));
  int64_t known = KnownBranch(op);
  for (size_t b = 0; b < op.called.size(); ++b) {
    if (known >= 0 && known != static_cast<int64_t>(b)) continue;
    InstructionIndexing branch = ToParameters(*op.called[b], id, session);
    if (branch.maps.size() != 1) return UnknownOutputToInput(op, id, session);
    for (LabeledMap m : branch.maps[0]) {
      if (known < 0) m.exactness = Weaker(m.exactness, Exactness::kOverApproximate);
      out.maps[b + 1].push_back(std::move(m));
    }
  }
  return out;
}

// A leaf that the body passes through unchanged is that of the operand; what the others read
// depends on the trip count.
InstructionIndexing WhileOutputToInput(const hlo::Instruction& op, int64_t id, Session& session) {
  for (size_t i = 0; i < op.called.size(); ++i) {
    bool is_body = i < op.called_as.size() && op.called_as[i] == "body";
    if (!is_body || !op.called[i] || !op.called[i]->root) continue;
    if (ParameterLeaf(op.called[i]->root, id) == id) {
      return PassThroughOutputToInput(op, id, session);
    }
  }
  return UnknownOutputToInput(op, id, session);
}

// async-start gives ((operands), result, contexts).
InstructionIndexing AsyncStartOutputToInput(const hlo::Instruction& op, int64_t id,
                                            Session& session) {
  if (!op.shape.IsTuple() || op.shape.tuple.size() < 2 || !FitsCall(op, op.shape.tuple[1])) {
    return UnknownOutputToInput(op, id, session);
  }
  int64_t operands = NumLeaves(op.shape.tuple[0]);
  if (id < operands) return PassThroughOutputToInput(op, id, session);
  if (id >= operands + NumLeaves(op.shape.tuple[1])) return NothingRead(op);
  return CallResult(op, id - operands, session);
}

// The result within what async-start gives.
InstructionIndexing AsyncDoneOutputToInput(const hlo::Instruction& op, int64_t id,
                                           Session& session) {
  const hlo::Shape& in = op.operands[0]->shape;
  const hlo::Shape& result = *LeafShape(op.shape, id);
  if (!in.IsTuple() || in.tuple.size() < 2) return UnknownOutputToInput(op, id, session);
  int64_t leaf = NumLeaves(in.tuple[0]) + id;
  const hlo::Shape* from = LeafShape(in, leaf);
  if (!from || from->dims != result.dims) return UnknownOutputToInput(op, id, session);
  InstructionIndexing out = NothingRead(op);
  out.maps[0].push_back(Exact(IndexingMap::Identity(session.context, result.dims), leaf));
  return out;
}

}  // namespace affirm::analysis
