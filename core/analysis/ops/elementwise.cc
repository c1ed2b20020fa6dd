// Maps of the elementwise ops, which compute each element from the elements of the operands at the
// same index: (d0, d1) -> (d0, d1).
#include "core/analysis/ops/op_helpers.h"

namespace affirm::analysis {

// A scalar operand of an op with an array result (the predicate of select, the bounds of clamp) is
// read whole.
InstructionIndexing ElementwiseOutputToInput(const hlo::Instruction& op, int64_t,
                                             Session& session) {
  InstructionIndexing out = NothingRead(op);
  const std::vector<int64_t>& dims = op.shape.dims;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    const hlo::Shape& in = op.operands[k]->shape;
    if (in.dims == dims) {
      out.maps[k].push_back(Exact(IndexingMap::Identity(session.context, dims)));
    } else if (in.IsScalar()) {
      out.maps[k].push_back(Exact(ReadsScalar(session.context, dims)));
    } else {
      out.maps[k].push_back(Unknown());
    }
  }
  return out;
}

}  // namespace affirm::analysis
