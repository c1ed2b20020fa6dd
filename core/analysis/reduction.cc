// Ops that combine along whole dimensions: reduce, scan, sort, top-k.
#include "core/analysis/op_helpers.h"

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

// (d0, ..)[s0] -> the row of the array along `along`.
IndexingMap Row(Context& context, llvm::ArrayRef<int64_t> out, llvm::ArrayRef<int64_t> in,
                int64_t along) {
  std::vector<SymbolicExpr> results;
  for (size_t i = 0; i < out.size(); ++i) results.push_back(context.Dim(i));
  results[along] = context.Range(0);
  return IndexingMap::FromShapes(context, results, out, {in[along]});
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
