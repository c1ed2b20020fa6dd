// Maps of the random number generators: rng and rng-bit-generator. (rng-get-and-update-state has no
// operands and stands with the nullary ops in the table of indexing.cc.)
#include "core/analysis/ops/op_helpers.h"

namespace affirm::analysis {

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

// The algorithm decides how much of the state an element takes: the map leads to all of it.
InstructionIndexing RngBitGeneratorOutputToInput(const hlo::Instruction& op, int64_t id,
                                                 Session& session) {
  InstructionIndexing out = NothingRead(op);
  const hlo::Shape& state = op.operands[0]->shape;
  out.maps[0].push_back(
      OverApproximate(ReadsAll(session.context, LeafShape(op.shape, id)->dims, state.dims)));
  return out;
}

}  // namespace affirm::analysis
