// Maps of bitcast and bitcast-convert: the bytes stay where they are. Transposing to the physical
// order, reshaping, and transposing back gives the map of a bitcast.
#include "core/analysis/layout.h"
#include "core/analysis/ops/movement_reshape.h"
#include "core/analysis/ops/op_helpers.h"

namespace affirm::analysis {
namespace {

// From an index of `from` to the index of the same bytes in `to`. Unknown when the elements have
// different widths.
LabeledMap BitcastMap(const hlo::Shape& from, const hlo::Shape& to, Context& context) {
  if (!from.IsArray() || !to.IsArray()) return Unknown();
  if (hlo::BitWidth(from.type) != hlo::BitWidth(to.type)) return Unknown();
  if (from.dims == to.dims && from.layout == to.layout) {
    return Exact(IndexingMap::Identity(context, from.dims));
  }
  auto from_dims = PhysicalDims(from), to_dims = PhysicalDims(to);
  if (!from_dims || !to_dims) return Unknown();
  // With tiles the two may be padded differently: through the position in memory.
  bool is_plain = from_dims->size() == from.dims.size() && to_dims->size() == to.dims.size();
  IndexingMap map = is_plain
                        ? Compose(LogicalToPhysical(from, context),
                                  Compose(ReshapeMap(context, *from_dims, *to_dims),
                                          PhysicalToLogical(to, context)))
                        : Compose(LogicalToLinear(from, context), LinearToLogical(to, context));
  return map.IsUndefined() ? Unknown() : Exact(Canonical(map));
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
