// Maps of the ops without operands: constant, iota, parameter, partition-id and replica-id.
#include "core/analysis/ops/op_helpers.h"

namespace affirm::analysis {

// There is no operand to read.
InstructionIndexing NullaryOutputToInput(const hlo::Instruction& op, int64_t, Session&) {
  return NothingRead(op);
}

// The result of such an op counts as its own input, as in XLA's indexing analysis: the
// input-to-output map of iota is ()[s0, ..] -> (s0, ..).
InstructionIndexing NullaryInputToOutput(const hlo::Instruction& op, int64_t, Session& session) {
  InstructionIndexing out = NothingWritten(op);
  out.maps[0].push_back(Exact(ReadsAll(session.context, {}, op.shape.dims)));
  return out;
}

}  // namespace affirm::analysis
