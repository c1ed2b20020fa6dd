// Expands a sort into one with a unique result, and into several launches for rows beyond a block.
//
// The interpreter's sorts are stable. If elements may compare equal and yet differ, their positions
// are one more operand, which breaks ties: then the result is unique, whatever the network. Rows
// that are too long are sorted by the network of the sort emitter in several launches. Each merge
// to 2, 4, 8, ... tiles does the compare-exchanges of each distance,
//
//   merge to 4 tiles:  0 - 3, 1 - 2 (mirrored);  0 - 1, 2 - 3;  then each tile is sorted
//
// A launch does up to three distances on one array. The exchanges within a tile are a sort of the
// tile. The last tile may be shorter, and is then sorted by a kernel of its own. No element is
// exchanged with a position behind the end of the row. verify/equivalence proves that the expansion
// equals the sort.
#include <algorithm>

#include "emit/plan/expander.h"
#include "emit/plan/sort_limits.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::emit {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;
using Arrays = std::vector<Instruction*>;

// Longer rows load their positions, and do not compute them.
constexpr int64_t kMaxPositionsMade = 128;
// Distances that one launch does on one array. With n of them an element depends on 2^n others; on
// several arrays, this would exceed what is proved.
constexpr size_t kDistancesOfALaunch = 3;

int64_t SizeOf(const Instruction& sort) {
  return sort.operands[0]->shape.dims[sort.attributes.dimensions[0]];
}

// The comparator with two positions behind its parameters. An element comes before a later one
// unless the later one is less, and before an earlier one if it is less. So one of two elements
// always comes before the other.
hlo::Computation* WithPositions(Expander& expander, const Instruction& sort) {
  hlo::Computation* made = expander.NewComputation(sort.name + ".less");
  HloBuilder b(*made);
  b.set_prefix(sort.name + ".less");
  Arrays forth, back;
  for (const Instruction* operand : sort.operands) {
    const Shape scalar = Shape::Array(operand->shape.type, {});
    forth.push_back(b.Parameter("a", scalar));
    forth.push_back(b.Parameter("b", scalar));
    back.push_back(forth.back());
    back.push_back(forth[forth.size() - 2]);
  }
  const Shape position = Shape::Array(PrimitiveType::kS32, {});
  const Shape pred = Shape::Array(PrimitiveType::kPred, {});
  Instruction* of_a = b.Parameter("position_a", position);
  Instruction* of_b = b.Parameter("position_b", position);
  Instruction* earlier = b.Compare("LT", of_a, of_b);
  Instruction* before = b.Inline(*sort.called.front(), forth);
  Instruction* behind = b.Inline(*sort.called.front(), back);
  Instruction* not_behind = b.Add(Opcode::kNot, "not_behind", pred, {behind});
  made->root = b.Add(Opcode::kSelect, "before", pred, {earlier, not_behind, before});
  return made;
}

class SortExpansion {
 public:
  SortExpansion(Expander& expander, const Instruction& sort, llvm::ArrayRef<Instruction*> operands)
      : expander_(expander),
        b_(expander.b()),
        sort_(sort),
        dimension_(sort.attributes.dimensions[0]),
        size_(SizeOf(sort)),
        has_positions_(!EqualsAreTheSame(sort)),
        less_(has_positions_ ? WithPositions(expander, sort) : sort.called.front()),
        arrays_(operands.begin(), operands.end()) {}

  Instruction* Run() {
    if (has_positions_) {
      arrays_.push_back(b_.Iota(PrimitiveType::kS32, arrays_[0]->shape.dims, dimension_));
      // In long rows the positions are loaded, like the operands, so that all sorts of tiles are
      // equal.
      if (size_ > kMaxPositionsMade) expander_.Materialize(arrays_.back());
    }
    const int64_t tile = std::min(LongestSortedRow(arrays_), size_);
    SortTiles(tile);
    for (int64_t half = tile; half < size_; half *= 2) {
      Merge(half, tile);
      SortTiles(tile);
    }
    if (has_positions_) arrays_.pop_back();
    return arrays_.size() == 1 && !sort_.shape.IsTuple() ? arrays_[0] : b_.Tuple(arrays_);
  }

 private:
  // The arrays' sizes with the sorted dimension divided.
  std::vector<int64_t> Divided(llvm::ArrayRef<int64_t> parts) const {
    std::vector<int64_t> dims = sort_.operands[0]->shape.dims;
    dims.erase(dims.begin() + dimension_);
    dims.insert(dims.begin() + dimension_, parts.begin(), parts.end());
    return dims;
  }
  // Positions `start` to `limit` - 1 of the sorted dimension.
  Instruction* Part(Instruction* array, int64_t start, int64_t limit) {
    const int64_t size = array->shape.dims[dimension_];
    if (start == 0 && limit == size) return array;
    hlo::Attributes attributes;
    for (int64_t d : array->shape.dims) attributes.slice.push_back({0, d, 1});
    attributes.slice[dimension_] = {start, limit, 1};
    return b_.Add(Opcode::kSlice, "part", Shape::Array(array->shape.type, Divided({limit - start})),
                  {array}, attributes);
  }

  void SortTiles(int64_t tile) {
    const int64_t whole = size_ / tile * tile;
    Arrays tiles = SortPart(0, whole, {whole / tile, tile});
    if (whole < size_) {
      const Arrays rest = SortPart(whole, size_, {size_ - whole});
      hlo::Attributes attributes;
      attributes.dimensions = {dimension_};
      for (size_t k = 0; k < tiles.size(); ++k) {
        tiles[k] = b_.Add(Opcode::kConcatenate, "joined",
                          Shape::Array(tiles[k]->shape.type, Divided({size_})), {tiles[k], rest[k]},
                          attributes);
      }
      expander_.Materialize(tiles);
    }
    arrays_ = std::move(tiles);
  }

  // A part of the arrays, divided into rows of which each is sorted.
  Arrays SortPart(int64_t start, int64_t limit, llvm::ArrayRef<int64_t> rows) {
    Arrays operands;
    std::vector<Shape> shapes;
    const bool is_row = rows.size() == 1 || rows.front() == 1;
    for (Instruction* array : arrays_) {
      Instruction* part = Part(array, start, limit);
      operands.push_back(is_row ? part : b_.Reshape(part, Divided(rows)));
      shapes.push_back(operands.back()->shape);
    }
    hlo::Attributes attributes;
    attributes.dimensions = {is_row ? dimension_ : dimension_ + 1};
    const bool is_one = shapes.size() == 1;
    Instruction* sorted = b_.Add(Opcode::kSort, "tiles", is_one ? shapes[0] : Shape::Tuple(shapes),
                                 operands, attributes);
    sorted->called = {less_};
    sorted->called_as = {"to_apply"};
    expander_.Materialize(sorted);
    Arrays parts;
    for (size_t k = 0; k < arrays_.size(); ++k) {
      Instruction* part = is_one ? sorted : b_.Element(sorted, static_cast<int64_t>(k));
      parts.push_back(b_.Reshape(part, Divided({limit - start})));
    }
    return parts;
  }

  // Merges parts of size `half` into parts of twice the size, in which each tile has yet to be
  // sorted. Launches group the distances from the smallest up, so that later merges repeat
  // launches.
  void Merge(int64_t half, int64_t tile) {
    const size_t at_once = arrays_.size() == 1 ? kDistancesOfALaunch : 1;
    std::vector<int64_t> distances;
    for (int64_t distance = tile; distance <= half; distance *= 2) distances.push_back(distance);
    for (size_t left = distances.size(); left-- > 0;) {
      Exchange(distances[left], distances[left] == half);
      if (left % at_once == 0) expander_.Materialize(arrays_);
    }
  }

  // Filled up to `width`.
  Instruction* Padded(Instruction* array, int64_t width) {
    if (width == size_) return array;
    const PrimitiveType type = array->shape.type;
    Instruction* zero = b_.Add(Opcode::kConstant, "zero", Shape::Array(type, {}), {});
    zero->literal = hlo::Literal(zero->shape);
    hlo::Attributes attributes;
    attributes.padding.resize(array->shape.dims.size());
    attributes.padding[dimension_].high = width - size_;
    return b_.Add(Opcode::kPad, "pad", Shape::Array(type, Divided({width})), {array, zero},
                  attributes);
  }

  // Compares the halves of all parts of twice the distance: an element with the one at its place in
  // the other half or, if mirrored, at the mirrored place. An element of the lower half is
  // exchanged if the other comes before it, one of the upper half if the other does not.
  void Exchange(int64_t distance, bool mirrored) {
    const int64_t parts = (size_ + 2 * distance - 1) / (2 * distance);
    const int64_t width = parts * 2 * distance;
    const std::vector<int64_t> dims = Divided({parts, 2, distance});
    const Shape pred = Shape::Array(PrimitiveType::kPred, dims);
    hlo::Attributes reversed;
    reversed.dimensions = {dimension_ + 1};
    if (mirrored) reversed.dimensions.push_back(dimension_ + 2);
    Arrays mine, others, compared;
    for (Instruction* array : arrays_) {
      mine.push_back(b_.Reshape(Padded(array, width), dims));
      others.push_back(
          b_.Add(Opcode::kReverse, "other", mine.back()->shape, {mine.back()}, reversed));
      compared.push_back(others.back());
      compared.push_back(mine.back());
    }
    Instruction* comes_before = b_.Add(Opcode::kMap, "comes_before", pred, compared);
    for (int64_t d = 0; d < std::ssize(dims); ++d) {
      comes_before->attributes.dimensions.push_back(d);
    }
    comes_before->called = {less_};
    comes_before->called_as = {"to_apply"};
    Instruction* is_upper = b_.Add(Opcode::kConvert, "is_upper", pred,
                                   {b_.Iota(PrimitiveType::kS32, dims, dimension_ + 1)});
    Instruction* exchange = b_.Add(Opcode::kXor, "exchange", pred, {comes_before, is_upper});
    if (width != size_) exchange = WhereBothAre(exchange, width, reversed);
    Arrays next;
    for (size_t k = 0; k < arrays_.size(); ++k) {
      Instruction* chosen =
          b_.Add(Opcode::kSelect, "step", mine[k]->shape, {exchange, others[k], mine[k]});
      next.push_back(Part(b_.Reshape(chosen, Divided({width})), 0, size_));
    }
    arrays_ = std::move(next);
  }

  // The condition, and that both elements lie before the end of the row.
  Instruction* WhereBothAre(Instruction* condition, int64_t width,
                            const hlo::Attributes& reversed) {
    Instruction* number = b_.Reshape(b_.Iota(PrimitiveType::kS32, Divided({width}), dimension_),
                                     condition->shape.dims);
    Instruction* other = b_.Add(Opcode::kReverse, "number", number->shape, {number}, reversed);
    Instruction* size = b_.Scalar("size", PrimitiveType::kS32, size_);
    Instruction* end = b_.Add(Opcode::kBroadcast, "end", number->shape, {size});
    Instruction* last = b_.Add(Opcode::kMaximum, "last", number->shape, {number, other});
    return b_.Add(Opcode::kAnd, "exchange_both", condition->shape,
                  {condition, b_.Compare("LT", last, end)});
  }

  Expander& expander_;
  HloBuilder& b_;
  const Instruction& sort_;
  int64_t dimension_, size_;
  bool has_positions_;
  hlo::Computation* less_;
  Arrays arrays_;
};

}  // namespace

bool EqualsAreTheSame(const Instruction& sort) {
  if (sort.operands.size() != 1) return false;
  const Instruction& root = *sort.called.front()->root;
  if (root.opcode != Opcode::kCompare || root.operands[0] == root.operands[1]) return false;
  for (const Instruction* operand : root.operands) {
    if (operand->opcode != Opcode::kParameter) return false;
  }
  const hlo::Attributes& of = root.attributes;
  if (of.comparison_direction != "LT" && of.comparison_direction != "GT") return false;
  const PrimitiveType type = root.operands[0]->shape.type;
  return hlo::IsInt(type) || type == PrimitiveType::kPred || of.comparison_type == "TOTALORDER";
}

bool HasOneResult(const Instruction& sort) {
  if (EqualsAreTheSame(sort)) return true;
  const Instruction& root = *sort.called.front()->root;
  if (sort.attributes.is_stable || root.opcode != Opcode::kSelect) return false;
  const Instruction& earlier = *root.operands[0];
  const auto last = std::ssize(sort.called.front()->parameters) - 1;
  return earlier.opcode == Opcode::kCompare && earlier.attributes.comparison_direction == "LT" &&
         earlier.operands[0]->parameter_number == last - 1 &&
         earlier.operands[1]->parameter_number == last;
}

bool ExpandsSort(const Instruction& sort) {
  const Shape& shape = sort.operands[0]->shape;
  return !llvm::is_contained(shape.dynamic, true) && SizeOf(sort) <= kMaxRowOfLaunches;
}

Instruction* ExpandSort(Expander& expander, const Instruction& sort,
                        llvm::ArrayRef<Instruction*> operands) {
  HloBuilder& b = expander.b();
  if (SizeOf(sort) <= 1 || sort.operands[0]->shape.NumElements() == 0) {
    return sort.shape.IsTuple() ? b.Tuple(operands.vec()) : operands[0];
  }
  if (!EqualsAreTheSame(sort) || !FitsOneBlock(sort)) {
    return SortExpansion(expander, sort, operands).Run();
  }
  hlo::Attributes attributes = sort.attributes;
  attributes.is_stable = false;
  Instruction* made = b.Add(Opcode::kSort, "sort", sort.shape, operands.vec(), attributes);
  made->called = sort.called;
  made->called_as = sort.called_as;
  expander.Materialize(made);
  return made;
}

}  // namespace affirm::emit
