// Maps of slice, pad and concatenate, which take parts of arrays or put arrays together.
#include "core/analysis/inverse.h"
#include "core/analysis/ops/op_helpers.h"

namespace affirm::analysis {
namespace {

// The index in the padded array of each element of pad's operand: (d0 * (interior + 1) + low, ..).
// Negative padding drops elements: their indices lie outside of the padded array.
IndexingMap PaddedIndex(const hlo::Instruction& op, Context& context) {
  const std::vector<int64_t>& in = op.operands[0]->shape.dims;
  std::vector<SymbolicExpr> results;
  for (size_t i = 0; i < in.size(); ++i) {
    const hlo::PaddingDimension& p = op.attributes.padding[i];
    results.push_back(context.Dim(i) * (p.interior + 1) + p.low);
  }
  return IndexingMap::FromShapes(context, results, in, {});
}

bool IsPadWellFormed(const hlo::Instruction& op) {
  const hlo::Shape& in = op.operands[0]->shape;
  if (in.rank() != op.shape.rank() || op.attributes.padding.size() != in.dims.size()) return false;
  for (const hlo::PaddingDimension& p : op.attributes.padding) {
    if (p.interior < 0 || p.interior == kInt64Max) return false;
  }
  return true;
}

// Where the result holds the padding value: in some dim before the first element, behind the last,
// or between two.
LabeledMap PaddingValue(const hlo::Instruction& op, Context& context) {
  IndexingMap map = ReadsScalar(context, op.shape.dims);
  std::vector<SymbolicExpr> outside;
  for (int64_t i = 0; i < op.shape.rank(); ++i) {
    const hlo::PaddingDimension& p = op.attributes.padding[i];
    int64_t n = op.operands[0]->shape.dims[i];
    if (n == 0) return Exact(std::move(map));
    SymbolicExpr from_first = context.Dim(i) - p.low;
    SymbolicExpr from_last = from_first - context.Constant(p.interior + 1) * (n - 1);
    outside.insert(outside.end(), {-from_first, from_last});
    if (p.interior > 0) outside.push_back(from_first.Mod(p.interior + 1));
  }
  // A scalar has no padding.
  if (outside.empty()) return Exact(IndexingMap::KnownEmpty(context));
  map.AddConstraint(context.Max(outside), {1, kInt64Max});
  return Exact(Canonical(map));
}

}  // namespace

InstructionIndexing SliceOutputToInput(const hlo::Instruction& op, int64_t, Session& session) {
  if (static_cast<int64_t>(op.attributes.slice.size()) != op.shape.rank()) {
    return UnknownOutputToInput(op, 0, session);
  }
  std::vector<SymbolicExpr> results;
  for (int64_t i = 0; i < op.shape.rank(); ++i) {
    const hlo::SliceDimension& s = op.attributes.slice[i];
    results.push_back(session.context.Dim(i) * s.stride + s.start);
  }
  return OneOperand(op,
                    Exact(IndexingMap::FromShapes(session.context, results, op.shape.dims, {})));
}

// Maps an element of the result to the operand if it holds one, else to the padding value. As XLA
// prints it, the map to the padding value covers the whole result by default.
InstructionIndexing PadOutputToInput(const hlo::Instruction& op, int64_t, Session& session) {
  if (!IsPadWellFormed(op)) return UnknownOutputToInput(op, 0, session);
  InstructionIndexing out = NothingRead(op);
  IndexingMap input_to_output = PaddedIndex(op, session.context);
  out.maps[0].push_back(Exact(Inverse(input_to_output, op.shape.dims)));
  IndexingMap everywhere = ReadsScalar(session.context, op.shape.dims);
  if (Canonical(out.maps[0][0].map).IsKnownEmpty()) {
    out.maps[1].push_back(Exact(std::move(everywhere)));
  } else {
    out.maps[1].push_back(session.options.exact ? PaddingValue(op, session.context)
                                                : OverApproximate(std::move(everywhere)));
  }
  return out;
}

InstructionIndexing PadInputToOutput(const hlo::Instruction& op, int64_t operand,
                                     Session& session) {
  if (operand == 1 || !IsPadWellFormed(op)) return InvertedInputToOutput(op, operand, session);
  InstructionIndexing out = NothingWritten(op);
  IndexingMap inside = PaddedIndex(op, session.context);
  for (int64_t i = 0; i < op.shape.rank(); ++i) {
    inside.AddConstraint(inside.results()[i], {0, op.shape.dims[i] - 1});
    if (inside.state() != IndexingMap::State::kNormal) break;
  }
  out.maps[0].push_back(Exact(Canonical(inside)));
  return out;
}

InstructionIndexing ConcatenateOutputToInput(const hlo::Instruction& op, int64_t,
                                             Session& session) {
  if (op.attributes.dimensions.size() != 1 ||
      !AreDistinctDims(op.attributes.dimensions, op.shape.rank())) {
    return UnknownOutputToInput(op, 0, session);
  }
  InstructionIndexing out = NothingRead(op);
  int64_t along = op.attributes.dimensions[0];
  int64_t offset = 0;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    const hlo::Shape& in = op.operands[k]->shape;
    if (in.rank() != op.shape.rank()) return UnknownOutputToInput(op, 0, session);
    IndexingMap map = IndexingMap::Identity(session.context, op.shape.dims);
    std::vector<SymbolicExpr> results = Dims(session.context, op.shape.rank());
    results[along] = results[along] - offset;
    map.SetResults(results);
    map.SetBounds(VarKind::kDim, along, {offset, offset + in.dims[along] - 1});
    out.maps[k].push_back(Exact(std::move(map)));
    offset += in.dims[along];
  }
  return out;
}

}  // namespace affirm::analysis
