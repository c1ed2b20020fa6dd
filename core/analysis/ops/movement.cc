// Maps of broadcast, transpose and reverse, which move elements and compute nothing. Of a transpose
// with dimensions={1,0}: (d0, d1) -> (d1, d0).
#include "core/analysis/ops/op_helpers.h"

namespace affirm::analysis {

InstructionIndexing BroadcastOutputToInput(const hlo::Instruction& op, int64_t, Session& session) {
  if (!AreDistinctDims(op.attributes.dimensions, op.shape.rank())) {
    return UnknownOutputToInput(op, 0, session);
  }
  std::vector<SymbolicExpr> results;
  results.reserve(op.attributes.dimensions.size());
  for (int64_t d : op.attributes.dimensions) results.push_back(session.context.Dim(d));
  return OneOperand(op,
                    Exact(IndexingMap::FromShapes(session.context, results, op.shape.dims, {})));
}

InstructionIndexing TransposeOutputToInput(const hlo::Instruction& op, int64_t, Session& session) {
  const std::vector<int64_t>& permutation = op.attributes.dimensions;
  if (static_cast<int64_t>(permutation.size()) != op.shape.rank() ||
      !AreDistinctDims(permutation, op.shape.rank())) {
    return UnknownOutputToInput(op, 0, session);
  }
  // Result dimension i is operand dimension permutation[i].
  std::vector<SymbolicExpr> results(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) results[permutation[i]] = session.context.Dim(i);
  return OneOperand(op,
                    Exact(IndexingMap::FromShapes(session.context, results, op.shape.dims, {})));
}

InstructionIndexing ReverseOutputToInput(const hlo::Instruction& op, int64_t, Session& session) {
  std::vector<SymbolicExpr> results;
  for (int64_t i = 0; i < op.shape.rank(); ++i) {
    SymbolicExpr d = session.context.Dim(i);
    results.push_back(Contains(op.attributes.dimensions, i) ? -d + (op.shape.dims[i] - 1) : d);
  }
  return OneOperand(op,
                    Exact(IndexingMap::FromShapes(session.context, results, op.shape.dims, {})));
}

}  // namespace affirm::analysis
