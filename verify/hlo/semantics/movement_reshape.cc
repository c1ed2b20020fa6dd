// Access relations of reshape, dynamic-reshape, bitcast and bitcast-convert: both indices have the
// same position in a linear order of the elements. A reshape of f32[2,6] to f32[3,4] reads (d2, d3)
// where 4 d0 + d1 = 6 d2 + d3.
#include "core/hlo/tiles.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {
namespace {

// The position of an index when dimensions are laid out in the order given, fastest first; null
// when a stride exceeds int64.
SymbolicExpr Position(Context& context, const hlo::Shape& shape, int64_t first_variable,
                      llvm::ArrayRef<int64_t> minor_to_major) {
  SymbolicExpr sum = context.Constant(0);
  std::optional<int64_t> weight = 1;
  for (int64_t dim : minor_to_major) {
    if (!weight || dim < 0 || dim >= shape.rank()) return {};
    sum = sum + context.Dim(first_variable + dim) * *weight;
    weight = CheckedMul(*weight, shape.dims[dim]);
  }
  return sum;
}

// The position of an index (most major first) in an array of `sizes` that is divided into tiles:
// tiles are stored one behind the other, and within a tile the further tiles apply in the same way.
// Multiplies `space` by the number of elements that this takes, padding included. Null when that
// exceeds int64, and for a tile of more dimensions than the one before it.
SymbolicExpr TiledPosition(std::vector<SymbolicExpr> index, std::vector<int64_t> sizes,
                           llvm::ArrayRef<hlo::TileSizes> tiles, int64_t& space, Context& context) {
  SymbolicExpr offset = context.Constant(0);
  int64_t tile_space = 1;
  if (!tiles.empty()) {
    const hlo::TileSizes& tile = tiles.front();
    while (sizes.size() < tile.size()) {
      sizes.insert(sizes.begin(), 1);
      index.insert(index.begin(), context.Constant(0));
    }
    std::vector<SymbolicExpr> inside;
    for (size_t i = 0, at = sizes.size() - tile.size(); i < tile.size(); ++i, ++at) {
      inside.push_back(index[at].Mod(tile[i]));
      index[at] = index[at].FloorDiv(tile[i]);
      sizes[at] = CeilDivUnchecked(sizes[at], tile[i]);
    }
    if (tiles.size() > 1 && tiles[1].size() > tile.size()) return {};
    offset = TiledPosition(inside, tile, tiles.drop_front(), tile_space, context);
    if (!offset) return {};
  }
  SymbolicExpr tile_number = context.Constant(0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    tile_number = tile_number * sizes[i] + index[i];
    auto product = CheckedMul(space, sizes[i]);
    if (!product) return {};
    space = *product;
  }
  auto product = CheckedMul(space, tile_space);
  if (!product) return {};
  space = *product;
  return tile_number * tile_space + offset;
}

// The position in memory of the index whose dims are the variables from `first_variable` on.
SymbolicExpr PositionInMemory(Context& context, const hlo::Shape& shape, int64_t first_variable) {
  auto tiles = hlo::Tiles(shape);
  if (!tiles) return {};
  std::vector<int64_t> order = shape.MinorToMajor();
  if (tiles->empty()) return Position(context, shape, first_variable, order);
  std::vector<SymbolicExpr> index;
  std::vector<int64_t> sizes;
  for (int64_t dim : llvm::reverse(order)) {
    if (dim < 0 || dim >= shape.rank()) return {};
    index.push_back(context.Dim(first_variable + dim));
    sizes.push_back(shape.dims[dim]);
  }
  int64_t space = 1;
  return TiledPosition(std::move(index), std::move(sizes), *tiles, space, context);
}

std::vector<int64_t> RowMajor(int64_t rank) {
  std::vector<int64_t> order;
  for (int64_t i = rank; i-- > 0;) order.push_back(i);
  return order;
}

}  // namespace

// Reshape keeps the row-major order of the logical elements.
OptionalRelation Reshape(const AccessQuery& q) {
  if (q.output.NumElements() != q.input.NumElements()) return std::nullopt;
  SymbolicExpr out = Position(q.context, q.output, 0, RowMajor(q.out_rank()));
  SymbolicExpr in = Position(q.context, q.input, q.out_rank(), RowMajor(q.in_rank()));
  if (!out || !in) return std::nullopt;
  return Where(q, {Formula::Eq(out, in)});
}

// The other operands are the sizes of the result, one for each dimension, and at most those of its
// shape. The operand has as many elements as the shape, so the sizes are those of the shape, and
// operand 0 is read as by a reshape.
OptionalRelation DynamicReshape(const AccessQuery& q) {
  if (q.operand == 0) return Reshape(q);
  return q.input.IsScalar() ? OptionalRelation(ReadsAll(q)) : std::nullopt;
}

// Bitcast keeps the elements where they are in memory.
OptionalRelation Bitcast(const AccessQuery& q) {
  if (hlo::BitWidth(q.output.type) != hlo::BitWidth(q.input.type)) return std::nullopt;
  if (q.output.NumElements() != q.input.NumElements()) return std::nullopt;
  if (std::ssize(q.output.MinorToMajor()) != q.out_rank()) return std::nullopt;
  if (std::ssize(q.input.MinorToMajor()) != q.in_rank()) return std::nullopt;
  SymbolicExpr out = PositionInMemory(q.context, q.output, 0);
  SymbolicExpr in = PositionInMemory(q.context, q.input, q.out_rank());
  if (!out || !in) return std::nullopt;
  return Where(q, {Formula::Eq(out, in)});
}

// Elements of equal width keep their index; otherwise the wider side's element is a row of the last
// dimension of the narrower side.
OptionalRelation BitcastConvert(const AccessQuery& q) {
  if (q.in_rank() == q.out_rank()) return SameIndex(q);
  int64_t shared = std::min(q.in_rank(), q.out_rank());
  if (std::max(q.in_rank(), q.out_rank()) != shared + 1) return std::nullopt;
  std::vector<Formula> facts;
  facts.reserve(shared);
  for (int64_t i = 0; i < shared; ++i) facts.push_back(Formula::Eq(q.In(i), q.Out(i)));
  return Where(q, facts);
}

}  // namespace affirm::hlo_semantics
