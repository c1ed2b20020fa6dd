// Maps of tuple and get-tuple-element, and of ops that pass values through unchanged: copy-start
// and copy-done, optimization-barrier, domain, add-dependency.
#include "core/analysis/ops/op_helpers.h"

namespace affirm::analysis {
namespace {

LabeledMap LeafIdentity(const hlo::Shape& leaf, int64_t leaf_of_operand, Session& session) {
  return Exact(IndexingMap::Identity(session.context, leaf.dims), leaf_of_operand);
}

// The operand of a tuple-like op that holds output leaf `id`, and the leaf within it.
struct OperandLeaf {
  int64_t operand = -1;
  int64_t leaf = 0;
};
OperandLeaf FindLeaf(const hlo::Instruction& op, int64_t id) {
  for (size_t k = 0; k < op.operands.size(); ++k) {
    int64_t n = NumLeaves(op.operands[k]->shape);
    if (id < n) return {static_cast<int64_t>(k), id};
    id -= n;
  }
  return {};
}

bool SameDims(const hlo::Shape* a, const hlo::Shape* b) { return a && b && a->dims == b->dims; }

}  // namespace

InstructionIndexing TupleOutputToInput(const hlo::Instruction& op, int64_t id, Session& session) {
  InstructionIndexing out = NothingRead(op);
  OperandLeaf source = FindLeaf(op, id);
  if (source.operand < 0) return out;
  out.maps[source.operand].push_back(LeafIdentity(*LeafShape(op.shape, id), source.leaf, session));
  return out;
}

// The leaves of an operand are consecutive leaves of the result.
InstructionIndexing TupleInputToOutput(const hlo::Instruction& op, int64_t operand,
                                       Session& session) {
  InstructionIndexing out = NothingWritten(op);
  int64_t first = 0;
  for (int64_t k = 0; k < operand; ++k) first += NumLeaves(op.operands[k]->shape);
  for (const hlo::LeafRef& leaf : Leaves(op.operands[operand]->shape)) {
    if (first + leaf.index >= std::ssize(out.maps)) break;
    out.maps[first + leaf.index].push_back(LeafIdentity(*leaf.shape, leaf.index, session));
  }
  return out;
}

InstructionIndexing GetTupleElementOutputToInput(const hlo::Instruction& op, int64_t id,
                                                 Session& session) {
  InstructionIndexing out = NothingRead(op);
  int64_t first = FirstLeafOfElement(op.operands[0]->shape, op.attributes.tuple_index);
  if (first < 0) return UnknownOutputToInput(op, id, session);
  out.maps[0].push_back(LeafIdentity(*LeafShape(op.shape, id), first + id, session));
  return out;
}

InstructionIndexing GetTupleElementInputToOutput(const hlo::Instruction& op, int64_t operand,
                                                 Session& session) {
  InstructionIndexing out = NothingWritten(op);
  int64_t first = FirstLeafOfElement(op.operands[0]->shape, op.attributes.tuple_index);
  if (first < 0) return UnknownInputToOutput(op, operand, session);
  for (size_t id = 0; id < out.maps.size(); ++id) {
    int64_t leaf = static_cast<int64_t>(id);
    out.maps[id].push_back(LeafIdentity(*LeafShape(op.shape, leaf), first + leaf, session));
  }
  return out;
}

// Leaf k of the result is leaf k of the operands taken together (optimization-barrier, domain);
// further operands (the token of add-dependency) are not read.
InstructionIndexing PassThroughOutputToInput(const hlo::Instruction& op, int64_t id,
                                             Session& session) {
  OperandLeaf source = FindLeaf(op, id);
  if (source.operand < 0 || !SameDims(LeafShape(op.shape, id),
                                      LeafShape(op.operands[source.operand]->shape, source.leaf))) {
    return UnknownOutputToInput(op, id, session);
  }
  return TupleOutputToInput(op, id, session);
}

InstructionIndexing PassThroughInputToOutput(const hlo::Instruction& op, int64_t operand,
                                             Session& session) {
  return TupleInputToOutput(op, operand, session);
}

// copy-start gives (destination, source, context); the data are those of its operand.
InstructionIndexing CopyStartOutputToInput(const hlo::Instruction& op, int64_t id,
                                           Session& session) {
  InstructionIndexing out = NothingRead(op);
  if (id > 1) return out;
  if (!SameDims(LeafShape(op.shape, id), &op.operands[0]->shape)) {
    return UnknownOutputToInput(op, id, session);
  }
  out.maps[0].push_back(LeafIdentity(*LeafShape(op.shape, id), 0, session));
  return out;
}

// copy-done gives leaf 0 of its operand; so do the done halves whose start gives the result alone.
InstructionIndexing CopyDoneOutputToInput(const hlo::Instruction& op, int64_t id,
                                          Session& session) {
  InstructionIndexing out = NothingRead(op);
  if (!SameDims(LeafShape(op.shape, id), LeafShape(op.operands[0]->shape, id))) {
    return UnknownOutputToInput(op, id, session);
  }
  out.maps[0].push_back(LeafIdentity(*LeafShape(op.shape, id), id, session));
  return out;
}

}  // namespace affirm::analysis
