// Ops that make values from nothing, or from their operands' sizes and state alone.
#include "core/analysis/op_helpers.h"

namespace affirm::analysis {

// Constants, iota, parameters, ids: there is no operand to read.
InstructionIndexing NoOperandsOutputToInput(const hlo::Instruction& op, int64_t, Session&) {
  return NothingRead(op);
}

// Seed 000: the input-to-output map of iota is ()[s0, ..] -> (s0, ..).
InstructionIndexing SourceInputToOutput(const hlo::Instruction& op, int64_t, Session& session) {
  InstructionIndexing out = NothingWritten(op);
  out.maps[0].push_back(Exact(ReadsAll(session.context, {}, op.shape.dims)));
  return out;
}

// The parameters of the distribution are scalars; anything else (a shape) is read whole at most.
InstructionIndexing RngOutputToInput(const hlo::Instruction& op, int64_t, Session& session) {
  InstructionIndexing out = NothingRead(op);
  for (size_t k = 0; k < out.maps.size(); ++k) {
    const hlo::Shape& in = op.operands[k]->shape;
    IndexingMap all = ReadsAll(session.context, op.shape.dims, in.dims);
    out.maps[k].push_back(in.IsScalar() ? Exact(std::move(all)) : OverApproximate(std::move(all)));
  }
  return out;
}

// The algorithm decides how much of the state an element takes: all of it is a cover.
InstructionIndexing RngBitGeneratorOutputToInput(const hlo::Instruction& op, int64_t id,
                                                 Session& session) {
  InstructionIndexing out = NothingRead(op);
  const hlo::Shape& state = op.operands[0]->shape;
  out.maps[0].push_back(
      OverApproximate(ReadsAll(session.context, LeafShape(op.shape, id)->dims, state.dims)));
  return out;
}

// A size is no element.
InstructionIndexing GetDimensionSizeOutputToInput(const hlo::Instruction& op, int64_t, Session&) {
  return NothingRead(op);
}

InstructionIndexing SetDimensionSizeOutputToInput(const hlo::Instruction& op, int64_t,
                                                  Session& session) {
  InstructionIndexing out = NothingRead(op);
  if (op.operands[0]->shape.dims != op.shape.dims) return UnknownOutputToInput(op, 0, session);
  out.maps[0].push_back(Exact(IndexingMap::Identity(session.context, op.shape.dims)));
  out.maps[1].push_back(Exact(ReadsScalar(session.context, op.shape.dims)));
  return out;
}

}  // namespace affirm::analysis
