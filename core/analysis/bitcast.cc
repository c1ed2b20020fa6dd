// Bitcast: the bytes stay where they are. Transposing to the physical order, reshaping and
// transposing back gives the map (seed 000).
#include "core/analysis/layout.h"
#include "core/analysis/op_helpers.h"
#include "core/analysis/reshape.h"

namespace affirm::analysis {
namespace {

bool IsTiled(const hlo::Shape& shape) {
  return shape.layout && llvm::StringRef(shape.layout->annotations).contains("T(");
}

// From an index of `from` to the index of the same bytes in `to`. Unknown when the elements have
// different widths, or when tiles put them in another order.
LabeledMap BitcastMap(const hlo::Shape& from, const hlo::Shape& to, Context& context) {
  if (!from.IsArray() || !to.IsArray()) return Unknown();
  if (hlo::BitWidth(from.type) != hlo::BitWidth(to.type)) return Unknown();
  if ((IsTiled(from) || IsTiled(to)) && !(from.dims == to.dims && from.layout == to.layout)) {
    return Unknown();
  }
  IndexingMap reshape = ReshapeMap(context, PhysicalDims(from), PhysicalDims(to));
  if (reshape.IsUndefined()) return Unknown();
  return Exact(Canonical(
      Compose(LogicalToPhysical(from, context), Compose(reshape, PhysicalToLogical(to, context)))));
}

}  // namespace

InstructionIndexing BitcastOutputToInput(const hlo::Instruction& op, int64_t, Session& session) {
  InstructionIndexing out = NothingRead(op);
  out.maps[0].push_back(BitcastMap(op.shape, op.operands[0]->shape, session.context));
  return out;
}

InstructionIndexing BitcastInputToOutput(const hlo::Instruction& op, int64_t, Session& session) {
  InstructionIndexing out = NothingWritten(op);
  out.maps[0].push_back(BitcastMap(op.operands[0]->shape, op.shape, session.context));
  return out;
}

// Between types of different widths the narrower side has one more, minor-most dimension: an
// element is made of a row of it, or is one entry of the row that a wide element splits into.
InstructionIndexing BitcastConvertOutputToInput(const hlo::Instruction& op, int64_t,
                                                Session& session) {
  InstructionIndexing out = NothingRead(op);
  Context& context = session.context;
  llvm::ArrayRef<int64_t> from = op.shape.dims;
  llvm::ArrayRef<int64_t> to = op.operands[0]->shape.dims;
  std::vector<SymbolicExpr> results;
  for (size_t i = 0; i < std::min(from.size(), to.size()); ++i) results.push_back(context.Dim(i));
  std::vector<int64_t> ranges;
  if (to.size() == from.size() + 1 && to.drop_back() == from) {
    results.push_back(context.Range(0));
    ranges.push_back(to.back());
  } else if (from != to && !(from.size() == to.size() + 1 && from.drop_back() == to)) {
    return UnknownOutputToInput(op, 0, session);
  }
  out.maps[0].push_back(Exact(IndexingMap::FromShapes(context, results, from, ranges)));
  return out;
}

}  // namespace affirm::analysis
