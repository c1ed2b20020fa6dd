#include "verify/equivalence/merge_layers.h"

#include <string>
#include <utility>

namespace affirm::equivalence {

using hlo::Attributes;
using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

std::vector<int64_t> Tiling::With(const std::vector<int64_t>& sizes) const {
  std::vector<int64_t> all = dims;
  all.erase(all.begin() + dimension);
  all.insert(all.begin() + dimension, sizes.begin(), sizes.end());
  return all;
}

Instruction* LayerBuilder::Add(Opcode opcode, Shape shape, Arrays operands, Attributes attributes) {
  auto made = std::make_unique<Instruction>();
  made->name = "merge." + std::to_string(to_.instructions.size());
  made->opcode = opcode;
  made->opcode_text = hlo::Name(opcode).str();
  made->shape = std::move(shape);
  made->operands = std::move(operands);
  made->attributes = std::move(attributes);
  return to_.Add(std::move(made));
}

Instruction* LayerBuilder::Parameter(const Shape& shape) {
  auto made = std::make_unique<Instruction>();
  made->name = "merge." + std::to_string(to_.instructions.size());
  made->opcode = Opcode::kParameter;
  made->opcode_text = "parameter";
  made->shape = shape;
  made->parameter_number = std::ssize(to_.parameters);
  return to_.Add(std::move(made));
}

Instruction* LayerBuilder::Reshape(Instruction* array, std::vector<int64_t> dims) {
  if (array->shape.dims == dims) return array;
  return Add(Opcode::kReshape, Shape::Array(array->shape.type, std::move(dims)), {array});
}

Instruction* LayerBuilder::Tuple(const Arrays& elements) {
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const Instruction* element : elements) shapes.push_back(element->shape);
  return Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), elements);
}

Instruction* LayerBuilder::Part(const Tiling& tiling, Instruction* array, int64_t start,
                                int64_t limit) {
  const auto d = static_cast<size_t>(tiling.dimension);
  if (start == 0 && limit == array->shape.dims[d]) return array;
  Attributes attributes;
  for (int64_t size : array->shape.dims) attributes.slice.push_back({0, size, 1});
  attributes.slice[d] = {start, limit, 1};
  return Add(Opcode::kSlice, Shape::Array(array->shape.type, tiling.With({limit - start})), {array},
             std::move(attributes));
}

Instruction* LayerBuilder::Tiles(const Tiling& tiling, Instruction* array, const Shape& like) {
  return Reshape(Part(tiling, array, 0, tiling.whole()), like.dims);
}

Instruction* LayerBuilder::Rest(const Tiling& tiling, Instruction* array) {
  return tiling.rest() == 0 ? nullptr : Part(tiling, array, tiling.whole(), tiling.size());
}

Instruction* LayerBuilder::Joined(const Tiling& tiling, Instruction* tiles, Instruction* rest) {
  Instruction* whole = Reshape(tiles, tiling.With({tiling.whole()}));
  if (rest == nullptr) return whole;
  Attributes attributes;
  attributes.dimensions = {tiling.dimension};
  return Add(Opcode::kConcatenate, Shape::Array(whole->shape.type, tiling.dims), {whole, rest},
             std::move(attributes));
}

Instruction* LayerBuilder::Padded(const Tiling& tiling, Instruction* array, int64_t width) {
  if (width == tiling.size()) return array;
  const PrimitiveType type = array->shape.type;
  Instruction* zero = Add(Opcode::kConstant, Shape::Array(type, {}), {});
  zero->literal = hlo::Literal(zero->shape);
  Attributes attributes;
  attributes.padding.resize(tiling.dims.size());
  attributes.padding[static_cast<size_t>(tiling.dimension)].high = width - tiling.size();
  return Add(Opcode::kPad, Shape::Array(type, tiling.With({width})), {array, zero},
             std::move(attributes));
}

Instruction* LayerBuilder::Numbers(std::vector<int64_t> dims, int64_t dimension) {
  Attributes attributes;
  attributes.dimensions = {dimension};
  return Add(Opcode::kIota, Shape::Array(PrimitiveType::kS32, std::move(dims)), {},
             std::move(attributes));
}

// Splits parts of twice the distance into halves, and compares each element with its partner in the
// other half. A lower element is replaced if the upper one is less than it, and an upper element
// unless the lower one is less than it.
Arrays LayerBuilder::Exchanged(const Tiling& tiling, const Arrays& arrays, hlo::Computation* less,
                               int64_t distance, bool mirrored) {
  const int64_t size = tiling.size(), dimension = tiling.dimension;
  const int64_t parts = (size + 2 * distance - 1) / (2 * distance);
  const int64_t width = parts * 2 * distance;
  const std::vector<int64_t> dims = tiling.With({parts, 2, distance});
  const Shape pred = Shape::Array(PrimitiveType::kPred, dims);
  Attributes reversed;
  reversed.dimensions = {dimension + 1};
  if (mirrored) reversed.dimensions.push_back(dimension + 2);
  Arrays mine, others, compared;
  for (Instruction* array : arrays) {
    mine.push_back(Reshape(Padded(tiling, array, width), dims));
    others.push_back(Add(Opcode::kReverse, mine.back()->shape, {mine.back()}, reversed));
    compared.push_back(others.back());
    compared.push_back(mine.back());
  }
  Instruction* comes_before = Add(Opcode::kMap, pred, compared);
  for (int64_t d = 0; d < std::ssize(dims); ++d) comes_before->attributes.dimensions.push_back(d);
  comes_before->called = {less};
  comes_before->called_as = {"to_apply"};
  Instruction* is_upper = Add(Opcode::kConvert, pred, {Numbers(dims, dimension + 1)});
  Instruction* exchange = Add(Opcode::kXor, pred, {comes_before, is_upper});
  if (width != size) {
    Instruction* number = Reshape(Numbers(tiling.With({width}), dimension), dims);
    Instruction* other = Add(Opcode::kReverse, number->shape, {number}, reversed);
    Instruction* end = Add(Opcode::kConstant, Shape::Array(PrimitiveType::kS32, {}), {});
    end->literal = hlo::Literal(end->shape);
    end->literal->SetInt(0, size);
    Instruction* ends = Add(Opcode::kBroadcast, number->shape, {end});
    Instruction* last = Add(Opcode::kMaximum, number->shape, {number, other});
    Attributes below;
    below.comparison_direction = "LT";
    Instruction* both = Add(Opcode::kCompare, pred, {last, ends}, std::move(below));
    exchange = Add(Opcode::kAnd, pred, {exchange, both});
  }
  Arrays next;
  for (size_t k = 0; k < arrays.size(); ++k) {
    Instruction* chosen = Add(Opcode::kSelect, mine[k]->shape, {exchange, others[k], mine[k]});
    next.push_back(Part(tiling, Reshape(chosen, tiling.With({width})), 0, size));
  }
  return next;
}

Arrays LayerBuilder::Merged(const Tiling& tiling, Arrays arrays, hlo::Computation* less,
                            int64_t sorted) {
  for (int64_t distance = sorted; distance >= tiling.tile; distance /= 2)
    arrays = Exchanged(tiling, arrays, less, distance, distance == sorted);
  return arrays;
}

}  // namespace affirm::equivalence
