// Maps of sort and topk: a result is some element of a row, and the values say which.
#include "core/analysis/ops/op_helpers.h"

namespace affirm::analysis {
namespace {

// (d0, ..)[s0] -> the row of the array along `along`.
IndexingMap Row(Context& context, llvm::ArrayRef<int64_t> out, llvm::ArrayRef<int64_t> in,
                int64_t along) {
  std::vector<SymbolicExpr> results = Dims(context, std::ssize(out));
  results[along] = context.Range(0);
  return IndexingMap::FromShapes(context, results, out, {in[along]});
}

}  // namespace

// An element of a sorted row may come from anywhere in the row, and the order is that of all
// operands.
InstructionIndexing SortOutputToInput(const hlo::Instruction& op, int64_t id, Session& session) {
  const hlo::Shape& result = *LeafShape(op.shape, id);
  if (op.attributes.dimensions.size() != 1 ||
      !AreDistinctDims(op.attributes.dimensions, result.rank())) {
    return UnknownOutputToInput(op, id, session);
  }
  InstructionIndexing out = NothingRead(op);
  for (size_t k = 0; k < op.operands.size(); ++k) {
    bool same = op.operands[k]->shape.dims == result.dims;
    out.maps[k].push_back(same ? OverApproximate(Row(session.context, result.dims, result.dims,
                                                     op.attributes.dimensions[0]))
                               : Unknown());
  }
  return out;
}

// The k largest of each row of the last dimension.
InstructionIndexing TopKOutputToInput(const hlo::Instruction& op, int64_t id, Session& session) {
  const hlo::Shape& result = *LeafShape(op.shape, id);
  const hlo::Shape& in = op.operands[0]->shape;
  if (in.rank() != result.rank() || in.rank() == 0) return UnknownOutputToInput(op, id, session);
  InstructionIndexing out = NothingRead(op);
  out.maps[0].push_back(OverApproximate(Row(session.context, result.dims, in.dims, in.rank() - 1)));
  return out;
}

}  // namespace affirm::analysis
