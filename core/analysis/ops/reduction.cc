// Maps of reduce and scan, which combine the elements along dimensions.
#include "core/analysis/ops/op_helpers.h"

namespace affirm::analysis {
namespace {

// (d0, ..)[s0, ..] -> the index of an array of sizes `in` that keeps the dims of the result and
// runs over all of the `reduced` dims.
IndexingMap AlongDims(Context& context, llvm::ArrayRef<int64_t> in, llvm::ArrayRef<int64_t> out,
                      llvm::ArrayRef<int64_t> reduced) {
  std::vector<SymbolicExpr> results;
  std::vector<int64_t> ranges;
  int64_t next_dim = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    if (Contains(reduced, static_cast<int64_t>(i))) {
      results.push_back(context.Range(static_cast<int64_t>(ranges.size())));
      ranges.push_back(in[i]);
    } else {
      results.push_back(context.Dim(next_dim++));
    }
  }
  return IndexingMap::FromShapes(context, results, out, ranges);
}

}  // namespace

// Every result of a variadic reduce reads all inputs along the reduced dims, and all initial
// values.
InstructionIndexing ReduceOutputToInput(const hlo::Instruction& op, int64_t id, Session& session) {
  InstructionIndexing out = NothingRead(op);
  const hlo::Shape& result = *LeafShape(op.shape, id);
  size_t inputs = op.operands.size() / 2;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    const hlo::Shape& in = op.operands[k]->shape;
    const std::vector<int64_t>& reduced = op.attributes.dimensions;
    if (k >= inputs) {
      out.maps[k].push_back(Exact(ReadsScalar(session.context, result.dims)));
    } else if (AreDistinctDims(reduced, in.rank()) &&
               in.rank() == result.rank() + static_cast<int64_t>(reduced.size())) {
      out.maps[k].push_back(Exact(AlongDims(session.context, in.dims, result.dims, reduced)));
    } else {
      out.maps[k].push_back(Unknown());
    }
  }
  return out;
}

// Operands: inputs, then `num_carries` initial carries. Results: outputs, then final carries. The
// default maps are those that XLA prints, one step's own reads; they make no claim, since the carry
// brings in what came before. The exact ones follow the carry: step i reads the slices 0..i of
// every input (from the end when reversed) and the initial carries; the body may mix the elements
// of a slice.
InstructionIndexing ScanOutputToInput(const hlo::Instruction& op, int64_t id, Session& session) {
  Context& context = session.context;
  int64_t carries = op.attributes.num_carries;
  int64_t operands = static_cast<int64_t>(op.operands.size());
  int64_t along = op.attributes.dimensions.size() == 1 ? op.attributes.dimensions[0] : -1;
  bool is_output = id < NumLeaves(op.shape) - carries;
  const std::vector<int64_t>& result = LeafShape(op.shape, id)->dims;
  InstructionIndexing out = NothingRead(op);
  for (int64_t k = 0; k < operands; ++k) {
    const hlo::Shape& in = op.operands[k]->shape;
    bool is_input = k < operands - carries;
    if (is_input && (along < 0 || along >= in.rank())) return UnknownOutputToInput(op, id, session);
    if (!session.options.exact) {
      bool same_step = is_output && is_input && result == in.dims;
      out.maps[k].push_back(Unknown());
      out.maps[k].back().map =
          same_step ? IndexingMap::Identity(context, result) : ReadsScalar(context, result);
      continue;
    }
    IndexingMap map = ReadsAll(context, result, in.dims);
    if (is_output && is_input && along < static_cast<int64_t>(result.size())) {
      SymbolicExpr steps = context.Dim(along) - context.Range(along);
      map.AddConstraint(op.attributes.is_reverse ? -steps : steps, {0, in.dims[along] - 1});
    }
    out.maps[k].push_back(OverApproximate(std::move(map)));
  }
  return out;
}

}  // namespace affirm::analysis
