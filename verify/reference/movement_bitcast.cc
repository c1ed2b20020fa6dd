// bitcast and bitcast-convert, which read the bits of the operand as another type: an array is one
// stream of bits, element after element, low bits first.
#include <cstring>

#include "core/hlo/tiles.h"
#include "core/symbolic/checked.h"
#include "verify/reference/index.h"
#include "verify/reference/ops.h"

namespace affirm::hlo {
namespace {

// A function from the number of an element to its position in the stream, or back.
using Order = std::function<int64_t(int64_t)>;

bool BitAt(const Literal& literal, int64_t linear, int bit) {
  return (literal.data()[linear * ByteWidth(literal.shape().type) + bit / 8] >> (bit % 8) & 1) != 0;
}

void SetBit(Literal& literal, int64_t linear, int bit) {
  literal.data()[linear * ByteWidth(literal.shape().type) + bit / 8] |= 1 << (bit % 8);
}

// Signed types narrower than a byte are kept sign-extended.
void ExtendSign(Literal& literal) {
  if (!IsSignedInt(literal.shape().type) || BitWidth(literal.shape().type) >= 8) return;
  for (int64_t i = 0; i < literal.NumElements(); ++i) literal.SetInt(i, literal.GetInt(i));
}

// The result whose stream of bits is that of the operand. `element_at` gives the operand element at
// a position of its stream, `position_of` the position of a result element in its stream.
Result Reinterpret(const OpInvocation& call, const Order& element_at, const Order& position_of) {
  const Literal& operand = call.operand(0);
  const Shape& shape = call.instruction.shape;
  const int from_width = BitWidth(operand.shape().type), width = BitWidth(shape.type);
  Result result = NewLiteral(call);
  if (!result) return result;
  const int64_t count = result->NumElements();
  if (int128{count} * width != int128{operand.NumElements()} * from_width) {
    return Fail(call.instruction, "changes the number of bits");
  }
  if (width == from_width && width % 8 == 0) {
    const auto bytes = static_cast<size_t>(width / 8);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t from = element_at(position_of(i));
      call.Read(0, i, 0, 0, from);
      std::memcpy(result->data() + i * bytes, operand.data() + from * bytes, bytes);
    }
    return result;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = position_of(i) * width;
    int64_t last_read = -1;
    for (int bit = 0; bit < width; ++bit) {
      const int64_t from = element_at((begin + bit) / from_width);
      if (from != last_read) call.Read(0, i, 0, 0, from);
      last_read = from;
      if (BitAt(operand, from, static_cast<int>((begin + bit) % from_width)))
        SetBit(*result, i, bit);
    }
  }
  ExtendSign(*result);
  return result;
}

// The position of an index (most major first) in an array of `sizes` that is divided into tiles,
// with padding. Each further tile divides the one before.
int64_t TiledPosition(Index index, Index sizes, const std::vector<TileSizes>& tiles) {
  for (const TileSizes& tile : tiles) {
    while (sizes.size() < tile.size()) {
      sizes.insert(sizes.begin(), 1);
      index.insert(index.begin(), 0);
    }
    const size_t first = sizes.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) {
      index.push_back(index[first + i] % tile[i]);
      index[first + i] /= tile[i];
      sizes[first + i] = (sizes[first + i] + tile[i] - 1) / tile[i];
    }
    sizes.insert(sizes.end(), tile.begin(), tile.end());
  }
  int64_t position = 0;
  for (size_t d = 0; d < sizes.size(); ++d) position = position * sizes[d] + index[d];
  return position;
}

// The position in memory of every element, in row-major order of the elements.
std::vector<int64_t> PhysicalPositions(const Shape& shape, const std::vector<TileSizes>& tiles) {
  std::vector<int64_t> order = shape.MinorToMajor();
  std::reverse(order.begin(), order.end());
  std::vector<int64_t> positions;
  for (IndexIterator at(shape.dims); !at.Done(); at.Next()) {
    Index index, sizes;
    for (int64_t d : order) {
      index.push_back(at[d]);
      sizes.push_back(shape.dims[d]);
    }
    positions.push_back(TiledPosition(std::move(index), std::move(sizes), tiles));
  }
  return positions;
}

bool HasLayout(const Shape& shape) {
  std::vector<int64_t> order = shape.MinorToMajor();
  llvm::sort(order);
  for (size_t d = 0; d < order.size(); ++d) {
    if (order[d] != static_cast<int64_t>(d)) return false;
  }
  return std::ssize(order) == shape.rank();
}

}  // namespace

// In a layout, the order of the dimensions and the tiles count; its memory space does not.
Result EvaluateBitcast(const OpInvocation& call) {
  // The layout is that of the operand instruction; the literal may have another one.
  const Shape& from = call.instruction.operands[0]->shape;
  if (!HasLayout(from) || !HasLayout(call.instruction.shape)) {
    return Fail(call.instruction, "has a layout that is no permutation");
  }
  const auto tiles = Tiles(from), result_tiles = Tiles(call.instruction.shape);
  if (!tiles || !result_tiles) {
    return Fail(call.instruction, "has a layout whose tiles are no numbers");
  }
  const std::vector<int64_t> operand_positions = PhysicalPositions(from, *tiles);
  const std::vector<int64_t> result_positions =
      PhysicalPositions(call.instruction.shape, *result_tiles);
  const bool padded = !tiles->empty() || !result_tiles->empty();
  if (padded && BitWidth(from.type) != BitWidth(call.instruction.shape.type)) {
    return Fail(call.instruction, "changes the width of elements in tiles");
  }
  // The element at each position of the operand's memory; -1 for padding.
  std::vector<int64_t> operand_at;
  for (size_t i = 0; i < operand_positions.size(); ++i) {
    const size_t at = static_cast<size_t>(operand_positions[i]);
    if (at >= operand_at.size()) operand_at.resize(at + 1, -1);
    operand_at[at] = static_cast<int64_t>(i);
  }
  for (int64_t position : result_positions) {
    const bool beyond = position >= std::ssize(operand_at);
    if (padded && (beyond || operand_at[position] < 0)) {
      return Fail(call.instruction, "reads the padding of its operand");
    }
  }
  return Reinterpret(
      call, [&](int64_t position) { return operand_at[position]; },
      [&](int64_t element) { return result_positions[element]; });
}

// A wider type is split along, or joined from, a new minor dimension: the row-major streams agree.
Result EvaluateBitcastConvert(const OpInvocation& call) {
  const auto row_major = [](int64_t i) { return i; };
  return Reinterpret(call, row_major, row_major);
}

}  // namespace affirm::hlo
