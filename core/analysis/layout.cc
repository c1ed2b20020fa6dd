#include "core/analysis/layout.h"

#include <algorithm>

#include "core/analysis/op_helpers.h"
#include "core/analysis/reshape.h"

namespace affirm {
namespace {

// Logical dims, most major first. The default order when a layout is not a permutation of the dims.
std::vector<int64_t> MajorToMinor(const hlo::Shape& shape) {
  std::vector<int64_t> order = shape.MinorToMajor();
  std::reverse(order.begin(), order.end());
  bool ok = static_cast<int64_t>(order.size()) == shape.rank() &&
            analysis::AreDistinctDims(order, shape.rank());
  if (!ok) {
    order.clear();
    for (int64_t i = 0; i < shape.rank(); ++i) order.push_back(i);
  }
  return order;
}

}  // namespace

std::vector<int64_t> PhysicalDims(const hlo::Shape& shape) {
  std::vector<int64_t> sizes;
  for (int64_t d : MajorToMinor(shape)) sizes.push_back(shape.dims[d]);
  return sizes;
}

IndexingMap LogicalToPhysical(const hlo::Shape& shape, Context& context) {
  std::vector<SymbolicExpr> results;
  for (int64_t d : MajorToMinor(shape)) results.push_back(context.Dim(d));
  return IndexingMap::FromShapes(context, results, shape.dims, {});
}

IndexingMap PhysicalToLogical(const hlo::Shape& shape, Context& context) {
  std::vector<int64_t> order = MajorToMinor(shape);
  std::vector<SymbolicExpr> results(order.size());
  for (size_t i = 0; i < order.size(); ++i) results[order[i]] = context.Dim(i);
  return IndexingMap::FromShapes(context, results, PhysicalDims(shape), {});
}

IndexingMap LogicalToLinear(const hlo::Shape& shape, Context& context) {
  std::vector<int64_t> physical = PhysicalDims(shape);
  int64_t n = 1;
  for (int64_t s : physical) {
    auto product = CheckedMul(n, s);
    if (!product) return IndexingMap::Undefined();
    n = *product;
  }
  return analysis::Canonical(
      Compose(LogicalToPhysical(shape, context), analysis::ReshapeMap(context, physical, {n})));
}

IndexingMap LinearToLogical(const hlo::Shape& shape, Context& context) {
  std::vector<int64_t> physical = PhysicalDims(shape);
  int64_t n = 1;
  for (int64_t s : physical) {
    auto product = CheckedMul(n, s);
    if (!product) return IndexingMap::Undefined();
    n = *product;
  }
  return analysis::Canonical(
      Compose(analysis::ReshapeMap(context, {n}, physical), PhysicalToLogical(shape, context)));
}

InstructionIndexing ToPhysical(const hlo::Instruction& instruction,
                               const InstructionIndexing& indexing, Direction direction, int64_t id,
                               Context& context) {
  bool backward = direction == Direction::kOutputToInput;
  // The array on the side of the operands or results that list k and its map speak of.
  auto other = [&](size_t k, const LabeledMap& m) {
    return backward ? analysis::LeafShape(instruction.operands[k]->shape, m.leaf)
                    : analysis::LeafShape(instruction.shape, static_cast<int64_t>(k));
  };
  auto start = [&](const LabeledMap& m) {
    return backward ? analysis::LeafShape(instruction.shape, id)
                    : analysis::LeafShape(instruction.operands[id]->shape, m.leaf);
  };
  InstructionIndexing out;
  out.maps.resize(indexing.maps.size());
  for (size_t k = 0; k < indexing.maps.size(); ++k) {
    for (const LabeledMap& m : indexing.maps[k]) {
      LabeledMap physical = m;
      const hlo::Shape* from = start(m);
      const hlo::Shape* to = other(k, m);
      if (from && to && !m.map.IsUndefined()) {
        IndexingMap in = PhysicalToLogical(*from, context);
        physical.map =
            analysis::Canonical(Compose(in, Compose(m.map, LogicalToPhysical(*to, context))));
        if (m.replica_id) physical.replica_id = analysis::Canonical(Compose(in, *m.replica_id));
      }
      analysis::AddDistinct(out.maps[k], std::move(physical));
    }
  }
  return out;
}

}  // namespace affirm
