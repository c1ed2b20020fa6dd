// A sort as one that leaves nothing open, and as several launches where a row does not fit a block.
//
// The interpreter's sorts are stable. Where elements may be equal and yet different, their positions
// are one more operand, by which equal ones are compared: such a sort has one result, whatever the
// network. Rows that are too long are filled up to a power of two with elements that come last,
// because of their position, and sorted by the network of the sort emitter in several launches. In
// each merge to 2, 4, 8, ... tiles a launch makes the compare-exchanges of one distance,
//
//   merge to 4 tiles:  0 - 3, 1 - 2 (mirrored);  0 - 1, 2 - 3;  then each tile is sorted
//
// and the exchanges within a tile are those of a sort of the tile.
#include <bit>

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

// Whether elements that are equal by the comparator are the same, so that their order is none.
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

int64_t SizeOf(const Instruction& sort) {
  return sort.operands[0]->shape.dims[sort.attributes.dimensions[0]];
}

// The comparator with two positions behind its parameters: what it leaves open, they decide, and
// elements whose position is not below `size` come last.
hlo::Computation* WithPositions(Expander& expander, const Instruction& sort, int64_t size,
                                bool has_more) {
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
  const hlo::Computation& less = *sort.called.front();
  Instruction* before = b.Inline(less, forth);
  Instruction* behind = b.Inline(less, back);
  Instruction* open = b.Add(Opcode::kNot, "not_behind", pred, {behind});
  Instruction* equal = b.Add(Opcode::kAnd, "earlier_equal", pred, {open, earlier});
  made->root = b.Add(Opcode::kOr, "before", pred, {before, equal});
  if (has_more) {
    Instruction* end = b.Scalar("size", PrimitiveType::kS32, size);
    Instruction* both = b.Add(Opcode::kAnd, "both_are", pred,
                              {b.Compare("LT", of_a, end), b.Compare("LT", of_b, end)});
    made->root = b.Add(Opcode::kSelect, "before_with_end", pred, {both, made->root, earlier});
  }
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
        width_(size_),
        arrays_(operands.begin(), operands.end()) {}

  Instruction* Run() {
    Arrays with_positions = arrays_;
    std::vector<int64_t> dims = arrays_[0]->shape.dims;
    with_positions.push_back(b_.Iota(PrimitiveType::kS32, dims, dimension_));
    tile_ = LongestSortedRow(with_positions);
    if (size_ > tile_) {
      FillUp();
    } else {
      arrays_ = with_positions;
    }
    less_ = WithPositions(expander_, sort_, size_, width_ != size_);
    SortTiles();
    for (int64_t width = 2 * tile_; width <= width_; width *= 2) {
      Exchange(width / 2, true);
      for (int64_t distance = width / 4; distance >= tile_; distance /= 2) {
        Exchange(distance, false);
      }
      SortTiles();
    }
    arrays_.pop_back();
    if (width_ != size_) CutOff();
    return arrays_.size() == 1 && !sort_.shape.IsTuple() ? arrays_[0] : b_.Tuple(arrays_);
  }

 private:
  // The arrays' sizes with the sorted dimension divided.
  std::vector<int64_t> Divided(llvm::ArrayRef<int64_t> parts) const {
    std::vector<int64_t> dims = arrays_[0]->shape.dims;
    dims.erase(dims.begin() + dimension_);
    dims.insert(dims.begin() + dimension_, parts.begin(), parts.end());
    return dims;
  }

  // Up to the next power of two.
  void FillUp() {
    width_ = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(size_)));
    const std::vector<int64_t> dims = Divided({width_});
    hlo::Attributes attributes;
    attributes.padding.resize(dims.size());
    attributes.padding[dimension_].high = width_ - size_;
    for (Instruction*& array : arrays_) {
      if (width_ == size_) break;
      const PrimitiveType type = array->shape.type;
      Instruction* zero = b_.Add(Opcode::kConstant, "zero", Shape::Array(type, {}), {});
      zero->literal = hlo::Literal(zero->shape);
      array = b_.Add(Opcode::kPad, "pad", Shape::Array(type, dims), {array, zero}, attributes);
    }
    arrays_.push_back(b_.Iota(PrimitiveType::kS32, dims, dimension_));
  }

  void SortTiles() {
    const std::vector<int64_t> whole = arrays_[0]->shape.dims;
    const bool is_one = width_ <= tile_;
    Arrays operands;
    std::vector<Shape> shapes;
    for (Instruction* array : arrays_) {
      operands.push_back(is_one ? array : b_.Reshape(array, Divided({width_ / tile_, tile_})));
      shapes.push_back(operands.back()->shape);
    }
    hlo::Attributes attributes;
    attributes.dimensions = {is_one ? dimension_ : dimension_ + 1};
    Instruction* sorted = b_.Add(Opcode::kSort, "tiles", Shape::Tuple(shapes), operands, attributes);
    sorted->called = {less_};
    sorted->called_as = {"to_apply"};
    expander_.Materialize(sorted);
    for (size_t k = 0; k < arrays_.size(); ++k) {
      arrays_[k] = b_.Reshape(b_.Element(sorted, static_cast<int64_t>(k)), whole);
    }
  }

  // Compares the halves of all parts of twice the distance: an element with that of the same
  // place, or mirrored, the first of one with the last of the other.
  void Exchange(int64_t distance, bool mirrored) {
    const std::vector<int64_t> whole = arrays_[0]->shape.dims;
    const std::vector<int64_t> dims = Divided({width_ / (2 * distance), 2, distance});
    const int64_t half = dimension_ + 1;
    hlo::Attributes reversed;
    reversed.dimensions = {half};
    if (mirrored) reversed.dimensions.push_back(half + 1);
    Instruction* is_upper =
        b_.Add(Opcode::kConvert, "is_upper", Shape::Array(PrimitiveType::kPred, dims),
               {b_.Iota(PrimitiveType::kS32, dims, half)});
    Arrays mine, others, compared;
    for (Instruction* array : arrays_) {
      const Shape shape = Shape::Array(array->shape.type, dims);
      mine.push_back(b_.Reshape(array, dims));
      others.push_back(b_.Add(Opcode::kReverse, "other", shape, {mine.back()}, reversed));
      compared.push_back(
          b_.Add(Opcode::kSelect, "upper", shape, {is_upper, mine.back(), others.back()}));
      compared.push_back(
          b_.Add(Opcode::kSelect, "lower", shape, {is_upper, others.back(), mine.back()}));
    }
    Instruction* exchange =
        b_.Add(Opcode::kMap, "exchange", Shape::Array(PrimitiveType::kPred, dims), compared);
    for (int64_t d = 0; d < std::ssize(dims); ++d) exchange->attributes.dimensions.push_back(d);
    exchange->called = {less_};
    exchange->called_as = {"to_apply"};
    Arrays next;
    for (size_t k = 0; k < arrays_.size(); ++k) {
      const Shape shape = Shape::Array(arrays_[k]->shape.type, dims);
      next.push_back(b_.Add(Opcode::kSelect, "step", shape, {exchange, others[k], mine[k]}));
      arrays_[k] = b_.Reshape(next.back(), whole);
    }
    expander_.Materialize(next);
  }

  // What the rows were filled up with.
  void CutOff() {
    hlo::Attributes attributes;
    for (int64_t size : Divided({size_})) attributes.slice.push_back({0, size, 1});
    for (Instruction*& array : arrays_) {
      array = b_.Add(Opcode::kSlice, "slice", Shape::Array(array->shape.type, Divided({size_})),
                     {array}, attributes);
    }
  }

  Expander& expander_;
  HloBuilder& b_;
  const Instruction& sort_;
  int64_t dimension_, size_, width_;  // the latter of the rows that are sorted
  int64_t tile_ = 1;
  Arrays arrays_;
  hlo::Computation* less_ = nullptr;
};

}  // namespace

bool ExpandsSort(const Instruction& sort) {
  const Shape& shape = sort.operands[0]->shape;
  constexpr int64_t kMostPositions = int64_t{1} << 30;
  return llvm::is_contained(shape.dynamic, true) ? false : SizeOf(sort) <= kMostPositions;
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
