// Physical shapes and the maps between logical indices, physical indices and positions in memory.
#include "core/analysis/layout.h"

#include <algorithm>

#include "core/analysis/ops/movement_reshape.h"
#include "core/analysis/ops/op_helpers.h"
#include "core/hlo/tiles.h"

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

// Puts dims of size one in front until there are at least `rank`.
void PadRank(std::vector<int64_t>& sizes, size_t rank) {
  if (sizes.size() < rank) sizes.insert(sizes.begin(), rank - sizes.size(), 1);
}

// The sizes before the first tile and after each; nullopt as for PhysicalDims.
std::optional<std::vector<std::vector<int64_t>>> TilingSteps(const hlo::Shape& shape,
                                                             llvm::ArrayRef<hlo::TileSizes> tiles) {
  std::vector<int64_t> sizes;
  for (int64_t d : MajorToMinor(shape)) sizes.push_back(shape.dims[d]);
  std::vector<std::vector<int64_t>> steps = {sizes};
  for (const hlo::TileSizes& tile : tiles) {
    PadRank(sizes, tile.size());
    for (size_t i = 0; i < tile.size(); ++i) {
      int64_t& n = sizes[sizes.size() - tile.size() + i];
      n = CeilDivUnchecked(n, tile[i]);
      if (!CheckedMul(n, tile[i])) return std::nullopt;
    }
    sizes.insert(sizes.end(), tile.begin(), tile.end());
    steps.push_back(sizes);
  }
  return steps;
}

}  // namespace

std::optional<std::vector<int64_t>> PhysicalDims(const hlo::Shape& shape) {
  auto tiles = hlo::Tiles(shape);
  auto steps = tiles ? TilingSteps(shape, *tiles) : std::nullopt;
  return steps ? std::optional(steps->back()) : std::nullopt;
}

IndexingMap LogicalToPhysical(const hlo::Shape& shape, Context& context) {
  auto tiles = hlo::Tiles(shape);
  if (!tiles || !TilingSteps(shape, *tiles)) return IndexingMap::Undefined();
  std::vector<SymbolicExpr> index;
  for (int64_t d : MajorToMinor(shape)) index.push_back(context.Dim(d));
  for (const hlo::TileSizes& tile : *tiles) {
    if (index.size() < tile.size()) {
      index.insert(index.begin(), tile.size() - index.size(), context.Constant(0));
    }
    size_t first = index.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) {
      SymbolicExpr e = index[first + i];
      index.push_back(e.Mod(tile[i]));
      index[first + i] = e.FloorDiv(tile[i]);
    }
  }
  return analysis::Canonical(IndexingMap::FromShapes(context, index, shape.dims, {}));
}

IndexingMap PhysicalToLogical(const hlo::Shape& shape, Context& context) {
  auto tiles = hlo::Tiles(shape);
  auto steps = tiles ? TilingSteps(shape, *tiles) : std::nullopt;
  if (!steps) return IndexingMap::Undefined();
  std::vector<SymbolicExpr> index =
      analysis::Dims(context, static_cast<int64_t>(steps->back().size()));
  std::vector<Constraint> inside;
  for (size_t t = tiles->size(); t-- > 0;) {
    const hlo::TileSizes& tile = (*tiles)[t];
    std::vector<int64_t> sizes = (*steps)[t];
    PadRank(sizes, tile.size());
    size_t first = sizes.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) {
      SymbolicExpr e = index[first + i] * tile[i] + index[sizes.size() + i];
      inside.push_back({e, {0, sizes[first + i] - 1}});
      index[first + i] = e;
    }
    // Dims that were put in front go again.
    size_t extra = sizes.size() - (*steps)[t].size();
    index = std::vector<SymbolicExpr>(index.begin() + static_cast<std::ptrdiff_t>(extra),
                                      index.begin() + static_cast<std::ptrdiff_t>(sizes.size()));
  }
  std::vector<int64_t> order = MajorToMinor(shape);
  std::vector<SymbolicExpr> results(order.size());
  for (size_t i = 0; i < order.size(); ++i) results[order[i]] = index[i];
  return analysis::Canonical(IndexingMap::FromShapes(context, results, steps->back(), {}, inside));
}

namespace {

// How many positions the array takes in memory.
std::optional<int64_t> NumPositions(llvm::ArrayRef<int64_t> physical) {
  int64_t n = 1;
  for (int64_t s : physical) {
    auto product = CheckedMul(n, s);
    if (!product) return std::nullopt;
    n = *product;
  }
  return n;
}

}  // namespace

IndexingMap LogicalToLinear(const hlo::Shape& shape, Context& context) {
  auto physical = PhysicalDims(shape);
  auto n = physical ? NumPositions(*physical) : std::nullopt;
  if (!n) return IndexingMap::Undefined();
  return analysis::Canonical(
      Compose(LogicalToPhysical(shape, context), analysis::ReshapeMap(context, *physical, {*n})));
}

IndexingMap LinearToLogical(const hlo::Shape& shape, Context& context) {
  auto physical = PhysicalDims(shape);
  auto n = physical ? NumPositions(*physical) : std::nullopt;
  if (!n) return IndexingMap::Undefined();
  return analysis::Canonical(
      Compose(analysis::ReshapeMap(context, {*n}, *physical), PhysicalToLogical(shape, context)));
}

InstructionIndexing ToPhysical(const hlo::Instruction& instruction,
                               const InstructionIndexing& indexing, Direction direction, int64_t id,
                               Context& context) {
  bool is_output_to_input = direction == Direction::kOutputToInput;
  // The array at the far end of a map of list k: of operand k, or leaf k of the result.
  auto other = [&](size_t k, const LabeledMap& m) {
    return is_output_to_input ? LeafShape(instruction.operands[k]->shape, m.leaf)
                              : LeafShape(instruction.shape, static_cast<int64_t>(k));
  };
  auto start = [&](const LabeledMap& m) {
    return is_output_to_input ? LeafShape(instruction.shape, id)
                              : LeafShape(instruction.operands[id]->shape, m.leaf);
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
        if (physical.map.IsUndefined()) physical = analysis::Unknown(m.leaf);
        if (physical.replica_id)
          physical.replica_id = analysis::Canonical(Compose(in, *physical.replica_id));
      }
      analysis::AddDistinct(out.maps[k], std::move(physical));
    }
  }
  return out;
}

}  // namespace affirm
